"""Is a reading still good: pure."""

from typing import NamedTuple

from node.chain.authorisations.limits import AuthorisationLimits
from node.chain.authorisations.news import Changes, Reorganisations
from node.chain.authorisations.readings import Reading
from node.permissions.grants import is_expired


class Moment(NamedTuple):
    """Now: `elapsed_s` by the cache's own time; `unix_s` is the later of the clock and the head's timestamp.

    Readings begun until `short_lived_until` live the short life: the listener might have missed a change.
    """

    elapsed_s: float
    unix_s: float
    short_lived_until: float


def is_young(reading: Reading[object], moment: Moment, limits: AuthorisationLimits) -> bool:
    """Younger than its kind may become, and the key's expiry not passed."""
    age_s = moment.elapsed_s - reading.began_at
    if not reading.granted:
        return age_s < limits.denial_ttl_s
    short = reading.began_at <= moment.short_lived_until
    ttl_s = limits.stalled_grant_ttl_s if short else limits.grant_ttl_s
    return age_s < ttl_s and not is_expired(reading.expiration, moment.unix_s)


def stands(reading: Reading[object], moment: Moment, changes: Changes, reorganisations: Reorganisations) -> bool:
    """Nothing that was told since, or of a later block, touches it."""
    return reading.block_number >= changes.last(reading.account, moment.elapsed_s) and not reorganisations.void(
        reading.block_number, reading.began_at
    )

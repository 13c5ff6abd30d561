"""How long, and how much, the cache of authorisations keeps."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AuthorisationLimits:
    """Every field is a setting; spec.md "Limits" allows 5 minutes to a grant and 30 seconds to a denial."""

    grant_ttl_s: float = 300.0
    """Longest a grant is believed, counted from when its reading began."""
    stalled_grant_ttl_s: float = 30.0
    """The same while the listener lags, and for what was read before its first poll."""
    stalled_after_s: float = 30.0
    """A listener that lags more than this has stalled."""
    denial_ttl_s: float = 10.0
    """Longest a denial is told again without asking the chain."""
    max_readings: int = 300_000
    """Readings kept, of 350 bytes or so; beyond it the key used longest ago goes, with all its readings."""
    max_readings_per_key: int = 64
    """Readings kept of one key: one key that runs ever new code drives out nobody else's."""
    max_groups_per_key: int = 64
    """Group ids in all lists of one key; who has more is read from the chain with every call: nobody fills the memory."""
    max_changed_accounts: int = 100_000
    """Accounts whose last change is remembered; beyond it what was read of any account before the forgotten one is void."""
    max_reorganisations: int = 64
    """Reorganisations remembered; beyond it the two oldest become the deeper of both."""

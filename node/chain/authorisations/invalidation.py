"""Validity of cache entries: how long they are fresh, and which changes on chain void them. Pure.

Times are seconds of one rising clock. No event ever makes a void entry valid: it may come from an endpoint that lies.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from node.chain.authorisations.entries import CacheEntry
from node.permissions.grants import is_expired
from node.settings.chain import AuthorisationSettings

STALLED_GRANT_TTL_S: Final = 30.0
"""Longest a grant is believed while the listener lags, and if it was read before the listener's first poll."""


@dataclass(frozen=True, slots=True)
class _Change:
    block_number: int
    noted_at: float


_NEVER = _Change(0, 0.0)


@dataclass(slots=True)
class Changes:
    """Last change of each account, kept for `kept_s`: longer than any entry lives.

    An entry is void if its block is before the account's last change, whenever that event came. A change that is
    evicted counts for every account from then on.
    """

    max_accounts: int
    kept_s: float
    _last: OrderedDict[int, _Change] = field(default_factory=OrderedDict)
    _of_any_account: _Change = _NEVER

    def note(self, account: int, block_number: int, now: float) -> None:
        """Note an event of `account` in this block."""
        # Never lowered: an endpoint that lies could otherwise hide a change by reporting an older one.
        self._last[account] = _Change(max(block_number, self._of(account).block_number), now)
        self._last.move_to_end(account)
        while len(self._last) > self.max_accounts:
            _, forgotten = self._last.popitem(last=False)
            self._of_any_account = _Change(max(forgotten.block_number, self._of_any_account.block_number), now)
        self._forget_before(now - self.kept_s)

    def last(self, account: int, now: float) -> int:
        """Return the lowest block number at which an entry of this account may have been read."""
        noted_after = now - self.kept_s
        own, of_any_account = self._of(account), self._of_any_account
        block_number = own.block_number if own.noted_at >= noted_after else 0
        if of_any_account.noted_at >= noted_after and of_any_account.block_number > block_number:
            return of_any_account.block_number
        return block_number

    def _of(self, account: int) -> _Change:
        return self._last.get(account, _NEVER)

    def _forget_before(self, noted_at: float) -> None:
        while self._last and next(iter(self._last.values())).noted_at < noted_at:
            self._last.popitem(last=False)


@dataclass(frozen=True, slots=True)
class _Fork:
    block_number: int
    noted_at: float


@dataclass(slots=True)
class Reorganisations:
    """Reorganisations, kept for `kept_s`: an entry read above the fork, whose read began before the event, is void."""

    max_forks: int
    kept_s: float
    _forks: Sequence[_Fork] = ()

    def note(self, fork_number: int, now: float) -> None:
        """Note that the blocks after `fork_number` have been replaced."""
        deeper = [
            fork for fork in self._forks if fork.block_number < fork_number and fork.noted_at >= now - self.kept_s
        ]
        self._forks = [*deeper, _Fork(fork_number, now)]
        if len(self._forks) > self.max_forks:
            oldest, second, *later = self._forks
            self._forks = [_Fork(oldest.block_number, second.noted_at), *later]

    def void(self, block_number: int, began_at: float) -> bool:
        """Return whether a read at this block, begun then, may have used a block that is gone."""
        if not self._forks:
            return False
        # By the start of the read: one that was under way may have used the old branch.
        return any(fork.block_number < block_number and began_at <= fork.noted_at for fork in self._forks)


class Moment(NamedTuple):
    """The present: `elapsed_s` by the cache's own clock; `unix_s` is the later of the clock and the head's timestamp.

    Entries whose read began until `short_lived_until` live at most STALLED_GRANT_TTL_S: the listener might have missed a
    change.
    """

    elapsed_s: float
    unix_s: float
    short_lived_until: float


def is_fresh(entry: CacheEntry[object], moment: Moment, settings: AuthorisationSettings) -> bool:
    """Return whether the entry is younger than its kind may become, and the key has not expired."""
    age_s = moment.elapsed_s - entry.began_at
    # Denials live shortly: a wrong one refuses a client, a wrong grant is bounded by the listener.
    if not entry.granted:
        return age_s < settings.authorisation_denial_ttl_s
    ttl_s = settings.authorisation_grant_ttl_s
    # Entries read after the outage are current and live as usual.
    if entry.began_at <= moment.short_lived_until:
        ttl_s = min(ttl_s, STALLED_GRANT_TTL_S)
    return age_s < ttl_s and not is_expired(entry.expiration, moment.unix_s)


def is_valid(entry: CacheEntry[object], moment: Moment, changes: Changes, reorganisations: Reorganisations) -> bool:
    """Return whether no event since the read, or of a later block, voids the entry."""
    return entry.block_number >= changes.last(entry.account, moment.elapsed_s) and not reorganisations.void(
        entry.block_number, entry.began_at
    )

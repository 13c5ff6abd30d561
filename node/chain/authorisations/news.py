"""What has changed on chain since something was read: pure, times are given in seconds of one rising clock.

Nothing told here ever makes a reading good that was void: the news may come from an endpoint that lies.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class _Change:
    block_number: int
    told_at: float


_NEVER = _Change(0, 0.0)


@dataclass(slots=True)
class Changes:
    """The last change of each account, for `kept_s`: longer than any reading lives.

    A reading is void when it was made at a block before the account's last change, whenever that was told. A change
    that is forgotten for want of room counts for every account from then on.
    """

    max_accounts: int
    kept_s: float
    _last: OrderedDict[int, _Change] = field(default_factory=OrderedDict)
    _of_anybody: _Change = _NEVER

    def tell(self, account: int, block_number: int, now: float) -> None:
        """An event of `account` stands in this block."""
        self._last[account] = _Change(max(block_number, self._of(account).block_number), now)
        self._last.move_to_end(account)
        while len(self._last) > self.max_accounts:
            _, forgotten = self._last.popitem(last=False)
            self._of_anybody = _Change(max(forgotten.block_number, self._of_anybody.block_number), now)
        self._forget_before(now - self.kept_s)

    def last(self, account: int, now: float) -> int:
        """The lowest block number at which a reading of this account may have been made."""
        told_after = now - self.kept_s
        own, of_anybody = self._of(account), self._of_anybody
        block_number = own.block_number if own.told_at >= told_after else 0
        if of_anybody.told_at >= told_after and of_anybody.block_number > block_number:
            return of_anybody.block_number
        return block_number

    def _of(self, account: int) -> _Change:
        return self._last.get(account, _NEVER)

    def _forget_before(self, told_at: float) -> None:
        while self._last and next(iter(self._last.values())).told_at < told_at:
            self._last.popitem(last=False)


@dataclass(frozen=True, slots=True)
class _Fork:
    block_number: int
    told_at: float


@dataclass(slots=True)
class Reorganisations:
    """How deep the chain was reorganised since, for `kept_s`: a reading made above the fork and begun before is void."""

    max_forks: int
    kept_s: float
    _forks: Sequence[_Fork] = ()

    def tell(self, fork_number: int, now: float) -> None:
        """Blocks after `fork_number` are no longer those that were there."""
        deeper = [fork for fork in self._forks if fork.block_number < fork_number and fork.told_at >= now - self.kept_s]
        self._forks = [*deeper, _Fork(fork_number, now)]
        if len(self._forks) > self.max_forks:
            oldest, second, *later = self._forks
            self._forks = [_Fork(oldest.block_number, second.told_at), *later]

    def void(self, block_number: int, began_at: float) -> bool:
        """Whether a reading made at this block, begun then, may rest on a block that is gone."""
        if not self._forks:
            return False
        return any(fork.block_number < block_number and began_at <= fork.told_at for fork in self._forks)

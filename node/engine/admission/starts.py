"""Budgets of worker starts: the rate at which one account may start workers beside other accounts (pure).

Times are of one monotonic clock, in seconds.
"""

from typing import Final

_BURST: Final = 8.0
"""Workers that an account may start at once: more programs than anybody tries out in a second."""
_PER_PROCESSOR_S: Final = 10.0
"""Workers a second and processor after that. Starting and ending one takes some 6 ms: 6 % of each processor."""
_OTHERS_S: Final = 5.0
"""Time after an action of another account during which an account is not alone."""


class StartBudgets:
    """Token buckets of worker starts, one an account. An account that is alone may go beyond its own."""

    def __init__(self, processors: int) -> None:
        self._per_s = processors * _PER_PROCESSOR_S
        self._left: dict[int, tuple[float, float]] = {}
        """Starts an account had left at its last one, and the time of that; a full budget is not stored."""
        self._latest: tuple[int | None, float] = (None, float("-inf"))
        self._latest_other = float("-inf")
        """Time at which an account other than the latest was last active."""

    def active(self, account: int, now: float) -> None:
        """Note that the account asks for a worker, or begins an action in one."""
        if self._latest[0] != account:
            self._latest_other = self._latest[1]
        self._latest = (account, now)

    def may(self, account: int, now: float) -> bool:
        """Return whether the account may start a worker now."""
        others_at = self._latest_other if self._latest[0] == account else self._latest[1]
        return now - others_at >= _OTHERS_S or self._budget(account, now) >= 1

    def took(self, account: int, now: float) -> None:
        """Count a start. The bucket does not go below zero, so starts made while alone do not count for long."""
        self._left[account] = (max(self._budget(account, now) - 1, 0.0), now)

    def forget(self, now: float) -> None:
        """Drop the accounts whose budget is full. Called periodically."""
        self._left = {account: left for account, left in self._left.items() if self._budget(account, now) < _BURST}

    def _budget(self, account: int, now: float) -> float:
        left, at = self._left.get(account, (_BURST, now))
        return min(left + (now - at) * self._per_s, _BURST)

"""How fast one account may have workers started beside others who use the engine. Pure; times are of one monotonic clock."""

from typing import Final

_BURST: Final = 8.0
"""Workers that an account may have at once: more programs than anybody tries out in a second."""
_PER_PROCESSOR_S: Final = 10.0
"""Workers a second and processor after that. Starting and ending one takes some 6 ms: 6 % of each processor."""
_OTHERS_S: Final = 5.0
"""For so long after an action of another account an account is not alone."""


class Starts:
    """Every account has a budget of starts that fills up steadily; one that is alone may go beyond it."""

    def __init__(self, processors: int) -> None:
        self._per_s = processors * _PER_PROCESSOR_S
        self._left: dict[int, tuple[float, float]] = {}
        """What an account had left when it last took one, and when that was; a full budget is not remembered."""
        self._latest: tuple[int | None, float] = (None, float("-inf"))
        self._latest_other = float("-inf")
        """When an account other than the latest was last active."""

    def active(self, account: int, now: float) -> None:
        """The account asks for a worker, or begins an action in one."""
        if self._latest[0] != account:
            self._latest_other = self._latest[1]
        self._latest = (account, now)

    def may(self, account: int, now: float) -> bool:
        """Whether the account may have a worker now."""
        others_at = self._latest_other if self._latest[0] == account else self._latest[1]
        return now - others_at >= _OTHERS_S or self._budget(account, now) >= 1

    def took(self, account: int, now: float) -> None:
        """The account has a worker. What it took while it was alone is not held against it for long."""
        self._left[account] = (max(self._budget(account, now) - 1, 0.0), now)

    def forget(self, now: float) -> None:
        """Forget those whose budget is full; to be called every now and then."""
        self._left = {account: left for account, left in self._left.items() if self._budget(account, now) < _BURST}

    def _budget(self, account: int, now: float) -> float:
        left, at = self._left.get(account, (_BURST, now))
        return min(left + (now - at) * self._per_s, _BURST)

"""How much of what an account's actions ran is not charged when the node ended them for lack of memory. Pure.

Without a bound, holding memory until one is ended would be a way to run for nothing, again and again.
"""

from dataclasses import dataclass
from typing import Final

_HOUR_S: Final = 3600.0


@dataclass(frozen=True, slots=True)
class _Used:
    seconds: float
    at: float


class Forgiveness:
    """An allowance of seconds for each account, whole again within an hour. The time passed in is monotonic, in seconds."""

    def __init__(self, seconds_per_hour: float) -> None:
        self._seconds = seconds_per_hour
        self._used: dict[int, _Used] = {}

    def __len__(self) -> int:
        """How many accounts are remembered: those whose allowance is not whole."""
        return len(self._used)

    def forgives(self, account: int, ran_s: float, now: float) -> bool:
        """Whether a run of so long is within what is left of the account's allowance; it is then taken from it."""
        self._used = {each: used for each in self._used if (used := self._still_used(each, now)).seconds > 0}
        seconds = self._still_used(account, now).seconds + ran_s
        if seconds > self._seconds:
            return False
        self._used[account] = _Used(seconds, now)
        return True

    def _still_used(self, account: int, now: float) -> _Used:
        used = self._used.get(account)
        if used is None:
            return _Used(0.0, now)
        return _Used(max(used.seconds - (now - used.at) * self._seconds / _HOUR_S, 0.0), now)

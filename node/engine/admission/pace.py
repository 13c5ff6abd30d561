"""How fast turns come, as seen: what a refused client is told to wait. Pure."""

import math
from collections import deque
from typing import Final

_WINDOW_S: Final = 10.0
_REMEMBERED: Final = 256


class Pace:
    """Counts starts on one monotonic clock in seconds, whose present value is passed in."""

    def __init__(self, now: float, longest_s: int) -> None:
        self._starts: deque[float] = deque([now], maxlen=_REMEMBERED)
        self._longest_s = longest_s

    def started(self, now: float) -> None:
        """Somebody had a turn."""
        self._starts.append(now)

    def retry_after_s(self, waiting: int, now: float) -> int:
        """When one behind `waiting` others would have its turn, at the pace of the last seconds; at least 1.

        While nothing starts, each turn is expected to take as long as none has been seen.
        """
        while len(self._starts) > 1 and self._starts[0] < now - _WINDOW_S:
            self._starts.popleft()
        for_each_s = max(now - self._starts[0], 0.0) / len(self._starts)
        return min(max(math.ceil((waiting + 1) * for_each_s), 1), self._longest_s)

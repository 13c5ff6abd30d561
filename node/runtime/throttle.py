"""Bound on how often a log line is repeated."""

from collections.abc import Callable, Hashable


class Throttle:
    """Call it to ask whether an event of this kind may be logged now: once in `interval_s` seconds for each kind.

    `clock` is monotonic, in seconds. Every kind is remembered, so there must be few.
    """

    def __init__(self, interval_s: float, clock: Callable[[], float]) -> None:
        self._interval_s = interval_s
        self._clock = clock
        self._passed_at: dict[Hashable, float] = {}

    def __call__(self, kind: Hashable) -> bool:
        """Return True once in `interval_s`."""
        now = self._clock()
        if now < self._passed_at.get(kind, float("-inf")) + self._interval_s:
            return False
        self._passed_at[kind] = now
        return True

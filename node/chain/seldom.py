"""For a log that nobody must be able to fill: each kind of thing is let through once in a while."""

from collections.abc import Callable, Hashable


class Seldom:
    """Call it to ask whether a thing of this kind may pass now. `clock` is monotonic seconds.

    As many kinds are remembered as there are: they must be few.
    """

    def __init__(self, interval_s: float, clock: Callable[[], float]) -> None:
        self._interval_s = interval_s
        self._clock = clock
        self._passed_at: dict[Hashable, float] = {}

    def __call__(self, kind: Hashable) -> bool:
        """True once in `interval_s`."""
        now = self._clock()
        if now < self._passed_at.get(kind, float("-inf")) + self._interval_s:
            return False
        self._passed_at[kind] = now
        return True

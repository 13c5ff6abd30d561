"""Time that has passed, by whichever clock says more."""

from collections.abc import Callable


class ElapsedTime:
    """Call it for seconds since it was made; it never falls, and is never behind either clock.

    A monotonic clock stands still while a virtual machine is suspended, and a wall clock can be set back: what is
    kept for so long must not live longer for either. `clock` is unix seconds, `monotonic_clock` seconds.
    """

    def __init__(self, clock: Callable[[], float], monotonic_clock: Callable[[], float]) -> None:
        self._clock = clock
        self._monotonic_clock = monotonic_clock
        self._seen = (clock(), monotonic_clock())
        self._elapsed_s = 0.0

    def __call__(self) -> float:
        """Seconds."""
        now = (self._clock(), self._monotonic_clock())
        self._elapsed_s += max(0.0, now[0] - self._seen[0], now[1] - self._seen[1])
        self._seen = now
        return self._elapsed_s

"""Time as components read it: one value that tests replace."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clock:
    """Reads the time and sleeps. Components receive one instead of calling `time` themselves.

    `monotonic`: seconds, never goes back. `unix`: seconds since 1970. `sleep` takes seconds of `monotonic`.
    """

    monotonic: Callable[[], float] = time.monotonic
    unix: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class ElapsedClock:
    """Counts the seconds since it was made, by whichever of two clocks says more. Never falls.

    A monotonic clock stops while a virtual machine is suspended, and a wall clock can be set back. A cached value must
    not live longer for either.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last_read = (clock.unix(), clock.monotonic())
        self._elapsed_s = 0.0

    def __call__(self) -> float:
        """Seconds."""
        now = (self._clock.unix(), self._clock.monotonic())
        self._elapsed_s += max(0.0, now[0] - self._last_read[0], now[1] - self._last_read[1])
        self._last_read = now
        return self._elapsed_s

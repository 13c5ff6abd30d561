"""Clocks that tests replace, pauses between attempts, and a throttle for log lines."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Clock:
    """Time and sleep. Components receive one instead of calling `time`, so tests can replace it.

    `monotonic` returns seconds and never goes back. `unix` returns seconds since 1970.
    """

    monotonic: Callable[[], float] = time.monotonic
    unix: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class ElapsedClock:
    """Seconds since it was made, each step by the faster of two clocks. Never decreases.

    A monotonic clock stops while a virtual machine is suspended, and a wall clock can be set back.
    Neither may extend the life of a cached value.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last_read = (clock.unix(), clock.monotonic())
        self._elapsed_s = 0.0

    def __call__(self) -> float:
        """Returns the elapsed seconds."""
        # Summed between readings, so that setting the wall clock back affects one step only.
        now = (self._clock.unix(), self._clock.monotonic())
        self._elapsed_s += max(0.0, now[0] - self._last_read[0], now[1] - self._last_read[1])
        self._last_read = now
        return self._elapsed_s


_RANDOM_STEPS: Final = 1000


class Backoff:
    """Pause that doubles after each failure, from `min_s` up to `max_s` seconds.

    With `jitter`, a pause is shorter by a random part of at most that fraction, so that nodes
    that failed together do not retry together.
    """

    def __init__(self, min_s: float, max_s: float, *, jitter: float = 0.0) -> None:
        self._min_s = min_s
        self._max_s = max_s
        self._jitter = jitter
        self._next_s = min_s

    def failed(self) -> float:
        """Returns the seconds to wait before the next attempt, and doubles the following pause."""
        pause_s = self._next_s
        self._next_s = min(self._max_s, pause_s * 2)
        return pause_s * (1 - self._jitter * secrets.randbelow(_RANDOM_STEPS + 1) / _RANDOM_STEPS)

    def succeeded(self) -> None:
        """Resets to the shortest pause."""
        self._next_s = self._min_s


class Throttle:
    """Allows one log line of each kind in `interval_s` seconds.

    `clock` is monotonic, in seconds. Every kind is remembered, so their number must be small.
    """

    def __init__(self, interval_s: float, clock: Callable[[], float]) -> None:
        self._interval_s = interval_s
        self._clock = clock
        self._passed_at: dict[Hashable, float] = {}

    def __call__(self, kind: Hashable) -> bool:
        """Returns True at most once per `interval_s` for each kind."""
        now = self._clock()
        if now < self._passed_at.get(kind, float("-inf")) + self._interval_s:
            return False
        self._passed_at[kind] = now
        return True

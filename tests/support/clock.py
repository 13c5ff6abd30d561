"""Clocks that a test moves."""

import asyncio
import time


class FakeClock:
    """Call it for the time in seconds."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


class SkippingClock:
    """A clock that runs from `start` on, and skips what a test lets it skip; call it for the time in seconds."""

    def __init__(self, start: float) -> None:
        self._ahead_s = start - time.monotonic()
        self.skipped_s = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self._ahead_s + self.skipped_s

    def skip(self, seconds: float) -> None:
        """Let time pass at once."""
        self.skipped_s += seconds


class Waits:
    """A sleep that lets the test move the clock: each wait is noted, and lasts until the test lets it end."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self._asked: asyncio.Queue[float] = asyncio.Queue()
        self._go: asyncio.Queue[None] = asyncio.Queue()

    async def sleep(self, seconds: float) -> None:
        self._asked.put_nowait(seconds)
        await self._go.get()

    async def waiting(self) -> float:
        """The length of the wait that is being waited, as soon as there is one."""
        asked = await self._next()
        self._asked.put_nowait(asked)
        return asked

    async def _next(self) -> float:
        async with asyncio.timeout(60):
            return await self._asked.get()

    async def pass_by(self, seconds: float | None = None) -> float:
        """Let the wait end, time having passed."""
        asked = await self._next()
        self._clock.advance(asked if seconds is None else seconds)
        self._go.put_nowait(None)
        return asked

"""Clocks that a test moves."""

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

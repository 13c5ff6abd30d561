"""Measures how long the event loop is held: the processor time of its thread between two turns of another task."""

import asyncio
import contextlib
import gc
import time
from collections.abc import AsyncIterator
from typing import Final

STALL_MAX_S: Final = 0.1
"""No task may wait longer for its turn, in processor time of the loop's thread: the wall clock of a busy machine tells nothing."""


class LoopMeter:
    """The longest that a task which is always ready had to wait for its turn since `restart`."""

    def __init__(self) -> None:
        self._longest_s = self._turn_at = 0.0

    @property
    def longest_s(self) -> float:
        """The longest wait, that which still goes on included: its asker may run in the very step that took long."""
        return max(self._longest_s, time.thread_time() - self._turn_at)

    def restart(self) -> None:
        """Forget what was measured, the running step up to now included."""
        self._longest_s = 0.0
        self._turn_at = time.thread_time()

    async def keep_ready(self) -> None:
        """Take a turn whenever there is one, until it is cancelled."""
        self.restart()
        while True:
            await asyncio.sleep(0)
            # Read once a turn: what runs between two turns of this task is counted whole, whichever task it was.
            now = time.thread_time()
            self._longest_s = max(self._longest_s, now - self._turn_at)
            self._turn_at = now


@contextlib.asynccontextmanager
async def metered_loop() -> AsyncIterator[LoopMeter]:
    """Measure the running loop until the context ends.

    What the tests before this one have left is kept from the collector meanwhile: to look it through takes a hundred
    milliseconds, and is no work of what is measured.
    """
    gc.collect()
    gc.freeze()
    meter = LoopMeter()
    ready = asyncio.create_task(meter.keep_ready())
    try:
        await asyncio.sleep(0)
        meter.restart()
        yield meter
    finally:
        ready.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await ready
        gc.unfreeze()

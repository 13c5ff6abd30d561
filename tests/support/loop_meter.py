"""Measures how long the event loop is held: the processor time of its thread between two turns of another task.

With a second loop in a thread for what is not to be measured.
"""

import asyncio
import contextlib
import gc
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from typing import Final, TypeVar

Value = TypeVar("Value")

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


@contextlib.contextmanager
def young_heap() -> Iterator[None]:
    """Keep what the tests before this one have left from the garbage collector until the context ends.

    To look it through takes a hundred milliseconds and more, and is no work of what is measured.
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextlib.contextmanager
def takes_at_most(limit_s: float) -> Iterator[None]:
    """Bound the processor time that this thread needs until the context ends."""
    with young_heap():
        began_s = time.thread_time()
        yield
        took_s = time.thread_time() - began_s
    assert took_s < limit_s, f"took {took_s:.3f} s of processor time"


@contextlib.asynccontextmanager
async def metered_loop() -> AsyncIterator[LoopMeter]:
    """Measure the running loop until the context ends."""
    with young_heap():
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


@contextlib.contextmanager
def beside(running: Callable[[], AbstractAsyncContextManager[Value]]) -> Iterator[Value]:
    """What `running` gives, kept running by a loop in another thread: its steps are not those of this one."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    manager = running()
    try:
        yield asyncio.run_coroutine_threadsafe(manager.__aenter__(), loop).result(60)
        asyncio.run_coroutine_threadsafe(manager.__aexit__(None, None, None), loop).result(60)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(60)
        loop.close()

"""How long steps of an event loop take, and a second loop in a thread for what is not to be measured."""

import asyncio
import gc
import threading
import time
from asyncio.events import Handle
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from typing import TypeVar
from unittest.mock import patch

Value = TypeVar("Value")


@dataclass
class Steps:
    """The longest step so far, in seconds of this thread's processor time, and what it did."""

    longest_s: float = 0.0
    longest: str = ""


@contextmanager
def measured_steps() -> Iterator[Steps]:
    """Measures every step of loops that run in this thread. A step that waits for the processor is not longer for it."""
    steps, here, run = Steps(), threading.get_ident(), Handle._run

    def measured(handle: Handle) -> None:
        started_s = time.thread_time()
        # Before: a callback that has run may hold nothing that names it.
        name = repr(handle) if threading.get_ident() == here else ""
        started_s = time.thread_time()
        run(handle)
        took_s = time.thread_time() - started_s
        if name and took_s > steps.longest_s:
            steps.longest_s, steps.longest = took_s, name

    # The heap of a whole test run takes a tenth of a second to go through, and is none of the measured work's.
    gc.disable()
    try:
        with patch.object(Handle, "_run", measured):
            yield steps
    finally:
        gc.enable()


@contextmanager
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

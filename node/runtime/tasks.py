"""Background tasks of a component, and work in threads that callers wait for."""

import asyncio
import contextlib
import contextvars
from collections.abc import Callable, Coroutine
from typing import Final, TypeVar

import structlog

RESTART_AFTER_S: Final = 1.0
"""Pause before failed work is restarted."""

Result = TypeVar("Result")

_log = structlog.get_logger(__name__)


class TaskSet:
    """Holds a component's background tasks, logs their failures and stops them together.

    asyncio keeps only weak references to tasks, so a task without a reference may vanish before it
    ends. `component` names the owner in the log. Only types of errors are logged, no texts.
    """

    def __init__(self, component: str) -> None:
        self._component = component
        self._tasks: set[asyncio.Task[object]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, work: Coroutine[None, None, object]) -> None:
        """Runs `work` to its end and logs its failure."""
        self._hold(asyncio.create_task(work))

    def begin(self, work: Coroutine[None, None, Result]) -> "asyncio.Task[Result]":
        """Runs `work` as `start` does, and returns its task."""
        task = asyncio.create_task(work)
        self._hold(task)
        return task

    async def complete(self, work: Coroutine[None, None, Result]) -> Result:
        """Runs `work` to its end even if the caller is cancelled. Raises its failure unlogged."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._completed)
        # `shield` cancels only the wait. This set keeps the task after the caller is gone.
        return await asyncio.shield(task)

    def keep(self, work: Callable[[], Coroutine[None, None, None]]) -> None:
        """Runs endless `work` until `stop`, and restarts it when it fails."""
        self.start(self._restarting(work))

    async def drain(self) -> None:
        """Waits for the running tasks, and for those that they start."""
        # Repeated, since a task may start another one while it ends.
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def finish(self, timeout_s: float) -> None:
        """Gives the running tasks `timeout_s` seconds to end, then stops them."""
        # `wait` cancels nothing at its time-out. `stop` cancels the tasks and waits for their end.
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=timeout_s)
        await self.stop()

    def cancel(self) -> None:
        """Cancels the running tasks without waiting for them."""
        for task in self._tasks:
            task.cancel()

    async def stop(self) -> None:
        """Cancels the running tasks and waits for them."""
        self.cancel()
        await self.drain()

    def _hold(self, task: asyncio.Task[object]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("background_task_failed", component=self._component, error=type(error).__name__)

    def _completed(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # marks it retrieved, or asyncio would log it if the caller is gone

    async def _restarting(self, work: Callable[[], Coroutine[None, None, None]]) -> None:
        while True:
            try:
                await work()
            except Exception as error:  # noqa: BLE001 - the work must continue after any failure
                _log.error("background_task_restarted", component=self._component, error=type(error).__name__)
            await asyncio.sleep(RESTART_AFTER_S)


async def in_thread(work: Callable[[], Result]) -> Result:
    """Do `work` in a thread. A caller that is cancelled goes on once the thread has ended.

    What the caller holds for the work (memory, a place, a share) is thereby held as long as the
    work takes. Work that no thread has begun by then is left out.
    """
    is_wanted = True

    def wanted_work() -> Result:
        if not is_wanted:
            raise asyncio.CancelledError
        return work()

    thread = asyncio.get_running_loop().run_in_executor(None, contextvars.copy_context().run, wanted_work)
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        is_wanted = False
        # A thread cannot be interrupted, so further cancellations wait as well.
        while not thread.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([thread])
        raise
    finally:
        # A failure refers to this frame, and the thread's future to the failure.
        del thread

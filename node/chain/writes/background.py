"""Tasks that outlive the call that started them, held and stopped in one place."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Final, TypeVar

import structlog

RESTART_AFTER_S: Final = 1.0
"""Before failed work is begun again."""

Result = TypeVar("Result")

_log = structlog.get_logger(__name__)


class Background:
    """Holds tasks so that none is lost and each failure is logged."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()

    def start(self, work: Coroutine[None, None, object]) -> None:
        """Run `work` to its end; what it raises is logged, by type alone since errors may quote data."""
        self._hold(asyncio.create_task(work))

    def begin(self, work: Coroutine[None, None, Result]) -> "asyncio.Task[Result]":
        """Run `work` as `start` does, and return its task."""
        task = asyncio.create_task(work)
        self._hold(task)
        return task

    def keep(self, work: Callable[[], Coroutine[None, None, None]]) -> None:
        """Run `work`, which has no end, until `stop`; restart it when it fails."""
        self.start(_kept(work))

    async def drain(self) -> None:
        """Wait for what is running."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def settle(self, timeout_s: float) -> None:
        """Give what is running so long to end, then stop it."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=timeout_s)
        await self.stop()

    async def stop(self) -> None:
        """Cancel what is running and wait for it."""
        for task in self._tasks:
            task.cancel()
        await self.drain()

    def _hold(self, task: asyncio.Task[object]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a background task of chain writes failed", error=type(error).__name__)


async def _kept(work: Callable[[], Coroutine[None, None, None]]) -> None:
    while True:
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - whatever it is, following writes must go on
            _log.error("a background task of chain writes begins again", error=type(error).__name__)
        await asyncio.sleep(RESTART_AFTER_S)

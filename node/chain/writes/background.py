"""Tasks that outlive the call that started them, held and stopped in one place."""

import asyncio
from collections.abc import Coroutine

import structlog

_log = structlog.get_logger(__name__)


class Background:
    """Holds tasks so that none is lost and each failure is logged."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()

    def start(self, work: Coroutine[None, None, object]) -> None:
        """Run `work` to its end; what it raises is logged, by type alone since errors may quote data."""
        task: asyncio.Task[object] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    async def drain(self) -> None:
        """Wait for what is running."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def stop(self) -> None:
        """Cancel what is running and wait for it."""
        for task in self._tasks:
            task.cancel()
        await self.drain()

    def _ended(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a background task of chain writes failed", error=type(error).__name__)

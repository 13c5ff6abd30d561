"""Work on the ledger that failed while its database was out, repeated until it succeeds."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final

from node.errors import DomainError
from node.runtime.tasks import TaskSet

RETRY_AFTER_S: Final = 1.0
"""Pause between two attempts."""


class LedgerRetries:
    """Pending work by key. Work that raises DomainError stays pending; doing it twice must change nothing.

    The callers bound how much there is: each adds work for a reservation that it holds, and while the database is out no
    new one is made. `pause` waits for so many seconds.
    """

    def __init__(self, pause: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._pause = pause
        self._pending: dict[str, Callable[[], Awaitable[object]]] = {}
        self._tasks = TaskSet("ledger_retries")
        self._is_repeating = False

    def add(self, key: str, work: Callable[[], Awaitable[object]]) -> None:
        """Repeat this work until it succeeds."""
        self._pending[key] = work
        if not self._is_repeating:
            self._is_repeating = True
            self._tasks.start(self._repeat())

    async def close(self) -> int:
        """Try once more, then give up. Returns how much work was given up."""
        await self._tasks.stop()
        await self._try_all()
        return len(self._pending)

    async def _repeat(self) -> None:
        try:
            while self._pending:
                await self._pause(RETRY_AFTER_S)
                await self._try_all()
        finally:
            # Not when the task is discarded, a moment later: work that is added in between would wait for nothing.
            self._is_repeating = False

    async def _try_all(self) -> None:
        """Stop at the first failure: while the database is out, each attempt waits for it as long as it may."""
        with contextlib.suppress(DomainError):
            for key, work in list(self._pending.items()):
                await work()
                del self._pending[key]

"""Work on the ledger that failed while its database was out, repeated until it succeeds."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from node.errors import DomainError
from node.runtime.tasks import TaskSet

RETRY_AFTER_S: Final = 1.0
"""Pause between two attempts."""
CLOSING_ATTEMPTS: Final = 6
"""Attempts of a node that stops. Each waits for the ledger's patience: some 20 seconds together, of the 30 or more that an
orchestrator gives a container to stop."""


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
        """Try some more times, for an outage that ends while the node stops. Returns how much work was given up."""
        await self._tasks.stop()
        for _ in range(CLOSING_ATTEMPTS - 1):
            await self._try_all()
            if not self._pending:
                break
            await self._pause(RETRY_AFTER_S)
        else:
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
        """Stop at the first outage: while the database is out, each attempt waits for it as long as it may."""
        for key, work in list(self._pending.items()):
            try:
                await work()
            except DomainError as error:
                if error.retry_after_s is not None:
                    return
                # Refused for a reason of its own: the settlements behind it must not wait for it.
                continue
            del self._pending[key]

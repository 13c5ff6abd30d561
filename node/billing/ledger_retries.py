"""Work on the ledger that failed while its database was out, repeated until it succeeds."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final

from node.errors import NodeError

RETRY_AFTER_S: Final = 1.0


class LedgerRetries:
    """Pending work by key. Work that raises NodeError stays pending; doing it twice must change nothing.

    The callers bound how much there is: each adds work for a reservation that it holds, and while the database is out no
    new one is made. `pause` waits for so many seconds.
    """

    def __init__(self, pause: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._pause = pause
        self._pending: dict[str, Callable[[], Awaitable[object]]] = {}
        self._repeating: asyncio.Task[None] | None = None

    def add(self, key: str, work: Callable[[], Awaitable[object]]) -> None:
        """Repeat this work until it succeeds."""
        self._pending[key] = work
        if self._repeating is None:
            self._repeating = asyncio.create_task(self._repeat())

    async def close(self) -> int:
        """Try once more, then give up. Returns how much work was given up."""
        if self._repeating is not None:
            self._repeating.cancel()
            await asyncio.wait([self._repeating])
        await self._try_all()
        return len(self._pending)

    async def _repeat(self) -> None:
        try:
            while self._pending:
                await self._pause(RETRY_AFTER_S)
                await self._try_all()
        finally:
            self._repeating = None

    async def _try_all(self) -> None:
        """Stops at the first failure: while the database is out, each attempt waits for it as long as it may."""
        with contextlib.suppress(NodeError):
            for key, work in list(self._pending.items()):
                await work()
                del self._pending[key]

"""Reservations of writes of which the journal could not tell whether it has them: it is asked again until it can."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final

from node.errors import NodeError

ASK_AGAIN_AFTER_S: Final = 1.0


class Doubts:
    """Write ids whose reservations stay until `is_journaled` tells of them; `release` gives back what never was journaled.

    What was journaled is ended by whoever follows it. `pause` waits for so many seconds.
    """

    def __init__(
        self,
        is_journaled: Callable[[str], Awaitable[bool]],
        release: Callable[[str], Awaitable[None]],
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._is_journaled = is_journaled
        self._release = release
        self._pause = pause
        self._write_ids: dict[str, None] = {}
        self._asking: asyncio.Task[None] | None = None

    def add(self, write_id: str) -> None:
        """Ask about this write until it is known."""
        self._write_ids[write_id] = None
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask())

    async def close(self) -> None:
        """Ask no more: reservations of this life end with it, and its next one takes up what was journaled."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait([self._asking])

    async def _ask(self) -> None:
        try:
            while self._write_ids:
                await self._pause(ASK_AGAIN_AFTER_S)
                with contextlib.suppress(NodeError):
                    for write_id in list(self._write_ids):
                        await self._settle(write_id)
        finally:
            self._asking = None

    async def _settle(self, write_id: str) -> None:
        if not await self._is_journaled(write_id):
            await self._release(write_id)
        del self._write_ids[write_id]

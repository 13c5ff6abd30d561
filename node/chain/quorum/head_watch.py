"""Waiting for the chain to come to a block: one look at it serves everybody who waits."""

import asyncio
import contextlib

from node.chain.port import Head
from node.chain.quorum.limits import QuorumLimits
from node.chain.quorum.reader import QuorumReader
from node.chain.quorum.refusals import not_reached
from node.chain.read_meter import count_reads, metered
from node.errors import NodeError


class HeadWatch:
    """Waits for agreed heads. `timeout_s` is how long a caller waits, in seconds."""

    def __init__(self, quorum: QuorumReader, timeout_s: float, limits: QuorumLimits | None = None) -> None:
        self._quorum = quorum
        self._timeout_s = timeout_s
        self._poll_s = (limits or QuorumLimits()).chain_head_poll_s
        self._wanted: dict[asyncio.Future[Head], int] = {}
        self._news = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None
        self._looks = 0
        quorum.on_news(self._news.set)
        quorum.on_head(self._came)

    async def reach(self, number: int) -> Head:
        """An agreed head of that number or a later one. No read that begins afterwards is of an earlier block.

        The looks that are made meanwhile count as reads of each request that waits. Raises NodeError `chain_unavailable`
        with `details` {"min_block", "block_number"} when it does not come in time.
        """
        head = self._quorum.head
        if head is not None and head.number >= number:
            return head
        count_reads()
        looks_before = self._looks
        waiter: asyncio.Future[Head] = asyncio.get_running_loop().create_future()
        self._wanted[waiter] = number
        if self._looking is None:
            with metered(None):  # it is for all who wait, whoever came first
                self._looking = asyncio.create_task(self._look())
        try:
            async with asyncio.timeout(self._timeout_s):
                return await waiter
        except TimeoutError:
            seen = self._quorum.head
            raise not_reached(number, 0 if seen is None else seen.number) from None
        finally:
            await self._leave(waiter)
            count_reads(max(0, self._looks - looks_before - 1))

    async def _leave(self, waiter: "asyncio.Future[Head]") -> None:
        """Who leaves last stops the looking, and has waited for its end."""
        del self._wanted[waiter]
        if self._wanted or self._looking is None:
            return
        looking, self._looking = self._looking, None
        looking.cancel()
        (ended,) = await asyncio.gather(looking, return_exceptions=True)
        if isinstance(ended, Exception):
            raise ended

    async def _look(self) -> None:
        while True:
            self._news.clear()
            self._looks += 1
            with contextlib.suppress(NodeError):
                await self._quorum.look()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._poll_s):
                    await self._news.wait()

    def _came(self, head: Head) -> None:
        for waiter, number in self._wanted.items():
            if head.number >= number and not waiter.done():
                waiter.set_result(head)

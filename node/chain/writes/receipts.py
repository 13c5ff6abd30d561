"""Watches for the receipts of everything unfinished: one batched look, more seldom the longer it has taken."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from node.chain.rpc import JsonRpc, RpcCall, RpcError
from node.chain.writes.lane import Lane, Lanes
from node.chain.writes.limits import WriteLimits
from node.chain.writes.model import OpenWrite
from node.chain.writes.sending import OnReceipt

WAITED_PER_POLL: Final = 12
"""The pause is this fraction of the time waited, so that looking late costs at most some eight per cent, at any block time."""

BATCH_MAX: Final = 90
"""Looks in one exchange; hosted endpoints limit batches to about a hundred calls."""


class ReceiptWatch:
    """Looks until every open write has its receipt; `on_receipt` is given each."""

    def __init__(
        self, rpc: JsonRpc, lanes: Lanes, limits: WriteLimits, clock: Callable[[], float], on_receipt: OnReceipt
    ) -> None:
        self._rpc = rpc
        self._lanes = lanes
        self._limits = limits
        self._clock = clock
        self._on_receipt = on_receipt
        self._wanted = asyncio.Event()

    def want(self) -> None:
        """There is something new to look for: look soon."""
        self._wanted.set()

    async def run(self) -> None:
        """Look for ever; cancelled at the end of the process."""
        while True:
            self._wanted.clear()
            waiting = [(lane, write) for lane, write in self._lanes.open_writes() if not write.concluding]
            if not waiting:
                await self._wanted.wait()
                continue
            await self._pause(waiting)
            await self.look([(lane, write) for lane, write in waiting if not write.ended.done()])

    async def look(self, writes: Sequence[tuple[Lane, OpenWrite]]) -> None:
        """One look for all attempts of these writes. An endpoint that does not answer is nothing: the next look comes."""
        wanted = [(lane, write, attempt.hash) for lane, write in writes for attempt in write.attempts]
        for start in range(0, len(wanted), BATCH_MAX):
            chunk = wanted[start : start + BATCH_MAX]
            try:
                outcomes = await self._rpc.batch([RpcCall("eth_getTransactionReceipt", [each[2]]) for each in chunk])
            except RpcError:
                return
            for (lane, write, _), receipt in zip(chunk, outcomes, strict=True):
                if isinstance(receipt, dict):
                    self._on_receipt(lane, write, receipt)

    async def _pause(self, waiting: Sequence[tuple[Lane, OpenWrite]]) -> None:
        now = self._clock()
        youngest = min(now - write.polled_from for _, write in waiting)
        pause = min(max(youngest / WAITED_PER_POLL, self._limits.poll_min_s), self._limits.poll_max_s)
        try:
            async with asyncio.timeout(pause):
                await self._wanted.wait()
        except TimeoutError:
            return
        await asyncio.sleep(self._limits.poll_min_s)

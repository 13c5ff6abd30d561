"""Watches for the receipts of everything unfinished: one batched look, more seldom the longer receipts take."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Final

from node.chain.quorum.client import QuorumClient
from node.chain.rpc import Endpoint, RpcCall, RpcError, answers, parse_quantity
from node.chain.writes.lane import Lane, Lanes
from node.chain.writes.limits import WriteLimits
from node.chain.writes.model import OpenWrite
from node.chain.writes.sending import OnReceipt
from node.chain.writes.sightings import Receipt

WAITED_PER_POLL: Final = 12
"""The pause is this fraction of the time waited, so that looking late costs at most some eight per cent, at any block time."""

DIRECT_MAX: Final = 10
"""With more unfinished writes than this their receipts are asked for only once there is a new block."""

BATCH_MAX: Final = 90
"""Looks in one exchange; hosted endpoints limit batches to about a hundred calls."""

Waiting = Sequence[tuple[Lane, OpenWrite]]


class ReceiptWatch:
    """Looks until every open write has a receipt that a quorum has seen; `on_receipt` is given each."""

    def __init__(
        self,
        witnesses: QuorumClient,
        lanes: Lanes,
        limits: WriteLimits,
        clock: Callable[[], float],
        on_receipt: OnReceipt,
    ) -> None:
        self._witnesses = witnesses
        self._lanes = lanes
        self._limits = limits
        self._clock = clock
        self._on_receipt = on_receipt
        self._wanted = asyncio.Event()
        self._usual_s = 0.0
        self._looked_blocks: Sequence[int] = ()
        self._looked_at = float("-inf")

    def want(self) -> None:
        """There is something new to look for: look soon."""
        self._wanted.set()

    async def run(self) -> None:
        """Look for ever; cancelled at the end of the process."""
        while True:
            self._wanted.clear()
            if not self._waiting():
                await self._wanted.wait()
            await self._pause()
            if len(self._waiting()) <= DIRECT_MAX or await self._is_due():
                waiting = self._waiting()  # only now: what was sent before the block was seen may be in it
                await self.look(waiting)
                self._learn([write for _, write in waiting if write.concluding])

    async def look(self, writes: Waiting) -> None:
        """One look for all attempts of these writes. Endpoints that do not answer are nothing: the next look comes.

        Receipts are given in the order of the chain, and none before those of writes that were mined earlier: one
        that was mined while the others were asked for is asked for again.
        """
        found = await self._receipts(writes)
        if found:
            seen = [write for _, write, _ in found]
            found += await self._receipts([each for each in self._waiting() if each[1] not in seen])
        for lane, write, receipt in sorted(found, key=lambda each: _place(each[2])):
            self._on_receipt(lane, write, receipt)

    async def _receipts(self, writes: Waiting) -> list[tuple[Lane, OpenWrite, Receipt]]:
        wanted = [(write, attempt.hash) for _, write in writes for attempt in write.attempts]
        with contextlib.suppress(RpcError):
            for start in range(0, len(wanted), BATCH_MAX):
                await self._ask(wanted[start : start + BATCH_MAX])
        believed = [(lane, write, write.sightings.believed(self._witnesses.quorum)) for lane, write in writes]
        return [(lane, write, receipt) for lane, write, receipt in believed if receipt is not None]

    async def _ask(self, wanted: Sequence[tuple[OpenWrite, str]]) -> None:
        """Have the endpoints' sightings noted, until a quorum says the same of each. Raises RpcError."""
        calls = [RpcCall("eth_getTransactionReceipt", [attempt_hash]) for _, attempt_hash in wanted]

        async def question(endpoint: Endpoint, timeout_s: float) -> Endpoint:
            outcomes = await endpoint.send(calls, timeout_s)
            for (write, attempt_hash), outcome in zip(wanted, outcomes, strict=True):
                write.sightings.note(endpoint, attempt_hash, outcome)
            return endpoint

        def is_settled(asked: Sequence[Endpoint]) -> bool:
            quorum = self._witnesses.quorum
            return all(write.sightings.is_settled(attempt_hash, asked, quorum) for write, attempt_hash in wanted)

        await self._witnesses.ask(question, is_settled)

    def _waiting(self) -> Waiting:
        return [(lane, write) for lane, write in self._lanes.open_writes() if not write.concluding]

    async def _is_due(self) -> bool:
        """Whether there is a block nobody has looked at; now and then in any case, for one replaced at its height."""

        async def question(endpoint: Endpoint, timeout_s: float) -> int:
            return answers.quantity(*await endpoint.send([RpcCall("eth_blockNumber")], timeout_s))

        try:
            blocks = sorted(await self._witnesses.ask(question, lambda _: True))
        except RpcError:
            return False
        if blocks == self._looked_blocks and self._clock() - self._looked_at < self._limits.poll_max_s:
            return False
        self._looked_blocks, self._looked_at = blocks, self._clock()
        return True

    def _learn(self, ended: Sequence[OpenWrite]) -> None:
        """How long receipts take here, so that new writes on a slow chain do not make it look all the time."""
        now = self._clock()
        for write in ended:
            self._usual_s += (now - write.polled_from - self._usual_s) / 8

    async def _pause(self) -> None:
        """A fraction of the time waited so far or, where that is longer, usual here."""
        now = self._clock()
        youngest = min((now - write.polled_from for _, write in self._waiting()), default=0.0)
        pause_s = max(youngest, self._usual_s / 2) / WAITED_PER_POLL
        await asyncio.sleep(min(max(pause_s, self._limits.poll_min_s), self._limits.poll_max_s))


def _place(receipt: Receipt) -> tuple[int, int]:
    """Block and place in it; what cannot be read comes first, and is refused by whoever reads the receipt."""
    block, index = parse_quantity(receipt.get("blockNumber")), parse_quantity(receipt.get("transactionIndex"))
    return (block or 0, index or 0)

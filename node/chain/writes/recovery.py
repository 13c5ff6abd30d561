"""Recovers from lost blocks: sends the same bytes again, in the order in which they were mined.

A local chain that is killed forgets its last second, and other chains reorganise. Both show in a payer's transaction
count below a nonce that this process has seen used. Finished writes are kept long enough to be sent again.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import structlog

from node.chain.rpc import RpcCall
from node.chain.writes.journal import block_position
from node.chain.writes.model import Failed, Fees, JournaledWrite, OpenWrite, Outcome
from node.chain.writes.payer_accounts import PayerAccount
from node.chain.writes.simulation import bump, capped
from node.chain.writes.transactor import Transactor

IN_ORDER_WAIT_S: Final = 0.05
"""Far longer than a chain that mines at once takes for one transaction."""

RECOVERY_WAIT_S: Final = 10.0
"""Longest wait of a start, or a restore, for the writes it sent again: most chains mine within it."""

FILLERS_MAX: Final = 1000
"""Nonces filled after a chain lost blocks. More are missing only where the chain is another one than before."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class HeadNonces:
    """Number of the head and each payer's next nonce there.

    `counts`: a quorum counts at least so many. `counts_at_most`: a quorum counts no more. They differ only where
    providers contradict each other and too few of them answer to outvote one. `expected`: the lowest count that agrees
    with what this process had seen before it asked.
    """

    number: int
    counts: Mapping[str, int]
    counts_at_most: Mapping[str, int]
    expected: Mapping[str, int]

    @property
    def is_behind(self) -> bool:
        """Whether a quorum shows less than this process had seen on the chain before it asked."""
        return any(self.counts_at_most[address] < nonce for address, nonce in self.expected.items())


@dataclass(frozen=True, slots=True)
class _LostWrite:
    """Write that the chain has lost. `position`: its block and index there, never before the payer's earlier writes."""

    payer: PayerAccount
    row: JournaledWrite
    position: tuple[int, int]


class ReorgRecovery:
    """Finds the transactions that the chain has lost, and sends them again."""

    def __init__(self, transactor: Transactor) -> None:
        self._transactor = transactor
        self._chain = transactor.chain
        self._payers = transactor.payers
        self._settings = transactor.settings
        self._clock = transactor.clock
        self._one_at_a_time = asyncio.Lock()

    async def head(self) -> HeadNonces:
        """Read all counts at once. Raises RpcRefusedError or RpcUnavailableError."""
        expected = {payer.address: payer.settled_nonce for payer in self._payers}
        calls = [RpcCall("eth_getTransactionCount", [address, "latest"]) for address in expected]
        client = self._chain.client
        # The number comes first in the batch: the counts are of that block or a later one.
        numbers, *said = await client.numbers([RpcCall("eth_blockNumber"), *calls])
        counts = dict(zip(expected, map(client.at_least, said), strict=True))
        at_most = dict(zip(expected, map(client.at_most, said), strict=True))
        return HeadNonces(client.at_least(numbers), counts, at_most, expected)

    async def restore(self) -> HeadNonces:
        """Send lost writes again and wait for them, up to `RECOVERY_WAIT_S`. Does nothing when nothing is lost.

        Once no write is missing, the block floor of reads returns to the head, even to one lower than before.
        Raises RpcRefusedError or RpcUnavailableError.
        """
        # Two recoveries at once would send the lost writes in two orders.
        async with self._one_at_a_time:
            head = await self.head()
            if head.is_behind:
                deadline = self._clock.monotonic() + RECOVERY_WAIT_S
                blocks = await self._lost_blocks(head)
                self._announce_reorg(blocks)
                for block in blocks:
                    await self._send_block(block, deadline)
                head = await self.head()
            # While a write is missing the floor stays: a read below it would not show what a client was answered.
            if all(head.counts.get(payer.address, 0) >= payer.settled_nonce for payer in self._payers):
                self._chain.floor.rewind_to(head.number)
            return head

    async def _lost_blocks(self, head: HeadNonces) -> Sequence[Sequence[_LostWrite]]:
        lost: list[_LostWrite] = []
        for payer in list(self._payers):
            if payer.address in head.expected:
                nonces = range(head.counts_at_most[payer.address], head.expected[payer.address])
                lost += await self._lost_writes(payer, nonces)
        if lost:
            _log.warning("the chain has lost transactions; they are sent again", count=len(lost))
        ordered = sorted(lost, key=lambda each: (each.position, each.row.nonce))
        return [list(block) for _, block in groupby(ordered, key=lambda each: each.position[0])]

    def _announce_reorg(self, blocks: Sequence[Sequence[_LostWrite]]) -> None:
        """Invalidate what was read since the first of these blocks: it may depend on what is lost."""
        numbers = [block[0].position[0] for block in blocks]
        if (first := min(filter(None, numbers), default=None)) is not None:
            self._chain.news.reorganised(first - 1)

    async def _lost_writes(self, payer: PayerAccount, nonces: range) -> Sequence[_LostWrite]:
        """Return the payer's writes at the lost nonces."""
        if not nonces:
            return []
        rows = {row.nonce: row for row in await self._transactor.journal.from_nonce(payer.address, nonces.start)}
        rows.update(await self._fill_gaps(payer, [nonce for nonce in nonces if nonce not in rows]))
        position, lost = (0, 0), []
        for nonce in nonces:
            if (row := rows.get(nonce)) is not None:
                # A filler has no block: it goes with the write before it, so each payer's nonce order holds.
                position = max(position, block_position(row))
                lost.append(_LostWrite(payer, row, position))
        return lost

    async def _fill_gaps(self, payer: PayerAccount, gaps: Sequence[int]) -> Mapping[int, JournaledWrite]:
        if not gaps:
            return {}
        if len(gaps) > FILLERS_MAX or payer.key is None:
            _log.error(
                "the chain lacks more of a payer's transactions than are kept", payer=payer.address, gaps=len(gaps)
            )
            return {}
        return await self._transactor.fill(payer, gaps, await self._offer())

    async def _send_block(self, block: Sequence[_LostWrite], deadline: float) -> None:
        """Send in the order they were mined, since results (the id of a new group) depend on it.

        A chain that mines at once gets time to mine each before the next. Any other orders the block as before, since
        the offers and their order of arrival are the same.
        """
        ends: list[asyncio.Future[Outcome]] = []
        for each in block:
            write = await self._reopened(each)
            await self._transactor.sender.send([(each.payer, write)])
            self._transactor.receipts.wake()
            await asyncio.wait([write.ended], timeout=IN_ORDER_WAIT_S)
            ends.append(write.ended)
        await asyncio.wait(ends, timeout=max(0.0, deadline - self._clock.monotonic()))

    async def _reopened(self, lost: _LostWrite) -> OpenWrite:
        """Track it again. A write that had failed must not succeed now: an empty transaction fills its nonce."""
        row, payer = lost.row, lost.payer
        if (tracked := payer.open.get(row.nonce)) is not None:
            return tracked
        write = OpenWrite.of(row, self._clock.monotonic())
        # The client was answered that it failed and may have repeated it.
        if isinstance(row.outcome, Failed) and not write.latest.cancels and payer.key is not None:
            earlier = write.latest.fees
            fees = bump(earlier, await self._offer(), self._settings) or capped(earlier, self._settings)
            await self._transactor.replace(payer, write, fees, cancels=True)
        payer.track(write)
        return write

    async def _offer(self) -> Fees:
        highest = Fees(self._settings.fee_max_fee_cap_wei, self._settings.fee_priority_fee_min_wei)
        return await self._transactor.simulator.current_offer() or highest

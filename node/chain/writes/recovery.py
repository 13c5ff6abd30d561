"""Recovers from lost blocks: sends the same bytes again, in the order in which they were mined.

A local chain that is killed forgets its last second; other chains reorganise. A payer's transaction count below what
this process has seen used shows it. Finished writes are kept long enough to be sent again.
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

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class HeadNonces:
    """The head's number, each payer's next nonce there, and the lowest it may be by what was known when it was asked.

    `counts`: a quorum counts at least so many. `counts_at_most`: a quorum counts no more. They differ only where
    providers contradict each other and too few of them answer to outvote one.
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
    """`position`: block and place in the block, never before those of the payer's earlier writes."""

    payer: PayerAccount
    row: JournaledWrite
    position: tuple[int, int]


class ReorgRecovery:
    """Finds the transactions that the chain has lost, and sends them again."""

    def __init__(self, transactor: Transactor) -> None:
        self._transactor = transactor
        self._chain = transactor.chain
        self._payers = transactor.payers
        self._limits = transactor.limits
        self._clock = transactor.clock
        self._one_at_a_time = asyncio.Lock()

    async def head(self) -> HeadNonces:
        """Read all counts at once. Raises RpcRefusedError or RpcUnavailableError."""
        expected = {payer.address: payer.settled_nonce for payer in self._payers}
        calls = [RpcCall("eth_getTransactionCount", [address, "latest"]) for address in expected]
        witnesses = self._chain.witnesses
        # The number is asked first: the counts are of that block or a later one.
        numbers, *said = await witnesses.numbers([RpcCall("eth_blockNumber"), *calls])
        counts = dict(zip(expected, map(witnesses.at_least, said), strict=True))
        at_most = dict(zip(expected, map(witnesses.at_most, said), strict=True))
        return HeadNonces(witnesses.at_least(numbers), counts, at_most, expected)

    async def restore(self) -> HeadNonces:
        """Send again what is lost and wait for it, up to `recovery_wait_s`; nothing when nothing is lost.

        When everything is there again (as when it always was), the block floor of reads returns to the head, though that
        be lower than it was. Raises RpcRefusedError or RpcUnavailableError.
        """
        async with self._one_at_a_time:
            head = await self.head()
            if head.is_behind:
                deadline = self._clock() + self._limits.recovery_wait_s
                blocks = await self._lost_blocks(head)
                self._announce_reorg(blocks)
                for block in blocks:
                    await self._send_block(block, deadline)
                head = await self.head()
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
                position = max(position, block_position(row))
                lost.append(_LostWrite(payer, row, position))
        return lost

    async def _fill_gaps(self, payer: PayerAccount, gaps: Sequence[int]) -> Mapping[int, JournaledWrite]:
        if not gaps:
            return {}
        if len(gaps) > self._limits.fillers_max or payer.key is None:
            _log.error(
                "the chain lacks more of a payer's transactions than are kept", payer=payer.address, gaps=len(gaps)
            )
            return {}
        return await self._transactor.fill(payer, gaps, await self._offer())

    async def _send_block(self, block: Sequence[_LostWrite], deadline: float) -> None:
        """Send in the order they had: what was answered (the id of a new group) depends on it.

        A chain that mines at once is given time to mine each before the next; another one orders the block as before,
        having the same offers in the same order of arrival.
        """
        ends: list[asyncio.Future[Outcome]] = []
        for each in block:
            write = await self._reopened(each)
            await self._transactor.sender.send([(each.payer, write)])
            self._transactor.receipts.wake()
            await asyncio.wait([write.ended], timeout=IN_ORDER_WAIT_S)
            ends.append(write.ended)
        await asyncio.wait(ends, timeout=max(0.0, deadline - self._clock()))

    async def _reopened(self, lost: _LostWrite) -> OpenWrite:
        """Track it again. What had failed must not succeed now: its nonce is filled by an empty transaction."""
        row, payer = lost.row, lost.payer
        if (tracked := payer.open.get(row.nonce)) is not None:
            return tracked
        write = OpenWrite.of(row, self._clock())
        if isinstance(row.outcome, Failed) and not write.latest.cancels and payer.key is not None:
            limits, earlier = self._limits.fees, write.latest.fees
            fees = bump(earlier, await self._offer(), limits) or capped(earlier, limits)
            await self._transactor.replace(payer, write, fees, cancels=True)
        payer.track(write)
        return write

    async def _offer(self) -> Fees:
        limits = self._limits.fees
        highest = Fees(limits.max_fee_cap_wei, limits.priority_fee_min_wei)
        return await self._transactor.simulator.current_offer() or highest

"""Puts back what the chain has lost: the same bytes again, in the order they were mined in.

A local chain that is killed forgets its last second; others reorganise. Every payer's count of transactions tells:
below what this process knows to be used, blocks are gone. Finished writes are kept long enough to be sent again.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import structlog

from node.chain.block_floor import BlockFloor
from node.chain.port import ChainNews
from node.chain.quorum.client import QuorumClient
from node.chain.rpc import RpcCall
from node.chain.writes.envelope import empty_transaction, sign_attempt
from node.chain.writes.fees import bump, capped
from node.chain.writes.journal import Journal, place_of
from node.chain.writes.lane import Lane, Lanes
from node.chain.writes.limits import WriteLimits
from node.chain.writes.model import Attempt, Draft, Failed, Fees, JournaledWrite, OpenWrite, Outcome, Purpose
from node.chain.writes.preflight import Preflight
from node.chain.writes.receipts import ReceiptWatch
from node.chain.writes.sending import Sender

IN_ORDER_WAIT_S: Final = 0.05
"""Far longer than a chain that mines at once takes for one transaction."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PayersAtHead:
    """The head's number, each payer's next nonce there, and what that had to be at least when it was asked.

    `counts`: a quorum counts at least so many. `counts_at_most`: a quorum counts no more. They differ only where
    endpoints contradict each other and too few of them answer to outvote one.
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
class _Lost:
    """`place`: block and place in the block, never before those of its predecessor in the lane."""

    lane: Lane
    row: JournaledWrite
    place: tuple[int, int]


class Restoration:
    """Finds what is lost and sends it again."""

    def __init__(
        self,
        witnesses: QuorumClient,
        journal: Journal,
        lanes: Lanes,
        preflight: Preflight,
        sender: Sender,
        watch: ReceiptWatch,
        floor: BlockFloor,
        news: ChainNews,
        limits: WriteLimits,
        chain_id: int,
        clock: Callable[[], float],
    ) -> None:
        self._witnesses = witnesses
        self._journal = journal
        self._lanes = lanes
        self._preflight = preflight
        self._sender = sender
        self._watch = watch
        self._floor = floor
        self._news = news
        self._limits = limits
        self._chain_id = chain_id
        self._clock = clock
        self._one_at_a_time = asyncio.Lock()

    async def head(self) -> PayersAtHead:
        """Ask for all counts at once. Raises RpcRefusedError or RpcUnavailableError."""
        expected = {lane.address: lane.settled_nonce for lane in self._lanes}
        calls = [RpcCall("eth_getTransactionCount", [address, "latest"]) for address in expected]
        # The number is asked first: the counts are of that block or a later one.
        numbers, *said = await self._witnesses.numbers([RpcCall("eth_blockNumber"), *calls])
        counts = dict(zip(expected, map(self._witnesses.at_least, said), strict=True))
        at_most = dict(zip(expected, map(self._witnesses.at_most, said), strict=True))
        return PayersAtHead(self._witnesses.at_least(numbers), counts, at_most, expected)

    async def restore(self) -> PayersAtHead:
        """Send again what is lost and wait for it, up to `recovery_wait_s`; nothing when nothing is lost.

        When everything is there again (as when it always was) reads may rely on the head once more, though it
        be lower than it was. Raises RpcRefusedError or RpcUnavailableError.
        """
        async with self._one_at_a_time:
            head = await self.head()
            if head.is_behind:
                deadline = self._clock() + self._limits.recovery_wait_s
                blocks = await self._lost_blocks(head)
                self._tell_lost(blocks)
                for block in blocks:
                    await self._send_block(block, deadline)
                head = await self.head()
            if all(head.counts.get(lane.address, 0) >= lane.settled_nonce for lane in self._lanes):
                self._floor.rewind_to(head.number)
            return head

    async def _lost_blocks(self, head: PayersAtHead) -> Sequence[Sequence[_Lost]]:
        lost: list[_Lost] = []
        for lane in list(self._lanes):
            if lane.address in head.expected:
                lost += await self._lost_of(lane, range(head.counts_at_most[lane.address], head.expected[lane.address]))
        if lost:
            _log.warning("the chain has lost transactions; they are sent again", count=len(lost))
        ordered = sorted(lost, key=lambda each: (each.place, each.row.nonce))
        return [list(block) for _, block in groupby(ordered, key=lambda each: each.place[0])]

    def _tell_lost(self, blocks: Sequence[Sequence[_Lost]]) -> None:
        """What was read since the first of these blocks may have rested on what is lost."""
        numbers = [block[0].place[0] for block in blocks]
        if (first := min(filter(None, numbers), default=None)) is not None:
            self._news.reorganised(first - 1)

    async def _lost_of(self, lane: Lane, nonces: range) -> Iterable[_Lost]:
        """The lane's writes at the lost nonces."""
        if not nonces:
            return []
        rows = {row.nonce: row for row in await self._journal.from_nonce(lane.address, nonces.start)}
        await self._fill_gaps(lane, nonces, rows)
        place, lost = (0, 0), []
        for nonce in nonces:
            if (row := rows.get(nonce)) is not None:
                place = max(place, place_of(row))
                lost.append(_Lost(lane, row, place))
        return lost

    async def _fill_gaps(self, lane: Lane, nonces: range, rows: dict[int, JournaledWrite]) -> None:
        gaps = [nonce for nonce in nonces if nonce not in rows]
        if not gaps:
            return
        if len(gaps) > self._limits.fillers_max or lane.key is None:
            _log.error(
                "the chain lacks more of a payer's transactions than are kept", payer=lane.address, gaps=len(gaps)
            )
            return
        fees = await self._offer()
        transaction = empty_transaction(lane.address)
        draft = Draft(lane.address, Purpose.FILLER, transaction, None, 0, self._clock())
        for nonce in gaps:
            rows[nonce] = await self._journal.fill(draft, nonce, lambda nonce: self._empty(lane, nonce, fees))

    async def _send_block(self, block: Sequence[_Lost], deadline: float) -> None:
        """In the order they had: what was answered (the id of a new group) depends on it.

        A chain that mines at once is given time to mine each before the next; another one orders the block as before,
        having the same offers in the same order of arrival.
        """
        ends: list[asyncio.Future[Outcome]] = []
        for each in block:
            write = await self._reopened(each)
            await self._sender.send([(each.lane, write)])
            self._watch.want()
            await asyncio.wait([write.ended], timeout=IN_ORDER_WAIT_S)
            ends.append(write.ended)
        await asyncio.wait(ends, timeout=max(0.0, deadline - self._clock()))

    async def _reopened(self, lost: _Lost) -> OpenWrite:
        """Followed again. What had failed must not succeed now: its nonce is filled by an empty transaction."""
        row = lost.row
        if (followed := lost.lane.open.get(row.nonce)) is not None:
            return followed
        write = open_write(row, self._clock())
        if isinstance(row.outcome, Failed) and not write.latest.cancels and lost.lane.key is not None:
            limits, earlier = self._limits.fees, write.latest.fees
            fees = bump(earlier, await self._offer(), limits) or capped(earlier, limits)
            attempt = self._empty(lost.lane, row.nonce, fees)
            await self._journal.add_attempt(row, attempt)
            write.renew(attempt)
        lost.lane.track(write)
        return write

    async def _offer(self) -> Fees:
        highest = self._limits.fees.max_fee_cap_wei
        return await self._preflight.price() or Fees(highest, self._limits.fees.priority_fee_min_wei)

    def _empty(self, lane: Lane, nonce: int, fees: Fees) -> Attempt:
        if lane.key is None:
            raise ValueError("a payer without its key signs nothing")
        transaction, now = empty_transaction(lane.address), self._clock()
        return sign_attempt(lane.key, self._chain_id, nonce, transaction, fees, cancels=True, now=now)


def open_write(row: JournaledWrite, now: float) -> OpenWrite:
    """A row being followed from now on."""
    ended = asyncio.get_running_loop().create_future()
    return OpenWrite(row, list(row.attempts), ended, told=row.told, sent_at=now, polled_from=now)

"""Everything that sends and follows transactions, put together; knows nothing of accounts."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from node.chain.abi import ContractAbi
from node.chain.block_floor import BlockFloor
from node.chain.port import ChainNews, WriteIntent, WriteObserver
from node.chain.quorum.client import QuorumClient
from node.chain.writes.background import Background
from node.chain.writes.conclusion import Conclusion, OutcomeReader
from node.chain.writes.envelope import sign_attempt
from node.chain.writes.events import EventDecoder
from node.chain.writes.follower import Follower
from node.chain.writes.journal import Journal
from node.chain.writes.lane import Lane, Lanes
from node.chain.writes.limits import TRANSACTION_GAS_MAX, WriteLimits
from node.chain.writes.model import Attempt, Draft, JournaledWrite, OpenWrite, Purpose
from node.chain.writes.preflight import Flight, Preflight
from node.chain.writes.receipts import ReceiptWatch
from node.chain.writes.restoration import Restoration, open_write
from node.chain.writes.sending import Sender
from node.chain.writes.steps import OnStep, WriteStep, no_one
from node.keyring.port import SigningKey


@dataclass(frozen=True, slots=True)
class Chain:
    """The chain as writes see it: endpoints, id, the contract with its ABI and events, and the floor of reads.

    `news` is told what this node's own writes change, before whoever asked for the write.
    """

    witnesses: QuorumClient
    chain_id: int
    contract: str
    abi: ContractAbi
    events: EventDecoder
    floor: BlockFloor
    news: ChainNews


class Transactor:
    """Signs, stores, sends and follows. `clock` gives unix seconds; `on_poor` is told that a payer lacks gas money.

    `conclusion.observer` is set by whoever starts it.
    """

    def __init__(
        self,
        chain: Chain,
        journal: Journal,
        lanes: Lanes,
        observer: WriteObserver,
        limits: WriteLimits,
        clock: Callable[[], float] = time.time,
        on_step: OnStep = no_one,
    ) -> None:
        self.chain = chain
        self.lanes = lanes
        self.journal = journal
        self.on_poor: Callable[[], None] = _nothing
        self._limits = limits
        self._clock = clock
        self._on_step = on_step
        reader = OutcomeReader(chain.witnesses, chain.abi, chain.events)
        self.conclusion = Conclusion(reader, journal, lanes, chain.floor, chain.news, observer, clock, on_step)
        self._preflight = Preflight(chain.witnesses, chain.floor, limits, clock)
        self._sender = Sender(chain.witnesses, clock, self.conclusion.by_receipt, self._poor, on_step)
        self._watch = ReceiptWatch(chain.witnesses, lanes, limits, clock, self.conclusion.by_receipt)
        shared = (chain.witnesses, journal, lanes, self._preflight, self._sender, self._watch)
        self._restoration = Restoration(*shared, chain.floor, chain.news, limits, chain.chain_id, clock)
        follow = (self.conclusion, self._restoration, limits, chain.chain_id, clock)
        self.follower = Follower(*shared, *follow)
        self._background = Background()
        journal.on_unsent = self._withdraw

    async def add_lane(self, address: str, key: SigningKey | None, *, shared: bool = False) -> Lane:
        """Take up a payer with everything the journal holds of it."""
        lane = Lane(address, key, await self.journal.take_up(address), shared=shared)
        for row in await self.journal.unfinished(address):
            lane.track(open_write(row, self._clock()))
        self.lanes.add(lane)
        return lane

    async def start(self) -> None:
        """Recover: put back what the chain lost, send every unfinished write again, and follow from then on.

        Returns when all of it has ended, or after `recovery_wait_s`. Raises RpcRefusedError, RpcUnavailableError, and
        NodeError when the journal is out.
        """
        self._background.keep(self._watch.run)
        try:
            await self._restoration.restore()
            unfinished = self.lanes.oldest_first()
            await self._sender.send(unfinished)
            self._watch.want()
            await _all_ended([write for _, write in unfinished], self._limits.recovery_wait_s)
            await self.conclusion.tell_untold()
            await self.follower.prune()
        except BaseException:
            await self.stop()
            raise
        self._background.keep(self.follower.run)

    async def stop(self) -> None:
        """Stop; what is unfinished is in the journal and is taken up at the next start."""
        await self._background.stop()
        await self._sender.stop()
        await self.conclusion.stop(self._limits.stop_timeout_s)

    async def preflight(
        self, lane: Lane, to: str, data: bytes, value: int = 0, gas_max: int = TRANSACTION_GAS_MAX
    ) -> Flight:
        """Simulate and price. A chain that has lost blocks is given them back first. Raises as Preflight.check."""
        expected, floor = lane.settled_nonce, self.chain.floor.value
        flight = await self._preflight.check(lane.address, to, data, value, gas_max)
        if flight.count_at_most < expected or flight.block_number < floor:
            await self._restoration.restore()
            flight = await self._preflight.check(lane.address, to, data, value, gas_max)
        lane.balance_wei = flight.balance_wei
        self._on_step(WriteStep.SIMULATED)
        return flight

    async def launch(self, lane: Lane, flight: Flight, purpose: Purpose, intent: WriteIntent | None) -> OpenWrite:
        """Sign, store, and have it sent; never to be cancelled.

        Raises DuplicateWriteError, and NodeError when it could not be stored: nothing is sent then.
        """
        key = lane.key
        if key is None:
            raise ValueError("a payer without its key signs nothing")
        now = self._clock()

        def sign(nonce: int) -> Attempt:
            what = (key, self.chain.chain_id, nonce, flight.transaction, flight.fees)
            attempt = sign_attempt(*what, cancels=False, now=now)
            self._on_step(WriteStep.SIGNED)
            return attempt

        draft = Draft(lane.address, purpose, flight.transaction, intent, flight.count, now)
        row = await self.journal.append(draft, sign)
        write = open_write(row, now)
        lane.track(write)  # first of all: whatever fails from here on, what is stored is followed to its end
        self._on_step(WriteStep.STORED)
        self._sender.push(lane, write)
        self._watch.want()
        return write

    def _withdraw(self, row: JournaledWrite) -> None:
        """Its nonce is taken, and is for the follower to fill: nothing was sent, as its caller was told."""
        if (lane := self.lanes.of(row.payer)) is not None:
            write = open_write(row, self._clock())
            write.withdrawn = True
            lane.track(write)

    def _poor(self) -> None:
        self.on_poor()


async def _all_ended(writes: Sequence[OpenWrite], timeout_s: float) -> None:
    if writes:
        await asyncio.wait([write.ended for write in writes], timeout=timeout_s)


def _nothing() -> None:
    """Told of nothing."""

"""Puts the room together: one object to construct, one context to run it in."""

import contextlib
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from node.chain.port import WriteIntent, WriteObserver, WriteResult
from node.chain.rpc import RpcError, chain_unavailable
from node.chain.writes.journal import Journal
from node.chain.writes.lane import Lanes
from node.chain.writes.limits import PayerLimits, WriteLimits
from node.chain.writes.payers import PayerPool
from node.chain.writes.records import SealedElsewhereError
from node.chain.writes.steps import OnStep, no_one
from node.chain.writes.transactor import Chain, Transactor
from node.chain.writes.upkeep import PayerReads
from node.chain.writes.writer import AccountWriter
from node.errors import StartupRefusedError
from node.keyring.port import Keyring
from node.ledger.books import Books


@dataclass(frozen=True, slots=True)
class WritesWiring:
    """What the room needs of others. `instance` names this instance: its payers follow from it (see `instance.py`).

    `books` keep the journal; other instances may keep theirs there too.
    """

    chain: Chain
    books: Books
    keyring: Keyring
    reads: PayerReads
    instance: str


class ObserverSlot:
    """Holds the observer once there is one: it is usually made of the writer itself."""

    observer: WriteObserver | None = None

    async def write_ended(self, intent: WriteIntent, result: WriteResult | None) -> None:
        """Pass on to the observer. Raises RuntimeError without one: the journal then tells again later."""
        if self.observer is None:
            raise RuntimeError("There is no observer of writes yet.")
        await self.observer.write_ended(intent, result)

    async def write_taken_up(self, intent: WriteIntent) -> None:
        """Pass on to the observer, if there is one."""
        if self.observer is not None:
            await self.observer.write_taken_up(intent)

    async def write_reverted(self, intent: WriteIntent) -> None:
        """Pass on to the observer, if there is one."""
        if self.observer is not None:
            await self.observer.write_reverted(intent)

    async def offer_raised(self, intent: WriteIntent, more_wei: int) -> None:
        """Pass on to the observer, if there is one."""
        if self.observer is not None:
            await self.observer.offer_raised(intent, more_wei)


class ChainWrites:
    """`writer` and `payers`, usable inside `running`. `clock` gives unix seconds."""

    def __init__(
        self,
        wiring: WritesWiring,
        limits: WriteLimits | None = None,
        payer_limits: PayerLimits | None = None,
        clock: Callable[[], float] = time.time,
        on_step: OnStep = no_one,
    ) -> None:
        limits, payer_limits = limits or WriteLimits(), payer_limits or PayerLimits()
        sealer, chain_id = wiring.keyring.idempotency_sealer(), wiring.chain.chain_id
        self._journal = Journal(wiring.books, sealer, chain_id, wiring.instance)
        self._slot = ObserverSlot()
        lanes = Lanes(payer_limits.in_flight_max)
        self._transactor = Transactor(wiring.chain, self._journal, lanes, self._slot, limits, clock, on_step)
        self.writer = AccountWriter(self._transactor, limits, payer_limits, clock)
        self.payers = PayerPool(wiring.keyring, wiring.instance, wiring.reads, self._transactor, payer_limits)

    @contextlib.asynccontextmanager
    async def running(self, observer: WriteObserver) -> AsyncIterator[None]:
        """Recover what an earlier process left, register and fund the payers, then serve until the end.

        Raises NodeError `chain_unavailable` when the chain cannot be reached at the start, `billing_unavailable` when
        the journal cannot, StartupRefusedError (`data_dir`) when the journal was written under another root.
        """
        self._slot.observer = observer
        await self._journal.open()
        await self._recover()
        try:
            await self.payers.start()
            yield
        finally:
            await self.writer.stop()
            await self.payers.stop()
            await self._transactor.stop()

    async def _recover(self) -> None:
        try:
            await self.payers.take_up()
            await self._transactor.conclusion.tell_taken_up()
            await self._transactor.start()
        except RpcError as error:
            raise chain_unavailable(error) from error
        except SealedElsewhereError as error:
            what = (
                "The journal of writes, in ledger.sqlite3 there or in the database of ledger_url, was written under "
                "another root key: it belongs to another node."
            )
            raise StartupRefusedError("data_dir", what) from error

"""Puts chain writes together: one object to construct, one context to run it in."""

import contextlib
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from node.chain.port import WriteObserver
from node.chain.rpc import RpcError, chain_unavailable
from node.chain.writes.journal import Journal
from node.chain.writes.journal_rows import SealedElsewhereError
from node.chain.writes.limits import PayerLimits, WriteLimits
from node.chain.writes.model import Chain, OnStep, ignore_step
from node.chain.writes.payer_accounts import PayerAccounts
from node.chain.writes.payers import PayerPool, PayerReads
from node.chain.writes.tracker import WriteTracker
from node.chain.writes.transactor import Transactor
from node.chain.writes.writer import AccountWriter
from node.database.port import Database
from node.errors import StartupRefusedError
from node.keyring.port import Keyring


@dataclass(frozen=True, slots=True)
class WritesWiring:
    """Parts of the node that writes need. `instance` names this instance: its payers' keys follow from it.

    `books` is the database of the journal; other instances may keep theirs there too.
    """

    chain: Chain
    books: Database
    keyring: Keyring
    reads: PayerReads
    instance: str


class ChainWrites:
    """`writer` and `payers`, usable inside `running`. `clock` gives unix seconds."""

    def __init__(
        self,
        wiring: WritesWiring,
        limits: WriteLimits | None = None,
        payer_limits: PayerLimits | None = None,
        clock: Callable[[], float] = time.time,
        on_step: OnStep = ignore_step,
    ) -> None:
        limits, payer_limits = limits or WriteLimits(), payer_limits or PayerLimits()
        chain, keyring = wiring.chain, wiring.keyring
        self._journal = Journal(wiring.books, keyring.idempotency_sealer(), chain.chain_id, wiring.instance)
        accounts = PayerAccounts(payer_limits.in_flight_max)
        self._transactor = Transactor(chain, self._journal, accounts, limits, clock, on_step)
        self._tracker = WriteTracker(self._transactor)
        self.writer = AccountWriter(self._tracker, payer_limits.reserve_wei)
        self.payers = PayerPool(keyring, wiring.instance, wiring.reads, self._tracker, payer_limits)

    @contextlib.asynccontextmanager
    async def running(self, observer: WriteObserver) -> AsyncIterator[None]:
        """Recover what an earlier process left, register and fund the payers, then serve until the context ends.

        Raises NodeError `chain_unavailable` when the chain cannot be reached at the start, `billing_unavailable` when
        the journal cannot, StartupRefusedError (`data_dir`) when the journal was written under another root.
        """
        self._transactor.finaliser.observer = observer
        await self._journal.open()
        await self._recover()
        try:
            await self.payers.start()
            yield
        finally:
            await self.writer.stop()
            await self.payers.stop()
            await self._tracker.stop()

    async def _recover(self) -> None:
        try:
            await self.payers.take_up()
            await self._tracker.start()
        except RpcError as error:
            raise chain_unavailable(error) from error
        except SealedElsewhereError as error:
            what = (
                "The journal of writes, in ledger.sqlite3 there or in the database of ledger_url, was written under "
                "another root key: it belongs to another node."
            )
            raise StartupRefusedError("data_dir", what) from error

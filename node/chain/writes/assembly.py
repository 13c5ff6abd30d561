"""Puts chain writes together: one object to construct, one context to run it in."""

import contextlib
from collections.abc import AsyncIterator

from node.chain.port import WriteObserver
from node.chain.rpc import RpcError, chain_unavailable
from node.chain.writes.journal_rows import SealedElsewhereError
from node.chain.writes.payers import PayerPool, PayerReads
from node.chain.writes.tracker import WriteTracker
from node.chain.writes.transactor import Transactor
from node.chain.writes.writer import AccountWriter
from node.errors import StartupRefusedError
from node.keyring.port import Keyring


class ChainWrites:
    """`writer` and `payers`, usable inside `running`. The payers' keys follow from the instance of the journal."""

    def __init__(self, transactor: Transactor, keyring: Keyring, reads: PayerReads) -> None:
        self.transactor = transactor
        self.tracker = WriteTracker(transactor)
        self.writer = AccountWriter(self.tracker)
        self.payers = PayerPool(keyring, reads, self.tracker)

    @contextlib.asynccontextmanager
    async def running(self, observer: WriteObserver) -> AsyncIterator[None]:
        """Recover what an earlier process left, register and fund the payers, then serve until the context ends.

        Raises ChainUnavailableError when the chain cannot be reached at the start, DatabaseUnavailableError when
        the journal cannot, StartupRefusedError (`data_dir`) when the journal was written under another root.
        """
        self.transactor.finaliser.observer = observer
        await self.transactor.journal.open()
        await self._recover()
        try:
            await self.payers.start()
            yield
        finally:
            # New writes first, so that nothing is journaled once the tracker has stopped.
            await self.writer.stop()
            await self.payers.stop()
            await self.tracker.stop()

    async def _recover(self) -> None:
        try:
            await self.payers.acquire_leases()
            await self.tracker.start()
        except RpcError as error:
            raise chain_unavailable(error) from error
        except SealedElsewhereError as error:
            what = (
                "The journal of writes, in ledger.sqlite3 there or in the database of ledger_url, was written under "
                "another root key: it belongs to another node."
            )
            raise StartupRefusedError("data_dir", what) from error

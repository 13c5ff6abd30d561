"""Ledger in PostgreSQL, shared by any number of nodes. Row locks of accounts serialize changes."""

import asyncio
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import structlog
from asyncpg.exceptions import LockNotAvailableError

from node.database.lease import ProcessLease
from node.database.port import RepeatableError, Statement, whole
from node.database.postgres import PostgresDatabase, portable, run_statements
from node.database.postgres_address import SETTING, PostgresAddress, address_of
from node.database.postgres_connections import Connections, description, is_transient
from node.database.postgres_transactions import Transactions, forget_marks, unexpected
from node.errors import DomainError, StartupRefusedError
from node.ledger import batches
from node.ledger.batches import AllotmentsRemovedError
from node.ledger.entries import Entry, account_book, storable
from node.ledger.errors import raised_as_ledger_outage
from node.ledger.ledger import Decided, StoredLedger
from node.ledger.port import Balance
from node.ledger.reservations import Holdings, Order
from node.ledger.schema import COMPONENT, POSTGRES_STEPS
from node.runtime.tasks import TaskSet
from node.settings.ledger import PostgresSettings

LEASE_S: Final = 15.0
"""Time after which other nodes release the reservations of a node that stopped renewing. It is far
above a pause of the process, and short for the account whose credit is held."""
CLOSE_PATIENCE_S: Final = 20.0
"""Wait for the last commits at shutdown, if settlements do not wait longer."""

_BALANCE: Final = """
SELECT balance_microdollars,
    (SELECT COALESCE(SUM(amount_microdollars), 0) FROM ledger_allotment WHERE name = ledger_account.book)
FROM ledger_account WHERE book = ?
"""

_log = structlog.get_logger(__name__)


class PostgresLedger(StoredLedger):
    """`LedgerDatabase` of one of the nodes that share a database.

    Reservations are valid while their process's lease is; each process has its own. Work that a
    dead node left costs nothing, and its journal settles its writes. Reservations and settlements
    have their own connections, so that no request waits for other work.
    """

    def __init__(
        self,
        address: PostgresAddress,
        node_id: str,
        settings: PostgresSettings,
        unix: Callable[[], float],
        lease_s: float = LEASE_S,
    ) -> None:
        self._address = address
        self._database = PostgresDatabase(address, settings)
        reserve_patience_s = settings.ledger_postgres_reserve_patience_s
        super().__init__(
            self._database, unix, Holdings({}), reserve_patience_s, settings.ledger_postgres_settle_patience_s
        )
        self._attempt_s = reserve_patience_s
        self._spending = Connections(address, settings.ledger_postgres_spending_connections)
        self._transactions = Transactions(self._spending)
        self._node_id = storable(node_id)
        # Unique for each process, so that reservations of an earlier process lapse.
        name = f"{self._node_id}/{uuid.uuid4().hex}"
        self._lease = ProcessLease(self._database, batches.LEASES, name, lease_s)
        self._keeping = TaskSet("ledger_lease")

    @classmethod
    async def open(
        cls, url: str, node_id: str, settings: PostgresSettings, unix: Callable[[], float], *, lease_s: float = LEASE_S
    ) -> "PostgresLedger":
        """Connects, migrates the tables and takes a lease. `unix` returns unix time in seconds.

        Raises StartupRefusedError (`ledger_url`, `ledger_ca_pem`). It never repeats the URL.
        """
        ledger = cls(address_of(url, settings.ledger_ca_pem), node_id, settings, unix, lease_s)
        try:
            await ledger._start()
        except DomainError as error:
            await ledger._disconnect()
            where = ledger._address.shown
            raise StartupRefusedError(SETTING, f"PostgreSQL at {where} cannot be used: {error.message}") from None
        except BaseException:
            await ledger._disconnect()
            raise
        return ledger

    async def balance(self, account: int) -> Balance:
        """See `Ledger.balance`."""
        read = Statement(_BALANCE, (account_book(account),))
        with raised_as_ledger_outage():
            (rows,) = await self._transactions.run(
                lambda connection: run_statements(connection, [read]), self._attempt_s
            )
        return Balance(whole(rows[0][0]), whole(rows[0][1])) if rows else Balance(0, 0)

    async def close(self) -> None:
        """Finishes pending work, ends the lease and disconnects. Closing twice changes nothing."""
        # Wait at least as long as a request: these settlements are known to this process alone.
        await self._queue.close(max(CLOSE_PATIENCE_S, self._settle_patience_s or 0.0))
        if self._spending.closed:
            return
        # Renewal stops before the lease ends, or it would bring the lease back.
        await self._keeping.stop()
        try:
            await self._lease.end()
            await self._remove_left()
        except DomainError:
            _log.warning("the node could not end its lease of the ledger")
        await self._disconnect()

    async def _start(self) -> None:
        await self._database.prepare()
        await self._database.migrate(COMPONENT, POSTGRES_STEPS)
        # Take the lease before serving: other nodes give an allotment without a lease back.
        await self._lease.take()
        # This process reserves the writes of the node's earlier process again.
        await self._lease.end_earlier(self._node_id)
        # Bury lapsed leases without watching them first. Credit released too early is at most spent
        # by its account, and a node that was alone and killed has its credit again immediately.
        await self._lease.bury()
        await self._remove_left()
        self._keeping.keep(self._keep)

    async def _disconnect(self) -> None:
        await self._spending.close()
        await self._database.close()

    async def _commit(self, orders: Sequence[Order], decided: Decided, skip_busy: bool) -> None:
        work = partial(
            batches.commit_orders,
            batch=batches.batch_of(orders, self._holdings),
            lease=self._lease,
            skip_busy=skip_busy,
        )
        try:
            outcomes, decisions = await self._transactions.attempt(portable(work), self._attempt_s)
        except AllotmentsRemovedError as removed:
            self._holdings.expire(removed.names)
            raise RepeatableError("this process was late, and others removed its allotments") from None
        except Exception as error:  # noqa: BLE001 - sorted: repeated, or raised in the callers
            if not is_transient(error):
                raise unexpected(error) from None
            raise RepeatableError(description(error), by_lock=isinstance(error, LockNotAvailableError)) from None
        self._holdings.apply(decisions)
        decided(outcomes)

    async def _post(self, entry: Entry, also: Sequence[Statement]) -> bool:
        with raised_as_ledger_outage():
            return await self._database.transact(portable(partial(batches.post, entry=entry, also=also)))

    async def _keep(self) -> None:
        """Renews the lease and removes what other nodes left, until it is cancelled."""
        while True:
            await asyncio.sleep(self._lease.renewal_interval_s)
            try:
                await self._lease.renew()
                # Any live node may do so, since the node that held them is gone.
                await self._remove_left()
                await self._database.execute(Statement(batches.FORGET_RELEASED))
                await self._transactions.run(forget_marks, LEASE_S)
            except DomainError:
                _log.warning("the node could not renew its lease of the ledger")

    async def _remove_left(self) -> None:
        removal = Statement(batches.REMOVE_LEFT, (self._lease.name,))
        while True:
            _, removed = await self._database.execute(Statement(batches.LOCK_BURIED), removal)
            if left := sum(whole(row[0]) > 0 for row in removed):
                _log.info("released what nodes that are gone had set aside", accounts=left)
            if len(removed) < batches.MOST_AT_ONCE:
                return

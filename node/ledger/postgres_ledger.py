"""Ledger in PostgreSQL, shared by any number of nodes. Row locks of accounts serialize changes."""

import asyncio
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import structlog

from node.database.lease import ProcessLease
from node.database.port import Statement
from node.database.postgres import PostgresDatabase
from node.database.postgres_address import SETTING, PostgresAddress, address_of
from node.database.postgres_connections import Connection, Connections
from node.database.postgres_transactions import Transactions
from node.errors import DomainError, StartupRefusedError
from node.ledger import postgres_batches as batches
from node.ledger.entries import account_book, entry_of_posting, storable
from node.ledger.errors import BooksDatabase, raised_as_ledger_outage
from node.ledger.port import Balance, Posting, Spender, Usage
from node.ledger.postgres_orders import Extend, Order, Outcome, Release, Reserve, Settle
from node.ledger.postgres_queue import OrderQueue
from node.ledger.postgres_schema import COMPONENT, STEPS
from node.ledger.reservations import require_amount
from node.runtime.tasks import TaskSet
from node.settings.ledger import PostgresSettings

LEASE_S: Final = 15.0
"""Time after which other nodes release the reservations of a node that stopped renewing. It is far
above a pause of the process, and short for the account whose credit is held."""
CLOSE_PATIENCE_S: Final = 20.0
"""Wait for the last commits at shutdown, if settlements do not wait longer."""

_BALANCE: Final = "SELECT balance_microdollars, reserved_microdollars FROM ledger_account WHERE book = $1"

_log = structlog.get_logger(__name__)


class PostgresLedger(BooksDatabase):
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
        # Unique for each process, so that reservations of an earlier process lapse.
        name = f"{storable(node_id)}/{uuid.uuid4().hex}"
        self._reserve_patience_s = settings.ledger_postgres_reserve_patience_s
        self._settle_patience_s = settings.ledger_postgres_settle_patience_s
        self._unix = unix
        self._spending = Connections(address, settings.ledger_postgres_spending_connections)
        self._transactions = Transactions(self._spending)
        self._database = PostgresDatabase(address, settings)
        self._lease = ProcessLease(self._database, batches.LEASES, name, lease_s)
        super().__init__(self._database)
        self._queue = OrderQueue(self._commit)
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

        async def work(connection: Connection) -> Balance:
            row = await connection.fetchrow(_BALANCE, account_book(account))
            return Balance(0, 0) if row is None else Balance(row[0], row[1])

        with raised_as_ledger_outage():
            return await self._transactions.run(work, self._reserve_patience_s)

    async def reserve(self, spender: Spender, cause: str, amount_microdollars: int) -> None:
        """See `Ledger.reserve`. The reservation is valid while this process's lease is."""
        require_amount(amount_microdollars)
        await self._queue.ask(Reserve(cause, spender, amount_microdollars), self._reserve_patience_s)

    async def extend(self, cause: str, amount_microdollars: int, cap_microdollars: int | None = None) -> None:
        """See `Ledger.extend`. An expired reservation is set aside again as a whole."""
        require_amount(amount_microdollars)
        await self._queue.ask(Extend(cause, amount_microdollars, cap_microdollars), self._reserve_patience_s)

    async def settle(self, cause: str, amount_microdollars: int, usage: Usage) -> int:
        """See `Ledger.settle`. An expired reservation takes what credit is left."""
        require_amount(amount_microdollars)
        order = Settle(cause, amount_microdollars, usage, self._unix())
        await self._queue.ask(order, self._settle_patience_s)
        return order.taken_microdollars

    async def release(self, cause: str) -> None:
        """See `Ledger.release`. Continues if this is cancelled or the server cannot be reached."""
        # The order stays queued: a lost release would hold the credit until the lease ends.
        await self._queue.ask(Release(cause), self._settle_patience_s)

    async def post(self, posting: Posting, *also: Statement) -> bool:
        """See `LedgerDatabase.post`. Cancelling the caller does not cancel it."""
        work = partial(batches.post, entry=entry_of_posting(posting, self._unix()), also=also)
        with raised_as_ledger_outage():
            return await self._database.transact(work)

    async def close(self) -> None:
        """Finishes pending work, ends the lease and disconnects. Closing twice changes nothing."""
        # Wait at least as long as a request: these settlements are known to this process alone.
        await self._queue.close(max(CLOSE_PATIENCE_S, self._settle_patience_s))
        if self._spending.closed:
            return
        # Renewal stops before the lease ends, or it would bring the lease back.
        await self._keeping.stop()
        try:
            await self._lease.end()
        except DomainError:
            _log.warning("the node could not end its lease of the ledger")
        await self._disconnect()

    async def _start(self) -> None:
        await self._database.prepare()
        await self._database.migrate(COMPONENT, STEPS)
        # Take the lease before serving: other nodes give a reservation without a lease back.
        await self._lease.take()
        # Bury lapsed leases without watching them first. Credit released too early is at most spent
        # by its account, and a node that was alone and killed has its credit again immediately.
        await self._lease.bury()
        await self._expire()
        self._keeping.keep(self._keep)

    async def _disconnect(self) -> None:
        await self._spending.close()
        await self._database.close()

    async def _commit(self, orders: Sequence[Order], skip_busy: bool) -> Sequence[Outcome]:
        work = partial(batches.commit_orders, orders=orders, lease=self._lease, skip_busy=skip_busy)
        return await self._transactions.attempt(work, self._reserve_patience_s)

    async def _keep(self) -> None:
        """Renews the lease and releases what other nodes left, until it is cancelled."""
        while True:
            await asyncio.sleep(self._lease.renewal_interval_s)
            try:
                await self._lease.renew()
                # Any live node may do so, since the node that held them is gone.
                await self._expire()
                await self._transactions.run(batches.forget, LEASE_S)
            except DomainError:
                _log.warning("the node could not renew its lease of the ledger")

    async def _expire(self) -> None:
        while expired := await self._transactions.run(batches.expire, LEASE_S):
            _log.info("released reservations of nodes that are gone", reservations=expired)

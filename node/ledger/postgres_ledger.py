"""Credits in PostgreSQL, shared by any number of nodes: the lock of each account's row decides, at whichever node."""

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
"""Time after which other nodes release the reservations of a node that stopped renewing: far above a pause of the process,
and short for the account whose credit is held."""
CLOSE_PATIENCE_S: Final = 20.0
"""Wait of a node that stops for a server that is out: well within what an orchestrator gives a container to stop."""

_BALANCE: Final = "SELECT balance_microdollars, reserved_microdollars FROM ledger_account WHERE book = $1"

_log = structlog.get_logger(__name__)


class PostgresLedger(BooksDatabase):
    """`LedgerDatabase` of one of the nodes that share a database.

    A node's reservations are valid while its lease is; each process has a lease of its own. What a node that is gone had
    under way costs nothing; its writes are settled by its journal. Reservations and settlements have connections of their
    own, so that no request waits for other work.
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
        # Unique for each process: reservations of an earlier process of this node must lapse, not be renewed by this
        # one.
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
        """Connect to the server, bring the tables up to date, take a lease; `unix` gives unix time in seconds.

        Raises StartupRefusedError (`ledger_url`, `ledger_ca_pem`), which never repeats the URL, when any of it cannot be
        done.
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
        """As `Ledger` says."""

        async def work(connection: Connection) -> Balance:
            row = await connection.fetchrow(_BALANCE, account_book(account))
            return Balance(0, 0) if row is None else Balance(row[0], row[1])

        with raised_as_ledger_outage():
            return await self._transactions.run(work, self._reserve_patience_s)

    async def reserve(self, spender: Spender, cause: str, amount_microdollars: int) -> None:
        """As `Ledger` says, under this node's lease."""
        require_amount(amount_microdollars)
        await self._queue.ask(Reserve(cause, spender, amount_microdollars), self._reserve_patience_s)

    async def extend(self, cause: str, amount_microdollars: int, cap_microdollars: int | None = None) -> None:
        """As `Ledger` says; sets all of it aside again when it had expired."""
        require_amount(amount_microdollars)
        await self._queue.ask(Extend(cause, amount_microdollars, cap_microdollars), self._reserve_patience_s)

    async def settle(self, cause: str, amount_microdollars: int, usage: Usage) -> int:
        """As `Ledger` says; of an expired reservation it takes what is still there."""
        require_amount(amount_microdollars)
        order = Settle(cause, amount_microdollars, usage, self._unix())
        await self._queue.ask(order, self._settle_patience_s)
        return order.taken_microdollars

    async def release(self, cause: str) -> None:
        """As `Ledger` says; also when this is cancelled, or raises because the server is out."""
        # The order stays in the queue when this raises: a lost release would hold the credit until the lease ends.
        await self._queue.ask(Release(cause), self._settle_patience_s)

    async def post(self, posting: Posting, *also: Statement) -> bool:
        """As `LedgerDatabase` says; cancelling the caller does not cancel it."""
        work = partial(batches.post, entry=entry_of_posting(posting, self._unix()), also=also)
        with raised_as_ledger_outage():
            return await self._database.transact(work)

    async def close(self) -> None:
        """Finish what is under way, give the lease up, disconnect. Closing twice changes nothing."""
        # Longer than a request waits: what is left is credit of others, and settlements nobody else knows of.
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
        # The lease before anything is served: a reservation under no lease would be given back by another node.
        await self._lease.take()
        # Without having watched: credit that is given back too early is at most spent by its account,
        # and a node that was alone and killed has it again at once.
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
        """Renew the lease and release what other nodes left, until the node ends."""
        while True:
            try:
                await self._lease.renew()
                # Any live node may do so: the node that held them is gone and will not.
                await self._expire()
                await self._transactions.run(batches.forget, LEASE_S)
            except DomainError:
                _log.warning("the node could not renew its lease of the ledger")
            await asyncio.sleep(self._lease.renewal_interval_s)

    async def _expire(self) -> None:
        while expired := await self._transactions.run(batches.expire, LEASE_S):
            _log.info("released reservations of nodes that are gone", reservations=expired)

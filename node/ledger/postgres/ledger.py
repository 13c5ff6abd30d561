"""Credits in PostgreSQL, shared by any number of nodes: each account's row decides, whoever asks."""

import asyncio
import contextlib
import uuid
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Final, TypeVar

import structlog

from node.errors import NodeError, StartupRefusedError
from node.ledger.books import Posting, Row, Statement
from node.ledger.entries import account_book, storable
from node.ledger.limits import LedgerLimits
from node.ledger.port import Balance, Spender, Usage
from node.ledger.postgres import leases
from node.ledger.postgres.address import SETTING, PostgresAddress, address_of
from node.ledger.postgres.batches import commit_orders
from node.ledger.postgres.books import PostgresBooks
from node.ledger.postgres.connections import Connection, Connections
from node.ledger.postgres.decisions import Outcome
from node.ledger.postgres.limits import PostgresLimits
from node.ledger.postgres.orders import Extend, Order, Release, Reserve, Settle
from node.ledger.postgres.queue import OrderQueue
from node.ledger.postgres.schema import COMPONENT, STEPS
from node.ledger.postgres.transactions import Transactions
from node.ledger.rules import refuse_negative

OLDEST_VERSION: Final = 130_000
"""Of the server, which earlier ones count transactions in 32 bits."""

_BALANCE: Final = "SELECT balance_microdollars, reserved_microdollars FROM ledger_account WHERE book = $1"
_SERVER: Final = (
    "SELECT current_setting('server_version_num')::int, current_setting('server_encoding'), pg_is_in_recovery()"
)

T = TypeVar("T")
_log = structlog.get_logger(__name__)


class PostgresLedger:
    """`LedgerDatabase` of one of the nodes that share a database.

    What a node reserves stands while the node is heard of (`PostgresLimits.lease_s`); each life of a node has a lease
    of its own. What a node that is gone had under way costs nothing; its writes are settled by its journal.
    """

    def __init__(
        self,
        address: PostgresAddress,
        node_id: str,
        limits: LedgerLimits,
        postgres: PostgresLimits,
        clock: Callable[[], float],
    ) -> None:
        self._address = address
        self._lease = leases.Lease(f"{storable(node_id)}/{uuid.uuid4().hex}", postgres.lease_s)
        self._limits = limits
        self._postgres = postgres
        self._clock = clock
        self._spending = Connections(address, postgres, postgres.spending_connections)
        self._transactions = Transactions(self._spending, limits.retry_after_s)
        self._books = PostgresBooks(address, limits, postgres, clock)
        self._queue = OrderQueue(
            self._commit, limits.max_entries_per_commit, postgres.max_waiting, limits.retry_after_s
        )
        self._begun: set[asyncio.Task[object]] = set()
        self._keeping: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls, url: str, node_id: str, limits: LedgerLimits, postgres: PostgresLimits, clock: Callable[[], float]
    ) -> "PostgresLedger":
        """Connect to the server, bring the tables up to date, take a lease; `clock` gives unix time in seconds.

        Raises StartupRefusedError (`ledger_url`), which never repeats the URL, when any of it cannot be done.
        """
        ledger = cls(address_of(url), node_id, limits, postgres, clock)
        try:
            await ledger._start()
        except NodeError as error:
            await ledger._disconnect()
            where = ledger._address.shown
            raise StartupRefusedError(SETTING, f"PostgreSQL at {where} cannot be used: {error.message}") from None
        except BaseException:
            await ledger._disconnect()
            raise
        return ledger

    async def balance(self, account: int) -> Balance:
        """The account's balance; zero for one never seen."""

        async def work(connection: Connection) -> Balance:
            row = await connection.fetchrow(_BALANCE, account_book(account))
            return Balance(0, 0) if row is None else Balance(row[0], row[1])

        return await self._transactions.run(work, self._postgres.reserve_patience_s)

    async def reserve(self, spender: Spender, cause: str, amount_microdollars: int) -> None:
        """Set credit aside under this node's lease. Raises NodeError `payment_required`."""
        refuse_negative(amount_microdollars)
        await self._queue.ask(Reserve(cause, spender, amount_microdollars), self._postgres.reserve_patience_s)

    async def extend(self, cause: str, amount_microdollars: int) -> None:
        """Set more aside, all of it again when it had expired. Raises NodeError `payment_required`."""
        refuse_negative(amount_microdollars)
        await self._queue.ask(Extend(cause, amount_microdollars), self._postgres.reserve_patience_s)

    async def settle(self, cause: str, amount_microdollars: int, usage: Usage) -> int:
        """Take `amount`, at most what was reserved and, when that had expired, at most what is there."""
        refuse_negative(amount_microdollars)
        order = Settle(cause, amount_microdollars, usage, self._clock())
        await self._queue.ask(order, self._postgres.settle_patience_s)
        return order.taken_microdollars

    async def release(self, cause: str) -> None:
        """Give the whole reservation back; also when this is cancelled, or raises because the server is out."""
        await self._queue.ask(Release(cause), self._postgres.settle_patience_s)

    async def migrate(self, component: str, steps: Sequence[str]) -> None:
        """As `Books` says."""
        await self._to_its_end(self._books.migrate(component, steps))

    async def execute(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """As `Books` says; cancelling the caller does not cancel it."""
        return await self._to_its_end(self._books.execute(*statements))

    async def read(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """As `Books` says, on connections that requests do not wait for."""
        return await self._books.read(*statements)

    async def post(self, posting: Posting, *also: Statement) -> bool:
        """As `Books` says; cancelling the caller does not cancel it."""
        return await self._to_its_end(self._books.post(posting, *also))

    async def close(self) -> None:
        """Finish what is under way, give the lease up, disconnect. Closing twice is nothing."""
        await self._queue.close(self._postgres.settle_patience_s)
        while self._begun:
            await asyncio.wait(self._begun)
        if self._keeping is None:
            return
        self._keeping.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._keeping
        self._keeping = None
        with contextlib.suppress(NodeError):
            await self._transactions.run(partial(leases.end, lease=self._lease), self._postgres.reserve_patience_s)
        await self._disconnect()

    async def _start(self) -> None:
        await self._transactions.run(_require_usable, self._postgres.settle_patience_s)
        await self._books.migrate(COMPONENT, STEPS)
        await self._renew()
        await self._expire()
        self._keeping = asyncio.create_task(self._keep())

    async def _disconnect(self) -> None:
        await self._spending.close()
        await self._books.close()

    async def _commit(self, orders: Sequence[Order], skip_busy: bool) -> Sequence[Outcome]:
        work = partial(commit_orders, orders=orders, lease=self._lease, skip_busy=skip_busy)
        return await self._transactions.attempt(work, self._postgres.reserve_patience_s)

    async def _renew(self) -> None:
        await self._transactions.run(partial(leases.renew, lease=self._lease), self._postgres.lease_s)

    async def _keep(self) -> None:
        """Renew the lease, give back what others left, for as long as the node lives."""
        while True:
            try:
                await self._renew()
                await self._expire()
                await self._transactions.run(partial(leases.forget, limits=self._postgres), self._postgres.lease_s)
            except NodeError:
                _log.warning("the node could not renew its lease of the ledger")
            await asyncio.sleep(self._lease.renewed_every_s)

    async def _expire(self) -> None:
        work = partial(leases.expire, limits=self._postgres)
        while expired := await self._transactions.run(work, self._postgres.lease_s):
            _log.info("gave back what nodes that are gone had reserved", reservations=expired)

    async def _to_its_end(self, work: Coroutine[None, None, T]) -> T:
        task = asyncio.create_task(work)
        self._begun.add(task)
        task.add_done_callback(self._forget)
        return await asyncio.shield(task)

    def _forget(self, task: asyncio.Task[T]) -> None:
        self._begun.discard(task)
        if not task.cancelled():
            task.exception()  # seen here, since whoever waited for it may be gone


async def _require_usable(connection: Connection) -> None:
    row = await connection.fetchrow(_SERVER)
    if row is None or row[0] < OLDEST_VERSION:
        raise StartupRefusedError(SETTING, "PostgreSQL 13 or later is needed.")
    if row[1] != "UTF8":
        raise StartupRefusedError(SETTING, "The database must be one of encoding UTF8.")
    if row[2]:
        raise StartupRefusedError(SETTING, "The server is a standby, which can only be read: name its primary.")

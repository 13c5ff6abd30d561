"""The books of the ledger in PostgreSQL: postings, other rooms' tables, reads that nobody waits for."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Final, TypeVar

from node.ledger.books import Posting, Reader, Row, Statement
from node.ledger.entries import entry_of_posting
from node.ledger.limits import LedgerLimits
from node.ledger.postgres.address import PostgresAddress
from node.ledger.postgres.batches import enter
from node.ledger.postgres.connections import Connection, Connections
from node.ledger.postgres.limits import PostgresLimits
from node.ledger.postgres.migrations import bring_up_to_date
from node.ledger.postgres.statements import numbered, row_of
from node.ledger.postgres.transactions import READ_ONLY, Transactions
from node.ledger.rules import billing_unavailable, cause_taken

T = TypeVar("T")

_TRANSFER: Final = "SELECT debit_book, credit_book, amount_microdollars FROM ledger_entry WHERE cause = $1"


class PostgresBooks:
    """`Books` on connections of their own, so that nothing here is waited for by a request that is charged."""

    def __init__(
        self, address: PostgresAddress, limits: LedgerLimits, postgres: PostgresLimits, clock: Callable[[], float]
    ) -> None:
        self._postgres = postgres
        self._retry_after_s = limits.retry_after_s
        self._clock = clock
        self._connections = Connections(address, postgres, postgres.books_connections)
        self._transactions = Transactions(self._connections, limits.retry_after_s)
        self._reading = asyncio.Semaphore(max(1, postgres.books_connections // 2))

    async def migrate(self, component: str, steps: Sequence[str]) -> None:
        """As `Books` says, one node after the other."""

        async def work(connection: Connection) -> None:
            await bring_up_to_date(connection, component, steps, self._postgres.migration_timeout_s)

        await self._transactions.run(work, self._postgres.settle_patience_s)

    async def execute(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """As `Books` says."""
        return await self._transactions.run_once(lambda connection: _rows(connection, statements), self._patience_s)

    async def read(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """As `Books` says: one moment, read only, `read_timeout_s` at most."""
        timeout_s = self._postgres.read_timeout_s

        async def work(connection: Connection) -> Sequence[Sequence[Row]]:
            await connection.execute(f"SET LOCAL statement_timeout = {round(timeout_s * 1000)}")
            return await _rows(connection, statements, timeout_s)

        async with self._turn():
            return await self._transactions.run(work, self._patience_s, READ_ONLY)

    async def at_one_moment(self, work: Callable[[Reader], Awaitable[T]]) -> T:
        """As `Snapshots` says: one read-only transaction, in which each read takes `read_timeout_s` at most.

        So long, too, may pass between two reads: whoever is shown the books may take time over them.
        """
        timeout_s = self._postgres.read_timeout_s
        begun = False

        async def once(connection: Connection) -> T:
            nonlocal begun
            if begun:
                raise billing_unavailable(self._retry_after_s)
            for setting in ("statement_timeout", "idle_in_transaction_session_timeout"):
                await connection.execute(f"SET LOCAL {setting} = {round(timeout_s * 1000)}")
            begun = True
            return await work(_OneMoment(connection, timeout_s))

        async with self._turn():
            return await self._transactions.run(once, self._patience_s, READ_ONLY)

    async def post(self, posting: Posting, *also: Statement) -> bool:
        """As `Books` says."""
        entry = entry_of_posting(posting, self._clock())

        async def work(connection: Connection) -> bool:
            # Whoever posts the same at this moment is waited for by the unique index; this then begins anew.
            there = await connection.fetchrow(_TRANSFER, entry.cause)
            if there is None:
                await enter(connection, [entry])
            elif not entry.same_transfer(*there):
                raise cause_taken(entry.cause)
            await _rows(connection, also)
            return there is None

        return await self._transactions.run_once(work, self._patience_s)

    async def close(self) -> None:
        """Disconnect."""
        await self._connections.close()

    @contextlib.asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """One of the places for reads. Raises NodeError `billing_unavailable` when none is free in time."""
        try:
            async with asyncio.timeout(self._patience_s):
                await self._reading.acquire()
        except TimeoutError:
            raise billing_unavailable(self._retry_after_s) from None
        try:
            yield
        finally:
            self._reading.release()

    @property
    def _patience_s(self) -> float:
        return self._postgres.settle_patience_s


class _OneMoment:
    """A Reader on a connection that is in a read-only transaction."""

    def __init__(self, connection: Connection, timeout_s: float) -> None:
        self._connection = connection
        self._timeout_s = timeout_s

    async def read(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """What each gives. Raises what the server raises."""
        return await _rows(self._connection, statements, self._timeout_s)


async def _rows(
    connection: Connection, statements: Sequence[Statement], timeout_s: float | None = None
) -> Sequence[Sequence[Row]]:
    results: list[Sequence[Row]] = []
    for statement in statements:
        sql, values = numbered(statement)
        results.append([row_of(row.values()) for row in await connection.fetch(sql, *values, timeout=timeout_s)])
    return results

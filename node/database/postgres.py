"""PostgreSQL database behind the `Database` port, which several nodes may share."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Final, TypeVar

from node.database import lease
from node.database.migrations import migrate_postgres
from node.database.port import (
    RETRY_AFTER_S,
    DatabaseUnavailableError,
    Insertion,
    Names,
    Reader,
    RequirementError,
    Row,
    Statement,
    Value,
    in_dialect,
)
from node.database.port import Work as PortableWork
from node.database.postgres_address import SETTING, PostgresAddress
from node.database.postgres_connections import Connection, Connections
from node.database.postgres_transactions import COMPONENT, READ_ONLY, STEPS, Transactions, Work
from node.errors import StartupRefusedError
from node.runtime.tasks import TaskSet
from node.settings.ledger import PostgresSettings

T = TypeVar("T")

OLDEST_VERSION: Final = 130_000
"""Oldest usable server. Earlier ones number transactions in 32 bits, which wrap around."""
START_PATIENCE_S: Final = 20.0
"""Time that a starting node waits for a server that is starting as well."""
READ_TIMEOUT_S: Final = 300.0
"""Time-out of a read, long enough for a check of the ledger or a long account statement."""

_DIALECT: Final = (
    ("@now_ms", "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"),
    ("@for_share", "FOR SHARE"),
    ("@for_update", "FOR UPDATE"),
    ("@names", "unnest(?) AS names (value)"),
)
_SERVER: Final = (
    "SELECT current_setting('server_version_num')::int, current_setting('server_encoding'), pg_is_in_recovery()"
)
# Without a cast PostgreSQL infers a parameter's type from its place, which may have another.
_CASTS: Final[dict[type, str]] = {int: "bigint", str: "text", bytes: "bytea", tuple: "text[]"}


class PostgresDatabase:
    """`Database` and `Snapshots` on a pool of its own, of which reads use at most half.

    A write is completed even if its caller is cancelled.
    """

    def __init__(self, address: PostgresAddress, settings: PostgresSettings) -> None:
        connections = settings.ledger_postgres_books_connections
        self._patience_s = settings.ledger_postgres_settle_patience_s
        self._connections = Connections(address, connections)
        self._transactions = Transactions(self._connections)
        self._writes = TaskSet("database")
        # Requests wait for the other half: the journal, postings, and results of repeated requests.
        self._read_slots = asyncio.Semaphore(max(1, connections // 2))

    async def prepare(self) -> None:
        """Check that the server can be used and create the tables. Raises StartupRefusedError."""
        await self.require_reachable(START_PATIENCE_S)
        await self._transactions.run(_require_usable, START_PATIENCE_S)
        await self.migrate(lease.COMPONENT, lease.STEPS)
        await self.migrate(COMPONENT, STEPS)

    async def require_reachable(self, patience_s: float) -> None:
        """Connect once, or raise StartupRefusedError. See `Connections.require_reachable`."""
        await self._connections.require_reachable(patience_s)

    async def migrate(self, component: str, steps: Sequence[str]) -> None:
        """Run the pending steps, on one node at a time. See `Database.migrate`."""

        async def work(connection: Connection) -> None:
            await migrate_postgres(connection, component, steps)

        await self._writes.complete(self._transactions.run(work, START_PATIENCE_S))

    async def execute(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """Run the statements in one durable transaction. See `Database.execute`."""
        return await self.transact(lambda connection: run_statements(connection, statements))

    async def transact(self, work: Work[T]) -> T:
        """Run `work` in one durable transaction, committed once. See `Transactions.run_once`."""
        # In its own task: cancelling the caller amid a commit would leave the outcome unknown.
        return await self._writes.complete(self._transactions.run_once(work, self._patience_s))

    async def read(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """Return the rows of each SELECT, within READ_TIMEOUT_S each. See `Reader.read`."""

        async def work(connection: Connection) -> Sequence[Sequence[Row]]:
            # The connection has the time-out of writes, which LOCAL restores for its next caller.
            await connection.execute(f"SET LOCAL statement_timeout = {round(READ_TIMEOUT_S * 1000)}")
            return await run_statements(connection, statements, READ_TIMEOUT_S)

        async with self._read_slot():
            return await self._transactions.run(work, self._patience_s, READ_ONLY)

    async def at_one_moment(self, work: Callable[[Reader], Awaitable[T]]) -> T:
        """Run `work` in a snapshot, each read and pause within READ_TIMEOUT_S. See `Snapshots`."""
        begun = False

        async def once(connection: Connection) -> T:
            nonlocal begun
            # A second transaction would see another moment than the one on which `work` has acted.
            if begun:
                raise DatabaseUnavailableError(RETRY_AFTER_S)
            for setting in ("statement_timeout", "idle_in_transaction_session_timeout"):
                await connection.execute(f"SET LOCAL {setting} = {round(READ_TIMEOUT_S * 1000)}")
            begun = True
            return await work(PostgresTransaction(connection, READ_TIMEOUT_S))

        async with self._read_slot():
            return await self._transactions.run(once, self._patience_s, READ_ONLY)

    async def close(self) -> None:
        """Finish the writes under way and disconnect."""
        await self._writes.drain()
        await self._connections.close()

    @contextlib.asynccontextmanager
    async def _read_slot(self) -> AsyncIterator[None]:
        """Hold a slot for reads. Raises DatabaseUnavailableError if none is free in time."""
        try:
            async with asyncio.timeout(self._patience_s):
                await self._read_slots.acquire()
        except TimeoutError:
            raise DatabaseUnavailableError(RETRY_AFTER_S) from None
        try:
            yield
        finally:
            self._read_slots.release()


class PostgresTransaction:
    """`Transaction` on a connection that is inside one, and `Reader` of what it sees."""

    def __init__(self, connection: Connection, timeout_s: float | None = None) -> None:
        self._connection = connection
        self._timeout_s = timeout_s

    async def execute(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """See `Transaction.execute`."""
        return await run_statements(self._connection, statements, self._timeout_s)

    read = execute

    async def insert(self, insertion: Insertion, rows: Sequence[Row]) -> None:
        """See `Transaction.insert`."""
        if rows:
            # An array for each column: one statement and one plan, however many rows.
            await self._connection.execute(_inserting(insertion), *map(list, zip(*rows, strict=True)))


def portable(work: PortableWork[T]) -> Work[T]:
    """Returns portable work as work on a connection."""
    return lambda connection: work(PostgresTransaction(connection))


@lru_cache(maxsize=256)
def _inserting(insertion: Insertion) -> str:
    arrays = (f"${number}::{_CASTS[kind]}[]" for number, (_, kind) in enumerate(insertion.columns, start=1))
    return insertion.sql(f"SELECT * FROM unnest({', '.join(arrays)})")  # noqa: S608 - constants


async def run_statements(
    connection: Connection, statements: Sequence[Statement], timeout_s: float | None = None
) -> Sequence[Sequence[Row]]:
    """Run portable statements inside the caller's transaction. Returns the rows of each.

    Raises what the server raises, and RequirementError, which must end the transaction.
    """
    results: list[Sequence[Row]] = []
    for statement in statements:
        sql, values = numbered(statement)
        rows = [portable_row(row.values()) for row in await connection.fetch(sql, *values, timeout=timeout_s)]
        if statement.is_required and not rows:
            raise RequirementError
        results.append(rows)
    return results


def numbered(statement: Statement) -> tuple[str, tuple[Value | Names, ...]]:
    """Translate each `?` to `$1…` with a cast to its value's type. None becomes a bare NULL.

    Raises ValueError if the number of `?` differs from that of the values.
    """
    kinds = tuple(map(type, statement.values))
    return _numbered(statement.sql, kinds), tuple(value for value in statement.values if value is not None)


@lru_cache(maxsize=1024)
def _numbered(portable_sql: str, kinds: tuple[type, ...]) -> str:
    pieces = in_dialect(portable_sql, _DIALECT).split("?")
    if len(pieces) - 1 != len(kinds):
        raise ValueError(f"A statement has {len(pieces) - 1} places and {len(kinds)} values.")
    sql, number = pieces[0], 0
    for kind, piece in zip(kinds, pieces[1:], strict=True):
        number += kind is not type(None)
        place = "NULL" if kind is type(None) else f"${number}::{_CASTS[kind]}"
        sql += place + piece
    return sql


def portable_row(values: Iterable[object]) -> Row:
    """Return a row as SQLite returns it: PostgreSQL's decimal sums and booleans become integers.

    Raises TypeError for a type that no portable statement returns.
    """
    return tuple(map(_portable, values))


def _portable(value: object) -> Value:
    if isinstance(value, Decimal) and value == value.to_integral_value():
        return int(value)
    if isinstance(value, bool):
        return int(value)
    if value is None or isinstance(value, int | str | bytes):
        return value
    raise TypeError(f"A portable statement gave a {type(value).__name__}.")


async def _require_usable(connection: Connection) -> None:
    row = await connection.fetchrow(_SERVER)
    if row is None or row[0] < OLDEST_VERSION:
        raise StartupRefusedError(SETTING, "PostgreSQL 13 or later is needed.")
    if row[1] != "UTF8":
        raise StartupRefusedError(SETTING, "The database must be one of encoding UTF8.")
    if row[2]:
        raise StartupRefusedError(SETTING, "The server is a standby, which can only be read: name its primary.")

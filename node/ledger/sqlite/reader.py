"""Reading a ledger's file beside whoever writes it: nothing waits for a reader, and it sees one moment."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, TypeVar

import structlog

from node.errors import NodeError
from node.ledger.books import Reader, Row, Statement
from node.ledger.limits import LedgerLimits
from node.ledger.rules import billing_unavailable

_BUSY_TIMEOUT_S: Final = 5.0
T = TypeVar("T")
Read = Callable[[Sequence[Statement]], Sequence[Sequence[Row]]]
_log = structlog.get_logger(__name__)


class SqliteReader:
    """`Books.read` on a read-only connection for each call, off the event loop."""

    def __init__(self, path: Path, limits: LedgerLimits) -> None:
        self._uri = f"{path.absolute().as_uri()}?mode=ro"
        self._retry_after_s = limits.retry_after_s
        self._most = limits.max_concurrent_reads
        self._turns = asyncio.Semaphore(self._most)
        self._log = path.with_name(f"{path.name}-wal")
        self.log_bytes = 0
        """Length of the write-ahead log, when it was last read."""

    async def read(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """What each gives, at one moment. Raises NodeError `billing_unavailable` when the file cannot be read."""
        async with self._turns:
            return await _in_thread(self._read, statements, self._retry_after_s)

    async def at_one_moment(self, work: Callable[[Reader], Awaitable[T]]) -> T:
        """As `Snapshots` says: one read transaction, from its first read on."""
        async with self._turns:
            connection = await asyncio.to_thread(self._connected)
            try:
                return await work(_OneMoment(connection, self._retry_after_s))
            finally:
                await asyncio.to_thread(connection.close)

    def _connected(self) -> sqlite3.Connection:
        """Used by one thread after the other."""
        try:
            connection = sqlite3.connect(
                self._uri, uri=True, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            connection.execute("BEGIN")
        except sqlite3.Error as error:
            raise _unreadable(error, self._retry_after_s) from error
        return connection

    async def alone(self, work: Callable[[], None]) -> None:
        """Run `work` in a thread while nobody reads; never twice at once."""
        taken = 0
        try:
            while taken < self._most:
                await self._turns.acquire()
                taken += 1
            await asyncio.to_thread(work)
            await asyncio.to_thread(self._measure)
        finally:
            for _ in range(taken):
                self._turns.release()

    def _read(self, statements: Sequence[Statement]) -> Sequence[Sequence[Row]]:
        connection = sqlite3.connect(self._uri, uri=True, timeout=_BUSY_TIMEOUT_S, isolation_level=None)
        with closing(connection):
            connection.execute("BEGIN")
            self._measure()
            return [connection.execute(statement.sql, statement.values).fetchall() for statement in statements]

    def _measure(self) -> None:
        try:
            self.log_bytes = self._log.stat().st_size
        except OSError:
            self.log_bytes = 0


class _OneMoment:
    """A Reader on a connection that is in a read transaction."""

    def __init__(self, connection: sqlite3.Connection, retry_after_s: int) -> None:
        self._connection = connection
        self._retry_after_s = retry_after_s

    async def read(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """What each gives. Raises NodeError `billing_unavailable`."""
        return await _in_thread(self._read, statements, self._retry_after_s)

    def _read(self, statements: Sequence[Statement]) -> Sequence[Sequence[Row]]:
        return [self._connection.execute(statement.sql, statement.values).fetchall() for statement in statements]


async def _in_thread(read: Read, statements: Sequence[Statement], retry_after_s: int) -> Sequence[Sequence[Row]]:
    try:
        return await asyncio.to_thread(read, statements)
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.Error as error:
        raise _unreadable(error, retry_after_s) from error


def _unreadable(error: sqlite3.Error, retry_after_s: int) -> NodeError:
    _log.error("the ledger could not be read", reason=str(error))
    return billing_unavailable(retry_after_s)

"""Reads of a SQLite file, each as of one moment, while its writer continues without waiting."""

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Final, TypeVar

import structlog

from node.database.port import (
    RETRY_AFTER_S,
    DatabaseUnavailableError,
    Insertion,
    Reader,
    RequirementError,
    Row,
    Statement,
    Work,
    in_dialect,
)
from node.runtime.tasks import in_thread

CONCURRENT_READS_MAX: Final = 4
"""Concurrent reads, each with a thread and a connection. Further ones wait."""
LOG_BYTES_MAX: Final = 64 * 1024 * 1024
"""Length of the write-ahead log at which the next read waits for all others and empties the log."""

_BUSY_TIMEOUT_S: Final = 5.0
_SHORTEN_TIMEOUT_S: Final = 1.0
"""Wait for readers in other processes, such as `svc-node ledger check`."""

# There is one writer: nothing that is selected changes before the transaction ends. SQLite limits a
# statement's parameters, so names are a JSON array.
_DIALECT: Final = (
    ("@now_ms", "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"),
    ("@for_share", ""),
    ("@for_update", ""),
    ("@names", "json_each(?) AS names"),
)

T = TypeVar("T")
_Read = Callable[[Sequence[Statement]], Sequence[Sequence[Row]]]
_log = structlog.get_logger(__name__)


def run_statements(connection: sqlite3.Connection, statements: Sequence[Statement]) -> Sequence[Sequence[Row]]:
    """Run portable statements inside the caller's transaction. Returns the rows of each.

    Raises sqlite3.Error, and RequirementError, which must end the transaction.
    """
    results: list[Sequence[Row]] = []
    for statement in statements:
        values = [json.dumps(value) if isinstance(value, tuple) else value for value in statement.values]
        rows = connection.execute(in_dialect(statement.sql, _DIALECT), values).fetchall()
        if statement.is_required and not rows:
            raise RequirementError
        results.append(rows)
    return results


class SqliteTransaction:
    """`Transaction` on a connection that is inside one. Nothing is waited for."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def execute(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """See `Transaction.execute`."""
        return run_statements(self._connection, statements)

    async def insert(self, insertion: Insertion, rows: Sequence[Row]) -> None:
        """See `Transaction.insert`."""
        # A row at a time is cheaper than a JSON table, each column of which is parsed again.
        self._connection.executemany(_inserting(insertion), rows)


@lru_cache(maxsize=256)
def _inserting(insertion: Insertion) -> str:
    return insertion.sql(f"VALUES ({', '.join('?' * len(insertion.columns))})")


def at_once(work: Work[T]) -> Callable[[sqlite3.Connection], T]:
    """Returns portable work as a plain function, for a thread that has no event loop."""

    def done(connection: sqlite3.Connection) -> T:
        # Its statements never suspend, so the first step is the last.
        coroutine = work(SqliteTransaction(connection))
        try:
            coroutine.send(None)
        except StopIteration as ended:
            value: T = ended.value
            return value
        coroutine.close()
        raise RuntimeError("Work of a transaction has waited for something else.")

    return done


class SqliteReader:
    """`Snapshots` of a file. Each call uses a thread and its own read-only connection."""

    def __init__(self, path: Path) -> None:
        self._uri = f"{path.absolute().as_uri()}?mode=ro"
        self._slots = asyncio.Semaphore(CONCURRENT_READS_MAX)
        self._slots_count = CONCURRENT_READS_MAX
        self._log_path = path.with_name(f"{path.name}-wal")
        self.log_bytes = 0
        """Length of the write-ahead log when it was last measured."""

    async def read(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """Return the rows of each SELECT. See `Reader.read`."""
        async with self._slots:
            return await _in_thread(self._read, statements)

    async def at_one_moment(self, work: Callable[[Reader], Awaitable[T]]) -> T:
        """Run `work` in one read transaction, as of its first read. See `Snapshots`."""
        async with self._slots:
            connection = await asyncio.to_thread(self._connect)
            try:
                return await work(_SnapshotReader(connection))
            finally:
                await asyncio.to_thread(connection.close)

    async def alone(self, work: Callable[[], None]) -> None:
        """Run `work` in a thread while no read runs. Callers do not overlap."""
        # Take every slot, since SQLite restarts the log only at a moment without readers.
        taken = 0
        try:
            while taken < self._slots_count:
                await self._slots.acquire()
                taken += 1
            await asyncio.to_thread(work)
            await asyncio.to_thread(self._measure)
        finally:
            for _ in range(taken):
                self._slots.release()

    def _connect(self) -> sqlite3.Connection:
        """Begin a read transaction. Different threads may use the connection in turn."""
        try:
            connection = sqlite3.connect(
                self._uri, uri=True, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            # A transaction sees the file as of its first read, without later commits.
            connection.execute("BEGIN")
        except sqlite3.Error as error:
            raise _unreadable(error) from error
        return connection

    def _read(self, statements: Sequence[Statement]) -> Sequence[Sequence[Row]]:
        connection = sqlite3.connect(self._uri, uri=True, timeout=_BUSY_TIMEOUT_S, isolation_level=None)
        with contextlib.closing(connection):
            connection.execute("BEGIN")
            self._measure()
            return run_statements(connection, statements)

    def _measure(self) -> None:
        try:
            self.log_bytes = self._log_path.stat().st_size
        except OSError:
            self.log_bytes = 0


class LogShortener:
    """Empties the write-ahead log of a file that is read without pause.

    SQLite restarts the log only at a moment without readers. Readers without a gap leave no such
    moment, so that a caller that lists in a loop would fill the disk. Calls `emptied` afterwards.
    """

    def __init__(self, path: Path, reader: SqliteReader, emptied: Callable[[], None]) -> None:
        self._uri = f"{path.absolute().as_uri()}?mode=rw"
        self._reader = reader
        self._emptied = emptied
        self._bound = LOG_BYTES_MAX
        self._lock = asyncio.Lock()

    async def keep_short(self) -> None:
        """Empty the log if it is too long. Call it before each read."""
        if self._reader.log_bytes < self._bound:
            return
        async with self._lock:
            # Another caller may have emptied it while this one waited for the lock.
            if self._reader.log_bytes >= self._bound:
                await self._reader.alone(self._shorten)
                self._emptied()
                left = self._reader.log_bytes
                # If other processes still read, wait for as much growth before another try.
                self._bound = LOG_BYTES_MAX if left < LOG_BYTES_MAX else left + LOG_BYTES_MAX

    def _shorten(self) -> None:
        with (
            contextlib.suppress(sqlite3.Error),
            contextlib.closing(sqlite3.connect(self._uri, uri=True, timeout=_SHORTEN_TIMEOUT_S)) as connection,
        ):
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


class _SnapshotReader:
    """Reader on a connection that is in a read transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def read(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """Return the rows of each SELECT. See `Reader.read`."""
        return await _in_thread(self._read, statements)

    def _read(self, statements: Sequence[Statement]) -> Sequence[Sequence[Row]]:
        return run_statements(self._connection, statements)


async def _in_thread(read: _Read, statements: Sequence[Statement]) -> Sequence[Sequence[Row]]:
    try:
        return await in_thread(partial(read, statements))
    # A bug of ours, which no retry cures, must not look like an outage.
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.Error as error:
        raise _unreadable(error) from error


def _unreadable(error: sqlite3.Error) -> DatabaseUnavailableError:
    _log.error("the database could not be read", reason=str(error))
    return DatabaseUnavailableError(RETRY_AFTER_S)

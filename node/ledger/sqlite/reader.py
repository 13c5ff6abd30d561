"""Reading a ledger's file beside whoever writes it: nothing waits for a reader, and it sees one moment."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import structlog

from node.ledger.books import Row, Statement
from node.ledger.limits import LedgerLimits
from node.ledger.rules import billing_unavailable

_BUSY_TIMEOUT_S: Final = 5.0
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
            try:
                return await asyncio.to_thread(self._read, statements)
            except sqlite3.ProgrammingError:
                raise
            except sqlite3.Error as error:
                _log.error("the ledger could not be read", reason=str(error))
                raise billing_unavailable(self._retry_after_s) from error

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

"""The write-ahead log of a ledger that is read all the time.

SQLite begins it anew at a moment at which nobody reads of it. Readers that follow one another without a gap leave no
such moment, and whoever lists charges in a loop would fill the disk.
"""

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

from node.ledger.sqlite.reader import SqliteReader

MAX_LOG_BYTES: Final = 64 * 1024 * 1024
"""Above which the next reader waits until the others are done and the log is empty."""

_PATIENCE_S: Final = 1.0
"""With readers in other processes (`svc-node ledger check`): then the log may grow by as much again."""


class WriteAheadLog:
    """Kept short by those who read, with `reader`; `emptied` is called when that has been done."""

    def __init__(self, path: Path, reader: SqliteReader, emptied: Callable[[], None]) -> None:
        self._uri = f"{path.absolute().as_uri()}?mode=rw"
        self._reader = reader
        self._emptied = emptied
        self._bound = MAX_LOG_BYTES
        self._turn = asyncio.Lock()

    async def keep_short(self) -> None:
        """To be called before each read."""
        if self._reader.log_bytes < self._bound:
            return
        async with self._turn:
            if self._reader.log_bytes >= self._bound:
                await self._reader.alone(self._shorten)
                self._emptied()
                left = self._reader.log_bytes
                self._bound = MAX_LOG_BYTES if left < MAX_LOG_BYTES else left + MAX_LOG_BYTES

    def _shorten(self) -> None:
        with (
            contextlib.suppress(sqlite3.Error),
            contextlib.closing(sqlite3.connect(self._uri, uri=True, timeout=_PATIENCE_S)) as connection,
        ):
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

"""The write-ahead log of a `node.database.sqlite.SqliteDatabase`: flushed with each commit, copied into the file before it grows long.

SQLite would copy it (a checkpoint) within a commit of the event loop, which then waits for two flushes. Here a thread
copies most of it while commits go on; the writer's thread copies the rest before its next commit, which begins the log
anew at its start.
"""

import asyncio
import os
import sqlite3
from pathlib import Path
from typing import Final

_COPY_AFTER_CHANGES: Final = 2_000
"""Changed rows. A ledger entry changes two or three: about 1000 pages, as SQLite's own wal_autocheckpoint."""
_COPY_AFTER_BYTES: Final = 4 * 1024 * 1024
"""Growth of the log's file, for large rows. The file keeps its length when SQLite begins it anew, so length says nothing."""
_COPY: Final = "PRAGMA wal_checkpoint(PASSIVE)"
"""Copies what it can without waiting for readers or writers."""


class Log:
    """The log of the database file `path`, which has been opened and is in WAL mode."""

    def __init__(self, path: Path) -> None:
        # Not SQLite's own descriptor, but the same file: it is neither replaced nor removed while a connection is open.
        self._descriptor = os.open(path.with_name(f"{path.name}-wal"), os.O_RDONLY | os.O_CLOEXEC)
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0)
        self._copied_changes = 0
        self._copied_bytes = self._bytes()
        self._copying: asyncio.Future[None] | None = None
        self.begins_anew = False
        """Whether the next commit has to be made in the writer's thread, after `copy_rest`: it begins the log anew."""

    def flush(self) -> None:
        """Bring all that was written to the log to the disk. Raises OSError."""
        os.fdatasync(self._descriptor)

    def keep_short(self, changes: int) -> None:
        """Copy the log in a thread when it is due. `changes` counts the rows changed since the file was opened."""
        if self._copying is not None or (
            changes - self._copied_changes < _COPY_AFTER_CHANGES
            and self._bytes() - self._copied_bytes < _COPY_AFTER_BYTES
        ):
            return
        self._copied_changes, self._copied_bytes = changes, self._bytes()
        self._copying = asyncio.get_running_loop().run_in_executor(None, self._copy)
        self._copying.add_done_callback(self._copied)

    def copy_rest(self, connection: sqlite3.Connection) -> None:
        """Copy the rest, just before a commit on this connection."""
        self.begins_anew = False
        _copy(connection)

    async def copied(self) -> None:
        """Wait for the copying under way."""
        if self._copying is not None:
            await asyncio.wait([self._copying])

    def close(self) -> None:
        """Close. To be called before the connection that writes is closed."""
        self._connection.close()
        os.close(self._descriptor)

    def _bytes(self) -> int:
        return os.fstat(self._descriptor).st_size

    def _copy(self) -> None:
        _copy(self._connection)

    def _copied(self, _: "asyncio.Future[None]") -> None:
        self._copying = None
        self.begins_anew = True


def _copy(connection: sqlite3.Connection) -> None:
    """Copy; after a failure (a full disk) a later call copies the rest. The log is as durable as the file."""
    try:
        connection.execute(_COPY).fetchone()
    except sqlite3.Error:
        return

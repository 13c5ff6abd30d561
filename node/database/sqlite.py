"""SQLite database behind the `Database` port: one file, one connection that writes, one durable commit for many callers.

Work that is queued while a commit is under way is executed together and flushed together, each piece in a savepoint of
its own, so that one that fails undoes nothing of the others. Small work is executed on the event loop, all other work in
the writer's thread. The flush to the disk is always made in that thread, and no caller learns of its outcome before.

Durability. `synchronous=NORMAL` makes SQLite write a commit to the log (WAL) without flushing it; what `FULL` adds is one
flush of the log at the end of each commit, and that flush is `SqliteDatabase._flush`. Frames of the log are written in order and
chained by checksums, so after a power cut SQLite finds every commit up to the first frame that is missing: a commit whose
flush has returned is among them. Log and file stay consistent without that flush: in `NORMAL` as in `FULL`, SQLite flushes
the log before a checkpoint copies it into the file, the file before the log begins anew, and the log's header then.
"""

import asyncio
import contextlib
import fcntl
import os
import queue
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final, Generic, TypeVar

import structlog

from node.database.migrations import SQLITE_VERSIONS, migrate_sqlite
from node.database.port import RETRY_AFTER_S, CommitUnknownError, DatabaseUnavailableError, Row, Statement
from node.database.sqlite_reader import LogShortener, SqliteReader, run_statements
from node.errors import StartupRefusedError

_COPY_AFTER_CHANGES: Final = 2_000
"""Changed rows. A ledger entry changes two or three: about 1000 pages, as SQLite's own wal_autocheckpoint."""
_COPY_AFTER_BYTES: Final = 4 * 1024 * 1024
"""Growth of the log's file, for large rows. The file keeps its length when SQLite begins it anew, so length says nothing."""
_COPY: Final = "PRAGMA wal_checkpoint(PASSIVE)"
"""Copies what it can without waiting for readers or writers."""


class Log:
    """Write-ahead log of the database file `path`, which has been opened and is in WAL mode.

    SQLite would copy it into the file (a checkpoint) within a commit of the event loop, which then waits for two flushes.
    Here a thread copies most of it while commits go on; the writer's thread copies the rest before its next commit, which
    begins the log anew at its start.
    """

    def __init__(self, path: Path) -> None:
        with contextlib.ExitStack() as undo:
            # Not SQLite's own descriptor, but the same file: nobody replaces or removes it while a connection is open.
            self._descriptor = os.open(path.with_name(f"{path.name}-wal"), os.O_RDONLY | os.O_CLOEXEC)
            undo.callback(os.close, self._descriptor)
            self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0)
            undo.pop_all()
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


T = TypeVar("T")

Work = Callable[[sqlite3.Connection], T]
"""Runs inside a transaction: it neither begins, commits nor keeps the connection."""

MAX_WORKS_PER_COMMIT = 512
"""Far above what gathers during a flush. Bounds how long the first of a long queue waits for the last."""

# No busy_timeout: SQLite would wait on the event loop. No checkpoints of its own: `Log` makes them.
_PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL", "wal_autocheckpoint=0", "foreign_keys=ON", "busy_timeout=0")
_BUSY_TIMEOUT_S: Final = 5.0
"""Wait of the writer's thread for a lock of another process, such as an operator's shell. The event loop never waits."""
_BUSY_PAUSE_S: Final = 0.005
_BUSY: Final = sqlite3.SQLITE_BUSY
_PRIMARY_CODE: Final = 0xFF
"""Mask of the primary code in SQLite's extended error codes."""

_log = structlog.get_logger(__name__)


class _Job(Generic[T]):
    """Work and the callback that receives its outcome once it is durable. `is_small`: it may run on the event loop."""

    def __init__(self, work: Work[T], done: Callable[[T | BaseException], None], *, is_small: bool) -> None:
        self.work = work
        self.is_small = is_small
        self._done = done
        self._outcome: T | BaseException

    def execute_alone(self, connection: sqlite3.Connection) -> None:
        """Run as the only work of a transaction, which a failure ends."""
        self._outcome = self.work(connection)

    def execute(self, connection: sqlite3.Connection) -> None:
        """Run inside a savepoint; a failure undoes this work alone."""
        connection.execute("SAVEPOINT work")
        try:
            self._outcome = self.work(connection)
        except BaseException as error:  # noqa: BLE001 - carried to the caller, who sees it raised
            self._outcome = error
            connection.execute("ROLLBACK TO work")
        connection.execute("RELEASE work")

    def deliver(self, commit_error: BaseException | None) -> None:
        """Call back with the value, the work's own error, or the error of the commit."""
        self._done(commit_error or self._outcome)


class SqliteDatabase:
    """SQLite file (mode 0600, WAL, every commit flushed) owned by this process alone; used in one event loop.

    Components share a file: each calls `migrate` with its own name and keeps its own tables.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: int, log: Log) -> None:
        self._connection = connection
        self._lock = lock
        self._log = log
        self._reader = SqliteReader(path)
        self._shortener = LogShortener(path, self._reader, self._log_was_emptied)
        self._loop = asyncio.get_running_loop()
        self._jobs: deque[_Job[object]] = deque()
        self._under_way: Sequence[_Job[object]] = ()
        """Jobs that are being executed or flushed. Until they end, the connection is theirs alone."""
        self._ended: list[asyncio.Future[None]] = []
        self._is_begun = False
        self._failed: BaseException | None = None
        self._closed = False
        self._tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        # A daemon: a process that dies without closing must not hang; what is committed is safe anyhow.
        self._thread = threading.Thread(target=self._serve, name="sqlite-writer", daemon=True)
        self._thread.start()

    @classmethod
    async def open(cls, path: Path) -> "SqliteDatabase":
        """Open or create the file (and its directory, mode 0700).

        Raises StartupRefusedError when another process has it open, or when it cannot be opened.
        """
        return cls(path, *await asyncio.to_thread(_connect, path))

    async def migrate(self, component: str, steps: Sequence[str]) -> None:
        """As `Database` says."""
        await self.run(partial(migrate_sqlite, component=component, steps=steps))

    async def execute(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """As `Database` says; calls that run at the same time share a flush.

        Raises sqlite3.IntegrityError for a row that the tables forbid; then nothing of it is kept.
        """
        try:
            return await self.run(partial(run_statements, statements=statements))
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
            raise
        except (sqlite3.Error, RuntimeError) as error:
            _log.error("the database could not be written", reason=str(error))
            # After a flush that failed the disk may have it: the next start tells.
            kind = DatabaseUnavailableError if self._failed is None else CommitUnknownError
            raise kind(RETRY_AFTER_S) from error

    async def read(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """As `Database` says, on a connection of its own."""
        await self._shortener.keep_short()
        found = await self._reader.read(*statements)
        try:
            await self.flushed()  # a commit is visible before it is durable: nobody may act on it until then
        except sqlite3.Error as error:
            raise DatabaseUnavailableError(RETRY_AFTER_S) from error
        return found

    async def run(self, work: Work[T]) -> T:
        """Execute `work` in the writer's thread; what it wrote is on disk when this returns.

        What `work` raises is raised here and nothing of it is kept. When the disk refuses the commit every work
        in it raises sqlite3.OperationalError and none is kept. Cancelling the caller does not cancel the work.
        """
        outcome: asyncio.Future[T] = self._loop.create_future()

        def done(value: T | BaseException) -> None:
            if outcome.done():
                return
            if isinstance(value, BaseException):
                outcome.set_exception(value)
            else:
                outcome.set_result(value)

        self.submit(work, done)
        return await outcome

    def submit(self, work: Work[T], done: Callable[[T | BaseException], None], *, is_small: bool = False) -> None:
        """Queue `work` as `run` does, and call `done` on the event loop with the value or the error.

        `is_small` work takes well under a millisecond and touches no cold pages: it may be executed on the event loop.
        Raises RuntimeError when closed.
        """
        if self._closed:
            raise RuntimeError("The database is closed.")
        self._jobs.append(_Job(work, done, is_small=is_small))  # type: ignore[arg-type]  # jobs of any kind; mypy has no existential
        # Small work has been gathered by its caller, and nothing more of it comes before the next turn of the event loop.
        if is_small and not self._is_begun and not self._under_way:
            self._begin()
        else:
            self._begin_soon()

    async def flushed(self) -> None:
        """Wait until all that readers of the file see by now is on disk: a commit is visible before it is flushed.

        Raises sqlite3.OperationalError when the disk failed.
        """
        # What is merely queued is not visible to readers yet, so nobody waits for it.
        if self._under_way:
            await self._end()
        if self._failed is not None:
            raise self._failed

    async def close(self) -> None:
        """Finish what is queued, then close the file. Closing twice is nothing."""
        if self._closed:
            return
        self._closed = True
        while self._jobs or self._under_way:
            await self._end()
        # The copying has a connection of its own, which `_serve` closes.
        await self._log.copied()
        self._tasks.put(None)
        await asyncio.to_thread(self._thread.join)

    def _log_was_emptied(self) -> None:
        """Have the next commit made in the thread: the reader emptied the log, and SQLite flushes its header with that commit."""
        self._log.begins_anew = True

    async def _end(self) -> None:
        """Wait for the end of a commit."""
        ended = self._loop.create_future()
        self._ended.append(ended)
        await ended

    def _begin_soon(self) -> None:
        """Begin a commit once the callbacks that are ready now have run, so that it takes what they add."""
        if not self._is_begun and not self._under_way:
            self._is_begun = True
            self._loop.call_soon(self._begin)

    def _begin(self) -> None:
        self._is_begun = False
        jobs = self._under_way = [self._jobs.popleft() for _ in range(min(len(self._jobs), MAX_WORKS_PER_COMMIT))]
        if self._failed is not None:
            self._finish(self._failed)
        elif not self._log.begins_anew and all(job.is_small for job in jobs):
            error = self._execute(jobs)
            if error is None:
                self._tasks.put(self._flush)
            # Another process has the file's lock, an operator's shell: the thread may wait for it, the event loop
            # may not.
            elif _is_busy(error):
                self._tasks.put(partial(self._commit, jobs))
            else:
                self._finish(error)
        else:
            self._tasks.put(partial(self._commit, jobs))

    def _finish(self, error: BaseException | None) -> None:
        """Call every job back; on the event loop."""
        jobs, self._under_way = self._under_way, ()
        for job in jobs:
            try:
                job.deliver(error)
            except Exception as raised:  # noqa: BLE001 - a bug of one caller must not keep the others waiting
                self._loop.call_exception_handler({"message": "a database callback failed", "exception": raised})
        ended, self._ended = self._ended, []
        for waiter in ended:
            if not waiter.done():
                waiter.set_result(None)
        self._log.keep_short(self._connection.total_changes)
        if self._jobs:
            self._begin_soon()

    def _serve(self) -> None:
        """Run the writer's thread."""
        while (task := self._tasks.get()) is not None:
            task()
        # Before the other: whichever connection is closed last copies the log into the file and removes it
        # (https://www.sqlite.org/wal.html).
        self._log.close()
        with contextlib.closing(self._connection):
            os.close(self._lock)

    def _commit(self, jobs: Sequence[_Job[object]]) -> None:
        """Execute and flush; in the writer's thread."""
        if self._log.begins_anew:
            self._log.copy_rest(self._connection)
        patience_ends = time.monotonic() + _BUSY_TIMEOUT_S
        while (error := self._execute(jobs)) is not None and _is_busy(error) and time.monotonic() < patience_ends:
            time.sleep(_BUSY_PAUSE_S)
        if error is None:
            self._flush()
        else:
            self._notify(error)

    def _flush(self) -> None:
        """Flush the log, which makes the commit durable; in the writer's thread."""
        # After a failed flush the state of the disk is unknown, and a later flush that succeeds proves nothing: Linux
        # has dropped the dirty pages. So nothing more is written or returned until the file is opened again.
        error: BaseException | None = None
        try:
            self._log.flush()
        except OSError as raised:
            error = self._failed = sqlite3.OperationalError(f"the disk did not take a flush: {raised.strerror}")
        self._notify(error)

    def _notify(self, error: BaseException | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed, and nobody waits
            self._loop.call_soon_threadsafe(self._finish, error)

    def _execute(self, jobs: Sequence[_Job[object]]) -> BaseException | None:
        """Execute all in one transaction. Returns the error that prevented its commit; a commit is not durable yet."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            # Alone it needs no savepoint: the ROLLBACK below undoes it and nothing else.
            if len(jobs) == 1 and jobs[0].is_small:
                jobs[0].execute_alone(self._connection)
            else:
                for job in jobs:
                    job.execute(self._connection)
            self._connection.execute("COMMIT")
        except BaseException as error:  # noqa: BLE001 - every waiting caller receives it
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            return error
        return None


def _is_busy(error: BaseException) -> bool:
    return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & _PRIMARY_CODE == _BUSY


def _connect(path: Path) -> tuple[sqlite3.Connection, int, Log]:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = _claim(path)
    with contextlib.ExitStack() as undo:
        # Undone last: until the connections are closed the file is this process's.
        undo.callback(os.close, lock)
        try:
            # Made here with its mode: SQLite would give it the process's umask.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            path.chmod(0o600)
            connection = undo.enter_context(
                contextlib.closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False))
            )
            for pragma in _PRAGMAS:
                connection.execute(f"PRAGMA {pragma}")
            connection.execute(SQLITE_VERSIONS)
            log = undo.enter_context(contextlib.closing(Log(path)))
            _flush_directory(path.parent)
        except (sqlite3.Error, OSError) as error:
            raise StartupRefusedError("data_dir", f"{path} cannot be opened as a database: {error}") from error
        undo.pop_all()
    return connection, lock, log


def _claim(path: Path) -> int:
    """Take an advisory lock beside the file, held until the process ends: two writers of one journal would race."""
    lock = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        raise StartupRefusedError("data_dir", f"{path} is in use by another process: stop it first.") from error
    return lock


def _flush_directory(directory: Path) -> None:
    """Flush the directory: a new file is durable only when its directory entry is."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

"""SQLite database behind the `Database` port, with one writing connection and group commit.

A flush for each call would limit the node to the disk's flushes. So work queued during a commit is
executed and flushed together, each in its own savepoint, whose failure undoes nothing else. Small
work runs on the event loop, other work and all flushes in the writer's thread. No caller gets a
result before the flush.

With `synchronous=NORMAL` SQLite writes a commit to the write-ahead log (WAL) unflushed. `FULL` adds
one flush per commit, which `SqliteDatabase._flush` makes here. Frames of the log are chained by
checksums, so after a power cut SQLite restores every commit whose flush returned. In both modes it
flushes the log before a checkpoint, then the file, then the restarted log's header.
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
"""Changed rows after which the log is copied, about 1000 pages as in SQLite's default."""
_COPY_AFTER_BYTES: Final = 4 * 1024 * 1024
"""Growth of the log's file after which it is copied. A restarted log keeps its file's length."""
_COPY: Final = "PRAGMA wal_checkpoint(PASSIVE)"
"""SQL that copies as much as it can without waiting for readers or writers."""


class Log:
    """Write-ahead log of the database file `path`, which has been opened and is in WAL mode.

    SQLite would copy it into the file (a checkpoint) within a commit, and the event loop would wait
    for two flushes. Here a thread copies most of it during commits. The writer's thread copies the
    rest before its next commit, which restarts the log.
    """

    def __init__(self, path: Path) -> None:
        with contextlib.ExitStack() as undo:
            # The same file as SQLite's, which is not replaced while a connection is open.
            self._descriptor = os.open(path.with_name(f"{path.name}-wal"), os.O_RDONLY | os.O_CLOEXEC)
            undo.callback(os.close, self._descriptor)
            self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0)
            undo.pop_all()
        self._copied_changes = 0
        self._copied_bytes = self._bytes()
        self._copying: asyncio.Future[None] | None = None
        self.begins_anew = False
        """Whether the next commit restarts the log, so that the writer's thread makes it."""

    def flush(self) -> None:
        """Flush all that was written to the log to the disk. Raises OSError."""
        os.fdatasync(self._descriptor)

    def keep_short(self, changes: int) -> None:
        """Copy the log in a thread if due. `changes` counts the rows changed since opening."""
        if self._copying is not None or (
            changes - self._copied_changes < _COPY_AFTER_CHANGES
            and self._bytes() - self._copied_bytes < _COPY_AFTER_BYTES
        ):
            return
        self._copied_changes, self._copied_bytes = changes, self._bytes()
        self._copying = asyncio.get_running_loop().run_in_executor(None, self._copy)
        self._copying.add_done_callback(self._copied)

    def copy_rest(self, connection: sqlite3.Connection) -> None:
        """Copy the rest. Call it just before a commit on this connection."""
        self.begins_anew = False
        _copy(connection)

    async def copied(self) -> None:
        """Wait for the copying under way."""
        if self._copying is not None:
            await asyncio.wait([self._copying])

    def close(self) -> None:
        """Close the connection. Call it before the writing connection is closed."""
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
    """Copy the log. After a failure (a full disk) the log keeps the rest for a later call."""
    try:
        connection.execute(_COPY).fetchone()
    except sqlite3.Error:
        return


T = TypeVar("T")

Work = Callable[[sqlite3.Connection], T]
"""Function that runs inside a transaction, without BEGIN or COMMIT. It keeps no connection."""

MAX_WORKS_PER_COMMIT = 512
"""Maximum jobs in a commit, so that the first need not wait for a long queue."""

# With a busy_timeout SQLite would block the event loop. `Log` makes the checkpoints.
_PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL", "wal_autocheckpoint=0", "foreign_keys=ON", "busy_timeout=0")
_BUSY_TIMEOUT_S: Final = 5.0
"""Wait of the writer's thread for another process's lock, such as that of an operator's shell."""
_BUSY_PAUSE_S: Final = 0.005
_BUSY: Final = sqlite3.SQLITE_BUSY
_PRIMARY_CODE: Final = 0xFF
"""Mask of the primary code in SQLite's extended error codes."""

_log = structlog.get_logger(__name__)


class _Job(Generic[T]):
    """Work and the callback for its durable outcome. The event loop may run small work."""

    def __init__(self, work: Work[T], done: Callable[[T | BaseException], None], *, is_small: bool) -> None:
        self.work = work
        self.is_small = is_small
        self._done = done
        self._outcome: T | BaseException

    def execute_alone(self, connection: sqlite3.Connection) -> None:
        """Run as the only work of a transaction, which a failure undoes."""
        self._outcome = self.work(connection)

    def execute(self, connection: sqlite3.Connection) -> None:
        """Run inside a savepoint; a failure undoes this work alone."""
        connection.execute("SAVEPOINT work")
        try:
            self._outcome = self.work(connection)
        except BaseException as error:  # noqa: BLE001 - raised to the caller
            self._outcome = error
            connection.execute("ROLLBACK TO work")
        connection.execute("RELEASE work")

    def deliver(self, commit_error: BaseException | None) -> None:
        """Call back with the value, the work's own error, or the commit's error."""
        self._done(commit_error or self._outcome)


class SqliteDatabase:
    """SQLite file (mode 0600, WAL, every commit flushed) of this process, for one event loop.

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
        """Jobs being executed or flushed. Until they end, no other job uses the connection."""
        self._ended: list[asyncio.Future[None]] = []
        self._is_begun = False
        self._failed: BaseException | None = None
        self._closed = False
        self._tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        # A daemon thread, so that a process that ends without closing does not hang.
        self._thread = threading.Thread(target=self._serve, name="sqlite-writer", daemon=True)
        self._thread.start()

    @classmethod
    async def open(cls, path: Path) -> "SqliteDatabase":
        """Open or create the file (and its directory, mode 0700).

        Raises StartupRefusedError if another process has it open, or if it cannot be opened.
        """
        return cls(path, *await asyncio.to_thread(_connect, path))

    @property
    def has_failed(self) -> bool:
        """Whether a flush has failed. Only the next start shows whether its commit is on disk."""
        return self._failed is not None

    async def migrate(self, component: str, steps: Sequence[str]) -> None:
        """Run the pending steps in one transaction. See `Database.migrate`."""
        await self.run(partial(migrate_sqlite, component=component, steps=steps))

    async def execute(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """Run the statements in one durable transaction. See `Database.execute`.

        Raises sqlite3.IntegrityError for a row that the tables forbid, and then keeps nothing.
        """
        try:
            return await self.run(partial(run_statements, statements=statements))
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
            raise
        except (sqlite3.Error, RuntimeError) as error:
            _log.error("the database could not be written", reason=str(error))
            # After a failed flush the commit may be on the disk, which only the next start shows.
            kind = DatabaseUnavailableError if self._failed is None else CommitUnknownError
            raise kind(RETRY_AFTER_S) from error

    async def read(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """Return the rows of each SELECT, on another connection. See `Reader.read`."""
        await self._shortener.keep_short()
        found = await self._reader.read(*statements)
        try:
            await self.flushed()  # a commit is visible before it is durable
        except sqlite3.Error as error:
            raise DatabaseUnavailableError(RETRY_AFTER_S) from error
        return found

    async def run(self, work: Work[T]) -> T:
        """Execute `work` in the writer's thread; what it wrote is on disk when this returns.

        If `work` raises, its error is raised here and it is undone. If the disk refuses the commit,
        all its work raises sqlite3.OperationalError. Cancelling the caller does not cancel it.
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
        """Queue `work`, and call `done` on the event loop with the value or the error. See `run`.

        `is_small` work takes well under a millisecond and reads no cold pages, so it may run on
        the event loop. Raises RuntimeError if closed.
        """
        if self._closed:
            raise RuntimeError("The database is closed.")
        self._jobs.append(_Job(work, done, is_small=is_small))  # type: ignore[arg-type]  # mypy has no existential
        # The caller has gathered all small work of this iteration of the event loop.
        if is_small and not self._is_begun and not self._under_way:
            self._begin()
        else:
            self._begin_soon()

    async def flushed(self) -> None:
        """Wait until everything that readers of the file see now is on the disk.

        Raises sqlite3.OperationalError if the disk failed.
        """
        # Readers do not see queued work yet, so they need not wait for it.
        if self._under_way:
            await self._end()
        if self._failed is not None:
            raise self._failed

    async def close(self) -> None:
        """Finish the queued work, then close the file. Idempotent."""
        if self._closed:
            return
        self._closed = True
        while self._jobs or self._under_way:
            await self._end()
        # The copying uses another connection, which `_serve` closes.
        await self._log.copied()
        self._tasks.put(None)
        await asyncio.to_thread(self._thread.join)

    def _log_was_emptied(self) -> None:
        """Make the next commit in the thread, since it flushes the header of the emptied log."""
        self._log.begins_anew = True

    async def _end(self) -> None:
        """Wait for the end of a commit."""
        ended = self._loop.create_future()
        self._ended.append(ended)
        await ended

    def _begin_soon(self) -> None:
        """Begin a commit after the callbacks that are ready now, so that it includes their work."""
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
            # Another process, such as an operator's shell, has the file's lock. The thread may wait
            # for it; the event loop may not.
            elif _is_busy(error):
                self._tasks.put(partial(self._commit, jobs))
            else:
                self._finish(error)
        else:
            self._tasks.put(partial(self._commit, jobs))

    def _finish(self, error: BaseException | None) -> None:
        """Call every job back, on the event loop."""
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
        # Closed first, since the last connection copies the log into the file and removes it
        # (https://www.sqlite.org/wal.html).
        self._log.close()
        with contextlib.closing(self._connection):
            os.close(self._lock)

    def _commit(self, jobs: Sequence[_Job[object]]) -> None:
        """Execute and flush, in the writer's thread."""
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
        """Flush the log in the writer's thread, which makes the commit durable."""
        # After a failed flush Linux drops the dirty pages, so a later flush could succeed although
        # the commit is lost. So nothing more is written or read until the file is opened again.
        error: BaseException | None = None
        try:
            self._log.flush()
        except OSError as raised:
            error = self._failed = sqlite3.OperationalError(f"the disk did not take a flush: {raised.strerror}")
        self._notify(error)

    def _notify(self, error: BaseException | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed, so no caller waits
            self._loop.call_soon_threadsafe(self._finish, error)

    def _execute(self, jobs: Sequence[_Job[object]]) -> BaseException | None:
        """Execute all in one transaction, not durable yet. Returns the error that prevented it."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            # A single job needs no savepoint, since the ROLLBACK below undoes nothing else.
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
        # Undone last, since the file belongs to this process until the connections are closed.
        undo.callback(os.close, lock)
        try:
            # Created here for its mode, since SQLite would apply the process's umask.
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
    """Take an advisory lock beside the file until the process ends: two writers would race."""
    lock = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        raise StartupRefusedError("data_dir", f"{path} is in use by another process: stop it first.") from error
    return lock


def _flush_directory(directory: Path) -> None:
    """Flush the directory, since a new file is durable only with its directory entry."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

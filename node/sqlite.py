"""SQLite as the node uses it: one file, one writer thread, many callers sharing one durable commit.

A commit that survives a power cut costs one disk flush. Work that is queued while a flush is under way is
executed together and flushed together, each piece in a savepoint of its own, so that one that fails undoes
nothing of the others. The connection never leaves its thread.
"""

import asyncio
import contextlib
import fcntl
import os
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Generic, TypeVar

from node.errors import StartupRefusedError

T = TypeVar("T")

Work = Callable[[sqlite3.Connection], T]
"""Runs in the writer thread inside a transaction: it neither begins, commits nor keeps the connection."""

MAX_WORKS_PER_COMMIT = 512
"""So that the first of a long queue does not wait for the last; far above what a flush gathers."""

_PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000")
_MIGRATIONS = "CREATE TABLE IF NOT EXISTS schema_version (component TEXT PRIMARY KEY, steps INTEGER NOT NULL) STRICT"


class _Job(Generic[T]):
    """One piece of work and where its outcome goes, once it is durable."""

    def __init__(self, work: Work[T]) -> None:
        self.work = work
        self.outcome: Future[T] = Future()
        self._value: T
        self._error: BaseException | None = None

    def execute(self, connection: sqlite3.Connection) -> None:
        """Run inside a savepoint; a failure undoes this work alone."""
        connection.execute("SAVEPOINT work")
        try:
            self._value = self.work(connection)
        except BaseException as error:  # noqa: BLE001 - carried to the caller, who sees it raised
            self._error = error
            connection.execute("ROLLBACK TO work")
        connection.execute("RELEASE work")

    def deliver(self, commit_error: BaseException | None) -> None:
        """Hand over the value, the work's own error, or why the commit failed."""
        error = commit_error or self._error
        if error is not None:
            self.outcome.set_exception(error)
        else:
            self.outcome.set_result(self._value)


class Database:
    """One SQLite file (mode 0600, WAL, `synchronous=FULL`) owned by this process alone.

    Rooms share a file: each calls `migrate` with its own component name and keeps its own tables.
    """

    def __init__(self, connection: sqlite3.Connection, lock: int) -> None:
        self._connection = connection
        self._lock = lock
        self._jobs: queue.SimpleQueue[_Job[object] | None] = queue.SimpleQueue()
        self._closed = False
        # A daemon: a process that dies without closing must not hang; what is committed is safe anyhow.
        self._thread = threading.Thread(target=self._serve, name="sqlite-writer", daemon=True)
        self._thread.start()

    @classmethod
    async def open(cls, path: Path) -> "Database":
        """Open or create the file (and its directory, mode 0700).

        Raises StartupRefusedError when another process has it open, or when it cannot be opened.
        """
        connection, lock = await asyncio.to_thread(_connect, path)
        return cls(connection, lock)

    async def migrate(self, component: str, steps: Sequence[str]) -> None:
        """Bring the tables of `component` up to date: steps it has not run yet are run in order, all or none.

        Steps are only ever appended. Raises StartupRefusedError when the file was written by a newer version.
        """

        def work(connection: sqlite3.Connection) -> None:
            row = connection.execute("SELECT steps FROM schema_version WHERE component = ?", (component,)).fetchone()
            done: int = row[0] if row else 0
            if done > len(steps):
                raise StartupRefusedError("data_dir", f"The tables of {component} were written by a newer version.")
            for step in steps[done:]:
                connection.execute(step)
            connection.execute("INSERT OR REPLACE INTO schema_version VALUES (?, ?)", (component, len(steps)))

        await self.run(work)

    async def run(self, work: Work[T]) -> T:
        """Execute `work` in the writer thread; what it wrote is on disk when this returns.

        What `work` raises is raised here and nothing of it is kept. When the disk refuses the commit every work
        in it raises sqlite3.OperationalError and none is kept. Cancelling the caller does not cancel the work.
        """
        if self._closed:
            raise RuntimeError("The database is closed.")
        job: _Job[T] = _Job(work)
        self._jobs.put(job)  # type: ignore[arg-type]  # the queue is of jobs of any kind; mypy has no existential
        return await asyncio.shield(asyncio.wrap_future(job.outcome))

    async def close(self) -> None:
        """Finish what is queued, then close the file. Closing twice is nothing."""
        if self._closed:
            return
        self._closed = True
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)

    def _serve(self) -> None:
        open_ = True
        while open_:
            jobs, open_ = self._take()
            if jobs:
                self._commit(jobs)
        with contextlib.closing(self._connection):
            os.close(self._lock)

    def _take(self) -> tuple[list[_Job[object]], bool]:
        """Wait for work; everything queued by then, and whether to go on afterwards."""
        jobs: list[_Job[object]] = []
        job = self._jobs.get()
        while job is not None:
            jobs.append(job)
            if len(jobs) == MAX_WORKS_PER_COMMIT:
                return jobs, True
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return jobs, True
        return jobs, False

    def _commit(self, jobs: Sequence[_Job[object]]) -> None:
        error: BaseException | None = None
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for job in jobs:
                job.execute(self._connection)
            self._connection.execute("COMMIT")
        except BaseException as raised:  # noqa: BLE001 - every waiting caller is told
            error = raised
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
        for job in jobs:
            job.deliver(error)


def _connect(path: Path) -> tuple[sqlite3.Connection, int]:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = _claim(path)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        path.chmod(0o600)
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        connection.execute(_MIGRATIONS)
        _flush_directory(path.parent)
    except (sqlite3.Error, OSError) as error:
        os.close(lock)
        raise StartupRefusedError("data_dir", f"{path} cannot be opened as a database: {error}") from error
    return connection, lock


def _claim(path: Path) -> int:
    """An advisory lock beside the file, held until the process ends: two writers of one journal would race."""
    lock = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        raise StartupRefusedError("data_dir", f"{path} is in use by another process: stop it first.") from error
    return lock


def _flush_directory(directory: Path) -> None:
    """A new file is durable only when its directory entry is."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

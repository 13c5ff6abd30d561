"""Group commit: calls that come while one batch is being flushed go together in the next; one batch at a time."""

import asyncio
import json
import sqlite3
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import structlog

from node.database.port import RETRY_AFTER_S, Statement
from node.database.sqlite import SqliteDatabase
from node.database.sqlite_reader import run_statements
from node.ledger.entries import COLUMNS, Entry, cause_taken
from node.ledger.errors import LedgerUnavailableError

MAX_ENTRIES_PER_COMMIT: Final = 1_000
"""Charges and postings that share one durable commit: far above what gathers while one is flushed."""
MAX_SMALL_CHARGES: Final = 32
"""Charges entered on the event loop at a time: each takes some 20 microseconds."""

_INSERT: Final = f"INSERT INTO ledger_entry ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608 - constants alone
# One JSON array for any number of names: SQLite bounds the parameters of a statement (sqlite.org/limits.html).
_KNOWN: Final = "SELECT cause FROM ledger_entry WHERE cause IN (SELECT value FROM json_each(?))"
_TRANSFER: Final = "SELECT debit_book, credit_book, amount_microdollars FROM ledger_entry WHERE cause = ?"
_BALANCES: Final = """
    SELECT book, balance_microdollars FROM ledger_account WHERE book IN (SELECT value FROM json_each(?))
"""
_TOUCHED: Final = """
    SELECT (
        SELECT at_ms FROM ledger_entry WHERE debit_book = value AND debit_book LIKE 'account:%' ORDER BY at_ms DESC LIMIT 1
    ) FROM json_each(?)
"""
"""Reads what the next charge of each book changes, so that it finds it in memory: such charges run on the event loop."""
_SPENT: Final = """
    SELECT usage_key, spent_microdollars FROM ledger_usage_key WHERE usage_key IN (SELECT value FROM json_each(?))
"""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PostingWork:
    """Entry of a posting, and the other statements of its transaction."""

    entry: Entry
    also: Sequence[Statement]


@dataclass(slots=True)
class Batch:
    """Charges and postings to enter; books, usage keys and causes to look up besides."""

    charges: list[Entry] = field(default_factory=list)
    postings: list[PostingWork] = field(default_factory=list)
    books: set[str] = field(default_factory=set)
    usage_keys: set[str] = field(default_factory=set)
    causes: set[str] = field(default_factory=set)

    @property
    def is_small(self) -> bool:
        """Whether it is a few charges and nothing else: what they touch is in memory since their accounts were read."""
        return len(self.charges) <= MAX_SMALL_CHARGES and self.size == len(self.charges) and not self.usage_keys

    @property
    def size(self) -> int:
        """Measure of its work."""
        return len(self.charges) + len(self.postings) + len(self.books) + len(self.causes)


@dataclass(frozen=True, slots=True)
class Outcome:
    """State after the batch: balances and totals of all it touched or looked up; and the causes entered before it.

    `posted` has for each posting what `LedgerDatabase.post` returns or raises.
    """

    balances: Mapping[str, int]
    spent: Mapping[str, int]
    posted: Sequence[bool | Exception]
    known: Collection[str]


@dataclass(slots=True)
class PendingCommit:
    """Batch on its way to the disk, shared by all callers that put something in it."""

    batch: Batch = field(default_factory=Batch)
    failed: bool = False
    _ended: asyncio.Event = field(default_factory=asyncio.Event)
    _outcome: Outcome | None = None

    def end(self, outcome: Outcome | None) -> None:
        """Wake its callers; without an outcome nothing of it was kept."""
        self._outcome = outcome
        self.failed = outcome is None
        self._ended.set()

    async def ended(self) -> None:
        """Wait until it is on disk, or was not written."""
        await self._ended.wait()

    async def durable(self) -> Outcome:
        """Return what the database says once the batch is on disk. Cancelling a caller does not take its part back.

        Raises LedgerUnavailableError when it could not be written.
        """
        await self._ended.wait()
        if self._outcome is None:
            raise LedgerUnavailableError(RETRY_AFTER_S)
        return self._outcome


class GroupCommit:
    """Gathers batches and writes them, one after the other. `learn` is called with each before its callers are woken.

    At most one batch is being written, so `learn` receives the state of the database until its next call.
    """

    def __init__(self, database: SqliteDatabase, learn: Callable[[Batch, Outcome], None]) -> None:
        self._database = database
        self._learn = learn
        self._gathered: deque[PendingCommit] = deque()
        self._writing: PendingCommit | None = None
        self._closed = False

    def gathering(self) -> PendingCommit:
        """Return the commit that takes what is added before the event loop turns. Raises LedgerUnavailableError when closed."""
        if self._closed:
            raise LedgerUnavailableError(RETRY_AFTER_S)
        if not self._gathered or self._gathered[-1].batch.size >= MAX_ENTRIES_PER_COMMIT:
            self._gathered.append(PendingCommit())
            # Deferred by one turn of the loop: all requests of that turn share one flush.
            if self._writing is None and len(self._gathered) == 1:
                asyncio.get_running_loop().call_soon(self._write)
        return self._gathered[-1]

    async def close(self) -> None:
        """Take nothing more and write what was taken."""
        self._closed = True
        while (commit := self._writing or (self._gathered[-1] if self._gathered else None)) is not None:
            await commit.ended()

    def _write(self) -> None:
        """Give the oldest batch to the database."""
        commit = self._writing = self._gathered.popleft()
        work = partial(execute_batch, batch=commit.batch)
        try:
            self._database.submit(work, self._written, is_small=commit.batch.is_small)
        except RuntimeError as error:
            self._written(error)

    def _written(self, outcome: Outcome | BaseException) -> None:
        """Wake the callers, whatever the outcome: a call that failed may be repeated."""
        commit, self._writing = self._writing, None
        assert commit is not None  # noqa: S101 - called once for each batch that is being written
        try:
            if isinstance(outcome, BaseException):
                _log.error("the ledger could not be written", error=type(outcome).__name__, reason=str(outcome))
            else:
                # Before the callers wake: a caller that reads its balance next must see this commit.
                self._learn(commit.batch, outcome)
        finally:
            commit.end(None if isinstance(outcome, BaseException) else outcome)
            if self._gathered:
                asyncio.get_running_loop().call_soon(self._write)


def execute_batch(connection: sqlite3.Connection, batch: Batch) -> Outcome:
    """Enter what is new of the batch. A posting that fails undoes itself alone."""
    causes = [*batch.causes, *(entry.cause for entry in batch.charges)]
    known = {row[0] for row in connection.execute(_KNOWN, (json.dumps(causes),))} if causes else set()
    # A charge that an earlier process entered takes nothing again.
    fresh = [entry.row for entry in batch.charges if entry.cause not in known]
    connection.executemany(_INSERT, fresh)
    posted = [_posted(connection, work) for work in batch.postings]
    if batch.books:
        # Warms SQLite's page cache in the writer's thread; the result is of no interest.
        connection.execute(_TOUCHED, (json.dumps(list(batch.books)),)).fetchall()
    # Read inside the transaction: the balances are those that its charges left.
    books = batch.books | {entry.debit_book for entry in batch.charges}
    keys = batch.usage_keys | {entry.usage_key for entry in batch.charges if entry.usage_key is not None}
    return Outcome(_amounts(connection, _BALANCES, books), _amounts(connection, _SPENT, keys), posted, known)


def _amounts(connection: sqlite3.Connection, query: str, names: set[str]) -> Mapping[str, int]:
    """Return the amount of each name; zero for one that has no row yet."""
    if not names:
        return {}
    found = dict.fromkeys(names, 0)
    found.update(connection.execute(query, (json.dumps(list(names)),)).fetchall())
    return found


def _posted(connection: sqlite3.Connection, work: PostingWork) -> bool | Exception:
    # A savepoint for each: one posting that fails must not undo the charges of other callers.
    connection.execute("SAVEPOINT posting")
    outcome: bool | Exception
    try:
        outcome = _post(connection, work.entry)
        run_statements(connection, work.also)
    except Exception as error:  # noqa: BLE001 - carried to the caller of the posting; the others' entries stay
        outcome = error
        connection.execute("ROLLBACK TO posting")
    connection.execute("RELEASE posting")
    return outcome


def _post(connection: sqlite3.Connection, entry: Entry) -> bool:
    there = connection.execute(_TRANSFER, (entry.cause,)).fetchone()
    if there is None:
        connection.execute(_INSERT, entry.row)
    # The same event again is nothing; another amount under its name is a contradiction that nobody may overlook.
    elif not entry.same_transfer(*there):
        raise cause_taken(entry.cause)
    return there is None

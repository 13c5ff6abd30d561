"""Group commit. Calls that arrive while a batch is flushed share the next one."""

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
"""Maximum size of a batch that takes more, far above what arrives during one flush."""
MAX_SMALL_CHARGES: Final = 32
"""Maximum charges of a batch on the event loop; each takes some 20 microseconds."""

_INSERT: Final = f"INSERT INTO ledger_entry ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608 - constants alone
# JSON arrays of names, since SQLite limits a statement's parameters (sqlite.org/limits.html).
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
"""Loads what a book's next charge changes into memory. Small batches run on the event loop."""
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
    """Charges and postings to enter, and books, usage keys and causes to look up."""

    charges: list[Entry] = field(default_factory=list)
    postings: list[PostingWork] = field(default_factory=list)
    books: set[str] = field(default_factory=set)
    usage_keys: set[str] = field(default_factory=set)
    causes: set[str] = field(default_factory=set)

    @property
    def is_small(self) -> bool:
        """Whether it is only a few charges. Their pages are in memory, since accounts were read."""
        return len(self.charges) <= MAX_SMALL_CHARGES and self.size == len(self.charges) and not self.usage_keys

    @property
    def size(self) -> int:
        """Number of charges, postings, books and causes."""
        return len(self.charges) + len(self.postings) + len(self.books) + len(self.causes)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Balances and totals after the batch, of all that it names; and causes entered before it.

    `posted` has for each posting what `LedgerDatabase.post` returns or raises.
    """

    balances: Mapping[str, int]
    spent: Mapping[str, int]
    posted: Sequence[bool | Exception]
    known: Collection[str]


@dataclass(slots=True)
class PendingCommit:
    """Batch to be written, shared by all callers that added to it."""

    batch: Batch = field(default_factory=Batch)
    failed: bool = False
    _ended: asyncio.Event = field(default_factory=asyncio.Event)
    _outcome: Outcome | None = None

    def end(self, outcome: Outcome | None) -> None:
        """Wakes its callers. None means that it could not be written."""
        self._outcome = outcome
        self.failed = outcome is None
        self._ended.set()

    async def ended(self) -> None:
        """Waits until it is on disk or has failed."""
        await self._ended.wait()

    async def durable(self) -> Outcome:
        """Returns the outcome once the batch is on disk. A cancelled caller's part is kept.

        Raises LedgerUnavailableError when it could not be written.
        """
        await self._ended.wait()
        if self._outcome is None:
            raise LedgerUnavailableError(RETRY_AFTER_S)
        return self._outcome


class GroupCommit:
    """Gathers batches and writes one after the other. Calls `learn` before the callers are woken.

    One batch is written at a time, so `learn` gets the state of the database until its next call.
    """

    def __init__(self, database: SqliteDatabase, learn: Callable[[Batch, Outcome], None]) -> None:
        self._database = database
        self._learn = learn
        self._gathered: deque[PendingCommit] = deque()
        self._writing: PendingCommit | None = None
        self._closed = False

    def gathering(self) -> PendingCommit:
        """Returns the commit to add to in this turn of the loop. Raises LedgerUnavailableError."""
        if self._closed:
            raise LedgerUnavailableError(RETRY_AFTER_S)
        if not self._gathered or self._gathered[-1].batch.size >= MAX_ENTRIES_PER_COMMIT:
            self._gathered.append(PendingCommit())
            # Deferred by one turn of the loop, so that all requests of that turn share a flush.
            if self._writing is None and len(self._gathered) == 1:
                asyncio.get_running_loop().call_soon(self._write)
        return self._gathered[-1]

    async def close(self) -> None:
        """Takes nothing more and writes what was taken."""
        self._closed = True
        while (commit := self._writing or (self._gathered[-1] if self._gathered else None)) is not None:
            await commit.ended()

    def _write(self) -> None:
        """Gives the oldest batch to the database."""
        commit = self._writing = self._gathered.popleft()
        work = partial(execute_batch, batch=commit.batch)
        try:
            self._database.submit(work, self._written, is_small=commit.batch.is_small)
        except RuntimeError as error:
            self._written(error)

    def _written(self, outcome: Outcome | BaseException) -> None:
        """Wakes the callers after success or failure. A call that failed may be repeated."""
        commit, self._writing = self._writing, None
        assert commit is not None  # noqa: S101 - called once for each batch that is being written
        try:
            if isinstance(outcome, BaseException):
                _log.error("the ledger could not be written", error=type(outcome).__name__, reason=str(outcome))
            else:
                # Before the callers wake, since they must see this commit in their next balance.
                self._learn(commit.batch, outcome)
        finally:
            commit.end(None if isinstance(outcome, BaseException) else outcome)
            if self._gathered:
                asyncio.get_running_loop().call_soon(self._write)


def execute_batch(connection: sqlite3.Connection, batch: Batch) -> Outcome:
    """Enters what is new of the batch. A posting that fails undoes only itself."""
    causes = [*batch.causes, *(entry.cause for entry in batch.charges)]
    known = {row[0] for row in connection.execute(_KNOWN, (json.dumps(causes),))} if causes else set()
    # A charge that an earlier process entered takes nothing again.
    fresh = [entry.row for entry in batch.charges if entry.cause not in known]
    connection.executemany(_INSERT, fresh)
    posted = [_posted(connection, work) for work in batch.postings]
    if batch.books:
        # Warms SQLite's page cache in the writer's thread; the result is not used.
        connection.execute(_TOUCHED, (json.dumps(list(batch.books)),)).fetchall()
    # Read inside the transaction, so that the balances include its charges.
    books = batch.books | {entry.debit_book for entry in batch.charges}
    keys = batch.usage_keys | {entry.usage_key for entry in batch.charges if entry.usage_key is not None}
    return Outcome(_amounts(connection, _BALANCES, books), _amounts(connection, _SPENT, keys), posted, known)


def _amounts(connection: sqlite3.Connection, query: str, names: set[str]) -> Mapping[str, int]:
    """Returns the amount of each name, zero for one without a row."""
    if not names:
        return {}
    found = dict.fromkeys(names, 0)
    found.update(connection.execute(query, (json.dumps(list(names)),)).fetchall())
    return found


def _posted(connection: sqlite3.Connection, work: PostingWork) -> bool | Exception:
    # Each has a savepoint, so that a posting that fails does not undo other callers' charges.
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
    # A repeated event enters nothing. Another transfer with the same cause is an error.
    elif not entry.same_transfer(*there):
        raise cause_taken(entry.cause)
    return there is None

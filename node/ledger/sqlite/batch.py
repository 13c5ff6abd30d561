"""What is entered together in one durable transaction, and what the database then says."""

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from node.ledger.books import Statement
from node.ledger.entries import COLUMNS, Entry
from node.ledger.rules import cause_taken

_INSERT: Final = f"INSERT INTO ledger_entry ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608 - constants alone
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

MAX_SMALL_CHARGES: Final = 32
"""Charges entered on the event loop at a time: each takes some 20 microseconds."""


@dataclass(frozen=True, slots=True)
class PostingWork:
    """A posting's entry and what else its transaction holds."""

    entry: Entry
    also: Sequence[Statement]


@dataclass(slots=True)
class Batch:
    """Charges and postings to enter; books, usage keys and causes that are asked about besides."""

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
        """How much work it is."""
        return len(self.charges) + len(self.postings) + len(self.books) + len(self.causes)


@dataclass(frozen=True, slots=True)
class Outcome:
    """After the batch: balances and totals of all it touched or asked about, which causes were there before it.

    `posted` has for each posting what `Books.post` returns or raises.
    """

    balances: Mapping[str, int]
    spent: Mapping[str, int]
    posted: Sequence[bool | Exception]
    known: Collection[str]


def execute_batch(connection: sqlite3.Connection, batch: Batch) -> Outcome:
    """Enter what is new of the batch. A posting that cannot be undoes itself alone."""
    causes = [*batch.causes, *(entry.cause for entry in batch.charges)]
    known = {row[0] for row in connection.execute(_KNOWN, (json.dumps(causes),))} if causes else set()
    fresh = [entry.row for entry in batch.charges if entry.cause not in known]
    connection.executemany(_INSERT, fresh)
    posted = [_posted(connection, work) for work in batch.postings]
    if batch.books:
        connection.execute(_TOUCHED, (json.dumps(list(batch.books)),)).fetchall()
    return Outcome(
        _asked(connection, _BALANCES, _books(batch)), _asked(connection, _SPENT, _keys(batch)), posted, known
    )


def _books(batch: Batch) -> set[str]:
    charged = {entry.debit_book for entry in batch.charges}
    return batch.books | charged


def _keys(batch: Batch) -> set[str]:
    return batch.usage_keys | {entry.usage_key for entry in batch.charges if entry.usage_key is not None}


def _asked(connection: sqlite3.Connection, query: str, names: set[str]) -> Mapping[str, int]:
    """The amount of each name; zero for one that has no row yet."""
    if not names:
        return {}
    found = dict.fromkeys(names, 0)
    found.update(connection.execute(query, (json.dumps(list(names)),)).fetchall())
    return found


def _posted(connection: sqlite3.Connection, work: PostingWork) -> bool | Exception:
    connection.execute("SAVEPOINT posting")
    outcome: bool | Exception
    try:
        outcome = _post(connection, work.entry)
        for statement in work.also:
            connection.execute(statement.sql, statement.values)
    except Exception as error:  # noqa: BLE001 - carried to whoever posts; the others' entries stay
        outcome = error
        connection.execute("ROLLBACK TO posting")
    connection.execute("RELEASE posting")
    return outcome


def _post(connection: sqlite3.Connection, entry: Entry) -> bool:
    there = connection.execute(_TRANSFER, (entry.cause,)).fetchone()
    if there is None:
        connection.execute(_INSERT, entry.row)
    elif not entry.same_transfer(*there):
        raise cause_taken(entry.cause)
    return there is None

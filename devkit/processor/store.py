"""The processor's objects, in memory, and in an SQLite file when one is named.

Nothing is awaited between reading and changing, so within one event loop every request is atomic.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ValidationError

from devkit.processor import objects
from devkit.processor.errors import resource_missing

ObjectT = TypeVar("ObjectT", bound=objects.Stored)

_TABLE = (
    "CREATE TABLE IF NOT EXISTS objects (kind TEXT NOT NULL, id TEXT NOT NULL, position INTEGER NOT NULL, "
    "json TEXT NOT NULL, PRIMARY KEY (kind, id)) STRICT"
)
_PUT = "INSERT INTO objects VALUES (?, ?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET json = excluded.json"


class _File:
    """Objects as JSON, one row each. Only its user may read it, since it has client secrets."""

    def __init__(self, path: Path) -> None:
        path.touch(mode=0o600, exist_ok=True)
        self._connection = sqlite3.connect(path, isolation_level=None)
        try:
            self._prepare()
        except sqlite3.Error:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        self._connection.execute("PRAGMA journal_mode=WAL")
        # Enough for a process that is killed. A stand-in need not survive a power cut.
        self._connection.execute("PRAGMA synchronous=NORMAL")
        self._connection.execute(_TABLE)

    def rows(self, kind: str) -> list[tuple[int, str]]:
        asked = "SELECT position, json FROM objects WHERE kind = ? ORDER BY position"
        return [(int(position), str(text)) for position, text in self._connection.execute(asked, (kind,))]

    def write(self, changed: list[tuple[str, int, objects.Stored]], gone: list[tuple[str, str]]) -> None:
        rows = [(kind, found.id, position, found.model_dump_json()) for kind, position, found in changed]
        self._connection.execute("BEGIN")
        # Before the puts, since an object that was dropped and put again must stay.
        self._connection.executemany("DELETE FROM objects WHERE kind = ? AND id = ?", gone)
        self._connection.executemany(_PUT, rows)
        self._connection.execute("COMMIT")

    def close(self) -> None:
        self._connection.close()


class Collection(Generic[ObjectT]):
    """Objects of one kind in the order of their creation."""

    def __init__(self, kind: str, model: type[ObjectT], rows: list[tuple[int, str]]) -> None:
        self.kind = kind
        loaded = [(position, model.model_validate_json(text)) for position, text in rows]
        self._objects = {found.id: found for _, found in loaded}
        self._positions = {found.id: position for position, found in loaded}
        self._next = loaded[-1][0] + 1 if loaded else 0
        self._changed: set[str] = set()
        self._gone: set[str] = set()

    def put(self, changed: ObjectT) -> None:
        """Add it, or replace the one of its id."""
        if changed.id not in self._objects:
            self._positions[changed.id] = self._next
            self._next += 1
        self._objects[changed.id] = changed
        self._changed.add(changed.id)

    def drop(self, identifier: str) -> None:
        """Remove it."""
        del self._objects[identifier]
        del self._positions[identifier]
        self._changed.discard(identifier)
        self._gone.add(identifier)

    def find(self, identifier: str) -> ObjectT | None:
        """Returns the object, if it exists."""
        return self._objects.get(identifier)

    def get(self, identifier: str) -> ObjectT:
        """Returns the object. Raises ApiError 404."""
        found = self._objects.get(identifier)
        if found is None:
            raise resource_missing(self.kind, identifier[:80], param=self.kind)
        return found

    def named(self, identifier: str, param: str) -> ObjectT:
        """Returns the object a parameter names. Raises ApiError 400."""
        found = self._objects.get(identifier)
        if found is None:
            raise resource_missing(self.kind, identifier[:80], param=param, status=400)
        return found

    def oldest_first(self) -> Iterator[ObjectT]:
        """Returns all of them."""
        return iter(self._objects.values())

    def newest_first(self) -> Iterator[ObjectT]:
        """Returns all of them."""
        return reversed(self._objects.values())

    def take_changes(self) -> tuple[list[tuple[str, int, objects.Stored]], list[tuple[str, str]]]:
        """Returns the objects put and the objects dropped since the last call."""
        changed: list[tuple[str, int, objects.Stored]] = []
        changed += [(self.kind, self._positions[found], self._objects[found]) for found in self._changed]
        gone = [(self.kind, found) for found in self._gone]
        self._changed, self._gone = set(), set()
        return changed, gone


class Store:
    """All objects of the processor.

    Raises OSError, sqlite3.Error or ValidationError for an unreadable file.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._file = None if path is None else _File(path)
        try:
            self.customers = self._collection("customer", objects.Customer)
            self.balance_transactions = self._collection("customer_balance_transaction", objects.BalanceTransaction)
            self.payment_methods = self._collection("payment_method", objects.PaymentMethod)
            self.payment_intents = self._collection("payment_intent", objects.PaymentIntent)
            self.charges = self._collection("charge", objects.Charge)
            self.refunds = self._collection("refund", objects.Refund)
            self.disputes = self._collection("dispute", objects.Dispute)
            self.events = self._collection("event", objects.Event)
            self.answers = self._collection("kept_answer", objects.KeptResponse)
        except ValidationError:
            if self._file is not None:
                self._file.close()
            raise

    def _collection(self, kind: str, model: type[ObjectT]) -> Collection[ObjectT]:
        return Collection(kind, model, [] if self._file is None else self._file.rows(kind))

    def find(self, identifier: str) -> objects.Stored | None:
        """Returns the object of that id, of any kind, for `expand`."""
        places = (self.customers, self.payment_methods, self.payment_intents, self.charges, self.refunds, self.disputes)
        return next((found for place in places if (found := place.find(identifier)) is not None), None)

    def flush(self) -> None:
        """Write what changed, in one transaction."""
        changed: list[tuple[str, int, objects.Stored]] = []
        gone: list[tuple[str, str]] = []
        for collection in vars(self).values():
            if isinstance(collection, Collection):
                puts, drops = collection.take_changes()
                changed += puts
                gone += drops
        if self._file is not None and (changed or gone):
            self._file.write(changed, gone)

    def close(self) -> None:
        """Write what changed and close the file."""
        self.flush()
        if self._file is not None:
            self._file.close()

"""Database port of the components, with portable statements, migrations and consistent reads."""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from node.errors import DomainError


class DatabaseUnavailableError(DomainError):
    """The database cannot be reached. The same call may be repeated after `retry_after_s`."""

    def __init__(self, retry_after_s: int, message: str = "The database cannot be reached.") -> None:
        super().__init__(message, retry_after_s=retry_after_s)


class CommitUnknownError(DatabaseUnavailableError):
    """A commit was not confirmed and may have succeeded. Other outages have changed nothing."""


class StatementRefusedError(DomainError):
    """The database refused a statement that no repetition cures. `why` contains no stored value."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The database could not do this: {why}.")


class RequirementError(StatementRefusedError):
    """A required statement returned no row, so its transaction was undone."""

    def __init__(self) -> None:
        super().__init__("it holds another state than the change requires")


class RepeatableError(Exception):
    """An attempt at a transaction has failed for a passing reason: it was made, or was not.

    `why` names the kind of failure, and no value. `by_lock`: another transaction has a row.
    """

    def __init__(self, why: str, *, by_lock: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.by_lock = by_lock


Value: TypeAlias = str | int | bytes | None
Names: TypeAlias = tuple[str, ...]
"""Value of `@names`."""
Row: TypeAlias = Sequence[Value]
T = TypeVar("T")

RETRY_AFTER_S: Final = 5
"""`Retry-After` during an outage of the database; PostgreSQL restarts in about this time."""


Dialect: TypeAlias = tuple[tuple[str, str], ...]
"""The words that begin with `@`, and what a database has in their place."""


@lru_cache(maxsize=2048)
def in_dialect(sql: str, dialect: Dialect) -> str:
    """Returns portable SQL as a database understands it, still with its `?`."""
    for word, meaning in dialect:
        sql = sql.replace(word, meaning)
    return sql


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL that SQLite and PostgreSQL both understand, with one `?` for each value and no other.

    `@now_ms` is the database's clock in unix milliseconds. `@names` is a table `names` of one
    column, `value`, made of a tuple of texts, and takes the place of a `?`. `@for_share` at the end
    keeps others from changing the selected rows until the transaction ends, `@for_update` from
    locking them as well. If a statement that `is_required` returns no row, the transaction is
    undone. The repr omits private values.
    """

    sql: str
    values: Sequence[Value | Names] = field(default=(), repr=False)
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class Insertion:
    """INSERT of many rows. `columns` has names and types, `rest` what follows the rows."""

    table: str
    columns: Sequence[tuple[str, type[str | int]]]
    rest: str = ""

    def sql(self, rows: str) -> str:
        """Returns the statement, with its rows as a database writes them."""
        names = ", ".join(name for name, _ in self.columns)
        return f"INSERT INTO {self.table} ({names}) {rows} {self.rest}"


class Transaction(Protocol):
    """Open transaction of a database. Each statement sees what those before it changed."""

    async def execute(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """Returns the rows of each. Raises what the database raises, and RequirementError."""
        ...

    async def insert(self, insertion: Insertion, rows: Sequence[Row]) -> None:
        """Inserts the rows, which may be none."""
        ...


Work: TypeAlias = Callable[[Transaction], Coroutine[Any, Any, T]]
"""Runs inside a transaction, which it neither begins nor ends, and awaits nothing else. It may run
several times."""


def text(value: Value) -> str:
    """Return the value of a TEXT column that is never NULL."""
    if not isinstance(value, str):
        raise TypeError("This column holds text.")
    return value


def text_or_none(value: Value) -> str | None:
    """Return the value of a TEXT column that may be NULL."""
    return None if value is None else text(value)


def whole(value: Value) -> int:
    """Return the value of a BIGINT column that is never NULL."""
    if not isinstance(value, int):
        raise TypeError("This column holds whole numbers.")
    return value


def whole_or_none(value: Value) -> int | None:
    """Return the value of a BIGINT column that may be NULL."""
    return None if value is None else whole(value)


class Reader(Protocol):
    """Read-only access. Every method raises DatabaseUnavailableError."""

    async def read(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """Return the rows of each SELECT, all as of one moment. Writes never wait for it."""
        ...


class Snapshots(Reader, Protocol):
    """Reader of tables that are too long for one result."""

    async def at_one_moment(self, work: Callable[[Reader], Awaitable[T]]) -> T:
        """Run `work` with a reader whose reads all see the database as of one moment.

        Raises DatabaseUnavailableError, also if the snapshot is lost. `work` begins at most once.
        """
        ...


class Database(Reader, Protocol):
    """Database with several components' tables. Every method raises DatabaseUnavailableError."""

    async def migrate(self, component: str, steps: Sequence[str]) -> None:
        """Run the steps of `component` that have not run yet, in order, all or none.

        Steps are only ever appended. They are DDL that both databases understand, without BYTEA.
        Two nodes may migrate at once. Raises StartupRefusedError if newer tables are there.
        """
        ...

    async def execute(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """Run all statements in one durable transaction, all or nothing. Returns the rows of each.

        Raises RequirementError, and CommitUnknownError if it may have been committed. Components
        change their own tables with it; only `post` and settlements write the ledger's entries.
        """
        ...

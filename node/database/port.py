"""Database port of the components, with portable statements, migrations and consistent reads."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias, TypeVar

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


Value: TypeAlias = str | int | bytes | None
Row: TypeAlias = Sequence[Value]
T = TypeVar("T")

RETRY_AFTER_S: Final = 5
"""`Retry-After` during an outage of the database; PostgreSQL restarts in about this time."""


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL that SQLite and PostgreSQL both understand, with one `?` for each value and no other.

    `@now_ms` is the database's clock in unix milliseconds. `@for_share` at the end keeps
    others from changing the selected rows until the transaction ends. If a statement that
    `is_required` returns no row, the transaction is undone. The repr omits private values.
    """

    sql: str
    values: Sequence[Value] = field(default=(), repr=False)
    is_required: bool = False

    def sql_for(self, now_ms: str, for_share: str) -> str:
        """Returns the SQL with these in place of `@now_ms` and `@for_share`."""
        sql = self.sql
        return sql.replace("@now_ms", now_ms).replace("@for_share", for_share) if "@" in sql else sql


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

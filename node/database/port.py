"""Database as the node's components see it: portable statements, migrations, reads at one moment."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias, TypeVar

from node.errors import DomainError


class DatabaseUnavailableError(DomainError):
    """The database cannot be reached. The same call may be repeated after `retry_after_s`."""

    def __init__(self, retry_after_s: int, message: str = "The database cannot be reached.") -> None:
        super().__init__(message, retry_after_s=retry_after_s)


class CommitUnknownError(DatabaseUnavailableError):
    """The database did not answer a commit: its transaction was made, or was not. Any other outage has changed nothing."""


class StatementRefusedError(DomainError):
    """The database refused a statement for a reason that no repetition cures; `why` names no value."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The database could not do this: {why}.")


class RequirementError(StatementRefusedError):
    """A required statement returned no row: nothing of its transaction was kept."""

    def __init__(self) -> None:
        super().__init__("it holds another state than the change requires")


Value: TypeAlias = str | int | bytes | None
Row: TypeAlias = Sequence[Value]
T = TypeVar("T")

RETRY_AFTER_S: Final = 5
"""`Retry-After` while the database is out: about what a restart of PostgreSQL takes."""


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL that SQLite and PostgreSQL both understand, a `?` for each value and no other `?` in it.

    `@now_ms` in it is the database's clock in unix milliseconds; `@for_share` at its end keeps others
    from changing the selected rows until the transaction ends. Without a row from a statement that
    `is_required` the transaction is undone. The repr holds no values: some are e-mail addresses.
    """

    sql: str
    values: Sequence[Value] = field(default=(), repr=False)
    is_required: bool = False

    def sql_for(self, now_ms: str, for_share: str) -> str:
        """Returns the SQL with these in place of `@now_ms` and `@for_share`."""
        sql = self.sql
        return sql.replace("@now_ms", now_ms).replace("@for_share", for_share) if "@" in sql else sql


def text(value: Value) -> str:
    """Return a TEXT column that is never NULL."""
    if not isinstance(value, str):
        raise TypeError("This column holds text.")
    return value


def text_or_none(value: Value) -> str | None:
    """Return a TEXT column that may be NULL."""
    return None if value is None else text(value)


def whole(value: Value) -> int:
    """Return a BIGINT column that is never NULL."""
    if not isinstance(value, int):
        raise TypeError("This column holds whole numbers.")
    return value


def whole_or_none(value: Value) -> int | None:
    """Return a BIGINT column that may be NULL."""
    return None if value is None else whole(value)


class Reader(Protocol):
    """Read-only access. Every method raises DatabaseUnavailableError."""

    async def read(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """Return the rows of each SELECT, all as of one moment. No write waits for it, however long it takes."""
        ...


class Snapshots(Reader, Protocol):
    """Reader of tables that are too long for one result."""

    async def at_one_moment(self, work: Callable[[Reader], Awaitable[T]]) -> T:
        """Run `work` with a reader whose reads all see the database as it is now, however long `work` takes.

        Raises DatabaseUnavailableError, also when the snapshot is lost on the way. `work` never begins twice.
        """
        ...


class Database(Reader, Protocol):
    """Database that several components keep tables in. Every method raises DatabaseUnavailableError."""

    async def migrate(self, component: str, steps: Sequence[str]) -> None:
        """Bring the tables of `component` up to date: run the steps it has not run yet in order, all or none.

        Steps are only ever appended; TEXT, BIGINT and BYTEA-free DDL that both databases understand. Two nodes may
        do so at once. Raises StartupRefusedError when a newer version wrote the tables.
        """
        ...

    async def execute(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """Run all statements in one durable transaction, all or nothing. Returns the rows of each.

        Raises CommitUnknownError when it may have been made all the same, and RequirementError.
        Components change their own tables with it. The ledger's entries follow from `post` and settlements alone.
        """
        ...

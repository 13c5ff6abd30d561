"""The ledger's database, for whatever is not on the path of a request that is charged. Double entry, in micro-dollars.

An **entry** moves an amount between a customer's account and one book of the house. It has a cause that no other
entry has, is never changed and never removed, and the accounts' balances follow from the entries alone.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeAlias, TypeVar

from node.ledger.port import Ledger

Value: TypeAlias = str | int | bytes | None
Row: TypeAlias = Sequence[Value]
T = TypeVar("T")


class Source(StrEnum):
    """Where credit comes from or goes back to: the book on the other side of an entry that is no charge."""

    CARD = "card"
    """A payment through the card processor (card or crypto), its refund, its dispute."""
    PROCESSOR_GRANT = "processor_grant"
    """Credit that the operator gave by hand at the card processor."""
    TOKEN = "token"  # noqa: S105 - an ERC-20 token
    """A token payment on chain."""
    STARTER = "starter"
    """What a development account begins with."""


@dataclass(frozen=True, slots=True)
class Posting:
    """Credit to an account (`amount_microdollars` above zero), or back from it (below zero: it may then owe).

    `cause` names the event in the world that it follows from, `payment:pi_…`, `refund:re_…`, `token:CHAIN:TX:INDEX`:
    however often that event is told of, it counts once.
    """

    cause: str
    account: int
    source: Source
    amount_microdollars: int


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL that SQLite and PostgreSQL both understand, a `?` for each value and no other `?` in it.

    Its repr holds no values: an e-mail address may be among them.
    """

    sql: str
    values: Sequence[Value] = field(default=(), repr=False)


class Reader(Protocol):
    """The books for whoever changes nothing."""

    async def read(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """What each SELECT gives, all at one moment, entries and balances included; no write waits for it, however long it takes."""
        ...


class Snapshots(Reader, Protocol):
    """Books that are too long for one answer, read piece by piece."""

    async def at_one_moment(self, work: Callable[[Reader], Awaitable[T]]) -> T:
        """Do `work` with a reader all of whose reads see the books as they are now, however long it takes.

        Raises NodeError `billing_unavailable`, also when the moment is lost on the way: `work` is never begun twice.
        """
        ...


class Books(Reader, Protocol):
    """One database, SQLite or PostgreSQL. Raises NodeError `billing_unavailable` when it is out."""

    async def migrate(self, component: str, steps: Sequence[str]) -> None:
        """Bring the tables of `component` up to date: steps it has not run are run in order, all or none.

        Steps are only ever appended; TEXT, BIGINT and BYTEA-free DDL that both databases understand. Two nodes may
        do so at once. Raises StartupRefusedError when a newer version wrote the tables.
        """
        ...

    async def execute(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """Run all in one durable transaction, all or nothing; the rows each one gave back.

        Never used for the ledger's own entries and balances: those follow from `post` and from settlements.
        """
        ...

    async def post(self, posting: Posting, *also: Statement) -> bool:
        """Enter it, and run `also` in the same transaction; False, with `also` run still, when its cause is there already.

        Raises ValueError when the cause is there with another account, source or amount.
        """
        ...


class LedgerDatabase(Ledger, Books, Protocol):
    """Both faces of one database; a settlement and a posting see one another's balances at once."""

    async def close(self) -> None:
        """Finish what is under way and close it."""
        ...

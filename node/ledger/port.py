"""Interface of the ledger: balances, reservations, postings. Money is whole micro-dollars.

Double entry. An **entry** moves an amount between an account and one book of the house. Its cause
is unique. It is never changed or removed, and accounts' balances follow from entries alone.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from node.database.port import Database, Statement

MICRODOLLARS_PER_CENT: Final = 10_000


@dataclass(frozen=True, slots=True)
class Balance:
    """Credit of an account. A refund or dispute of spent credit can take it below zero."""

    credit_microdollars: int
    reserved_microdollars: int

    @property
    def available_microdollars(self) -> int:
        """Credit not yet reserved."""
        return self.credit_microdollars - self.reserved_microdollars


@dataclass(frozen=True, slots=True)
class Spender:
    """Paying account (master hash), its usage key if any, and the key's lifetime cap (0: none)."""

    account: int
    usage_key: int | None = None
    cap_microdollars: int = 0


class Service(StrEnum):
    """Product that is sold; also the book of its revenue."""

    EXECUTION = "execution"
    WRITE = "write"


class Source(StrEnum):
    """Origin of credit, the book on the other side of an entry that is not a charge."""

    CARD = "card"
    """A payment through the card processor (card or crypto), its refund, its dispute."""
    PROCESSOR_GRANT = "processor_grant"
    """Credit that the operator gave by hand at the card processor."""
    TOKEN = "token"  # noqa: S105 - an ERC-20 token
    """A token payment on chain."""
    STARTER = "starter"
    """Initial credit of a development account."""


@dataclass(frozen=True, slots=True)
class Posting:
    """Credit to an account (`amount_microdollars` above zero), or back from it (below zero).

    `cause` names the external event (`payment:pi_…`, `refund:re_…`, `token:CHAIN:TX:INDEX`), so a
    repeated report counts once. A posting below zero may leave the account in debt.
    """

    cause: str
    account: int
    source: Source
    amount_microdollars: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Purpose of a charge, which the account reads later (`GET /billing/usage`).

    `what` is an action's CIDv0 or a write's contract function. A write has no `duration_ms`.
    """

    service: Service
    what: str
    request_id: str | None = None
    duration_ms: int | None = None


class Ledger(Protocol):
    """Credits of accounts, keyed by master hash.

    `cause` is the caller's unique id of a write or execution. It can be reserved and settled once;
    repetitions change nothing. Every method raises LedgerUnavailableError if the database cannot be
    reached. Either nothing was changed then, or the call may be repeated.
    """

    async def balance(self, account: int) -> Balance:
        """Returns the account's balance, zero for an unknown account."""
        ...

    async def reserve(self, spender: Spender, cause: str, amount_microdollars: int) -> None:
        """Sets credit aside. Changes nothing for a cause that was reserved before, ended or not.

        A reservation that expired with its node's lease is set aside again if credit is left.
        Raises PaymentRequiredError (`details.needed_cents`, `credit_cents`, `scope`).
        """
        ...

    async def extend(self, cause: str, amount_microdollars: int, cap_microdollars: int | None = None) -> None:
        """Sets more aside for the cause. Raises PaymentRequiredError, which changes nothing.

        `cap_microdollars` replaces the usage key's cap: 0 removes the cap, None keeps it.
        """
        ...

    async def settle(self, cause: str, amount_microdollars: int, usage: Usage) -> int:
        """Charges the amount, at most what was reserved, and releases the rest. Durable on return.

        Returns the micro-dollars taken: fewer if the reservation expired and its credit was spent
        meanwhile, and 0 for a cause that had ended before.
        """
        ...

    async def release(self, cause: str, account: int | None = None) -> None:
        """Gives the whole reservation back. This process reserves and charges its cause no more.

        With `account`, whose cause it is, no other process that has reserved it charges it either.
        """
        ...

    async def charged(self, cause: str) -> int:
        """Returns the micro-dollars that the cause's entry has taken; 0 without one.

        Use it after a lost result. It is final once `settle` or `release` has returned.
        """
        ...


class Postings(Database, Protocol):
    """Postings, and the database of tables that change in the same transactions.

    Every method raises LedgerUnavailableError where `Database` raises DatabaseUnavailableError.
    """

    async def post(self, posting: Posting, *also: Statement) -> bool:
        """Enters it if its cause is new, and runs `also` in any case. Returns whether it was new.

        Raises ValueError when the cause is entered with another account, source or amount.
        """
        ...


class LedgerDatabase(Ledger, Postings, Protocol):
    """Ledger with postings. Settlements and postings see each other's balances immediately."""

    @property
    def database(self) -> Database:
        """Underlying database, for components that have nothing to do with money."""
        ...

    async def close(self) -> None:
        """Finishes pending work and closes the database."""
        ...

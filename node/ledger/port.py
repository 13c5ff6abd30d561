"""Ledger as its callers see it: balances, reservations, postings. Money is whole micro-dollars (1 cent = 10,000).

Double entry. An **entry** moves an amount between a customer's account and one book of the house. It has a cause that no
other entry has, is never changed and never removed, and the accounts' balances follow from the entries alone.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from node.database.port import Database, Statement

MICRODOLLARS_PER_CENT: Final = 10_000


@dataclass(frozen=True, slots=True)
class Balance:
    """An account's credit, below zero after a refund or dispute of what was spent; `available` can be reserved."""

    credit_microdollars: int
    reserved_microdollars: int

    @property
    def available_microdollars(self) -> int:
        """Credit not yet reserved."""
        return self.credit_microdollars - self.reserved_microdollars


@dataclass(frozen=True, slots=True)
class Spender:
    """Payer: the account (master hash), the usage key it spends through, and that key's lifetime cap (0: none)."""

    account: int
    usage_key: int | None = None
    cap_microdollars: int = 0


class Service(StrEnum):
    """Product that is sold; also the book of its revenue."""

    EXECUTION = "execution"
    WRITE = "write"


class Source(StrEnum):
    """Origin of credit: the book on the other side of an entry that is no charge."""

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
    """Credit to an account (`amount_microdollars` above zero), or back from it (below zero: it may then owe).

    `cause` names the external event: `payment:pi_…`, `refund:re_…`, `token:CHAIN:TX:INDEX`. However often that event is
    reported, it counts once.
    """

    cause: str
    account: int
    source: Source
    amount_microdollars: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Purpose of a charge, as its account reads it later (`GET /billing/usage`).

    `what` is the CIDv0 of an action, or the contract function of a write; `duration_ms` is None for a write.
    """

    service: Service
    what: str
    request_id: str | None = None
    duration_ms: int | None = None


class Ledger(Protocol):
    """Credits of accounts, keyed by master hash.

    `cause` is the caller's unique id of what is paid for (a write id, an execution id). Each can be reserved and settled
    once; settling or releasing it again changes nothing. Every method raises LedgerUnavailableError when the database is
    out: then nothing was changed, or the same call may be repeated.
    """

    async def balance(self, account: int) -> Balance:
        """Return the account's balance; zero for one never seen."""
        ...

    async def reserve(self, spender: Spender, cause: str, amount_microdollars: int) -> None:
        """Set credit aside. A cause that was reserved before, ended or not, changes nothing.

        A reservation that expired with its node's lease is set aside again, if the credit is there.
        Raises PaymentRequiredError (`details.needed_cents`, `credit_cents`, `scope`).
        """
        ...

    async def extend(self, cause: str, amount_microdollars: int, cap_microdollars: int | None = None) -> None:
        """Set more aside under the same cause. Raises PaymentRequiredError; the reservation stays as it was.

        `cap_microdollars` is the usage key's present cap (0: none), which counts from now on; None: as it was.
        """
        ...

    async def settle(self, cause: str, amount_microdollars: int, usage: Usage) -> int:
        """Take `amount` (at most what was reserved) for good and release the rest. Durable when this returns.

        Returns the micro-dollars that were taken: less than `amount` where the reservation had expired and its credit
        was spent meanwhile, and 0 for a cause that had ended before.
        """
        ...

    async def release(self, cause: str) -> None:
        """Give the whole reservation back."""
        ...

    async def charged(self, cause: str) -> int:
        """Return the micro-dollars that the cause's entry has taken; 0 without one.

        For a caller that was told of no result: once `settle` or `release` has returned for the cause, it never changes.
        """
        ...


class Postings(Database, Protocol):
    """Database of billing: postings, and the tables that change in the same transactions.

    Every method raises LedgerUnavailableError where `Database` says DatabaseUnavailableError: money is the matter.
    """

    async def post(self, posting: Posting, *also: Statement) -> bool:
        """Enter it and run `also` in the same transaction. Returns False, having run `also`, if its cause is entered.

        Raises ValueError when the cause is entered with another account, source or amount.
        """
        ...


class LedgerDatabase(Ledger, Postings, Protocol):
    """Ledger and its postings: a settlement and a posting see one another's balances at once."""

    @property
    def database(self) -> Database:
        """Database behind it, for components that have nothing to do with money."""
        ...

    async def close(self) -> None:
        """Finish what is under way and close the database."""
        ...

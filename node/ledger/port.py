"""The ledger as whoever charges sees it. Money is whole micro-dollars (1 cent = 10,000)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

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
    """Who pays: the account (master hash), through which usage key if any, and that key's lifetime cap (0: none)."""

    account: int
    usage_key: int | None = None
    cap_microdollars: int = 0


class Service(StrEnum):
    """What is sold; also the book that its takings go to."""

    EXECUTION = "execution"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class Usage:
    """What a charge was for, as its account reads it later (`GET /billing/usage`).

    `what` is the CIDv0 of an action, or the contract function of a write; `duration_ms` is None for a write.
    """

    service: Service
    what: str
    request_id: str | None = None
    duration_ms: int | None = None


class Ledger(Protocol):
    """Credits of accounts, keyed by master hash.

    `cause` is the caller's unique id of what is paid for (a write id, an execution id): each can be reserved
    and settled once, and settling or releasing it again changes nothing. Every method raises NodeError
    `billing_unavailable` when the database is out; nothing was changed then, or the same call may be repeated.
    """

    async def balance(self, account: int) -> Balance:
        """The account's balance; zero for one never seen."""
        ...

    async def reserve(self, spender: Spender, cause: str, amount_microdollars: int) -> None:
        """Set credit aside; a cause that was reserved before, ended or not, changes nothing.

        One that was given back because its node was not heard of is set aside again, if it is there.
        Raises NodeError `payment_required` (`details.needed_cents`, `credit_cents`, `scope`).
        """
        ...

    async def extend(self, cause: str, amount_microdollars: int) -> None:
        """Set more aside under the same cause. Raises NodeError `payment_required`; what was reserved stays."""
        ...

    async def settle(self, cause: str, amount_microdollars: int, usage: Usage) -> int:
        """Take `amount` (at most what was reserved) for good and release the rest; durable when this returns.

        Returns the micro-dollars that were taken: less than `amount` where the reservation had been given back and
        somebody else was faster, and 0 for a cause that had ended before.
        """
        ...

    async def release(self, cause: str) -> None:
        """Give the whole reservation back."""
        ...

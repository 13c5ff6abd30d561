"""The ledger as the rest of the node sees it. Money is whole micro-dollars (1 cent = 10,000)."""

from dataclasses import dataclass
from typing import Final, Protocol

MICRODOLLARS_PER_CENT: Final = 10_000


@dataclass(frozen=True, slots=True)
class Balance:
    """An account's credit; `available` is what a new reservation can take."""

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


class Ledger(Protocol):
    """Credits of accounts, keyed by master hash.

    `cause` is the caller's unique id of what is paid for (a write id, an execution id): each can be reserved
    and settled once, and settling or releasing it again changes nothing.
    """

    async def open_account(self, account: int, *, email: str | None) -> None:
        """Note a new account (and the address for its receipts, handed on to the card processor); again: no change."""
        ...

    async def balance(self, account: int) -> Balance:
        """The account's balance; zero for one never seen."""
        ...

    async def reserve(self, spender: Spender, cause: str, amount_microdollars: int) -> None:
        """Set credit aside; a cause that was reserved before, ended or not, changes nothing.

        Raises NodeError `payment_required` (`details.needed_cents`, `credit_cents`, `scope`).
        """
        ...

    async def extend(self, cause: str, amount_microdollars: int) -> None:
        """Set more aside under the same cause. Raises NodeError `payment_required`; what was reserved stays."""
        ...

    async def settle(self, cause: str, amount_microdollars: int) -> None:
        """Take `amount` (at most what was reserved) for good and release the rest."""
        ...

    async def release(self, cause: str) -> None:
        """Give the whole reservation back."""
        ...

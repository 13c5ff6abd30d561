"""Reservation state machine, the same on SQLite and PostgreSQL. Pure: no I/O, no clock.

    (none) --reserve--> HELD --settle--> (entry)
                         | ^
            lease lapsed | | reserve, extend       RELEASED and settled causes are final.
                         v |
                      EXPIRED --settle--> (entry)  HELD and EXPIRED --release--> RELEASED

A function takes the reservation of a cause (None without one). All but `settle` return its next
state, or None for no change. The caller stores it and applies `Funds.move`.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, NamedTuple

from node.ledger.errors import (
    InsufficientCreditError,
    NegativeAmountError,
    ReservationMissingError,
    SpendingCapReachedError,
)
from node.ledger.port import Spender


class State(StrEnum):
    """State of a known reservation. A settled one is an entry instead."""

    HELD = "held"
    EXPIRED = "expired"
    """Given back when its lease lapsed or it was idle. It may be settled from the credit left."""
    RELEASED = "released"


HELD: Final = State.HELD
"""Alias of `State.HELD`. Python looks up enumeration members slowly, and every action reserves."""


class Reservation(NamedTuple):
    """Credit set aside, by the node whose lease is `holder`."""

    spender: Spender
    amount_microdollars: int
    state: State
    holder: str

    @property
    def held_microdollars(self) -> int:
        """Amount that counts as reserved."""
        return self.amount_microdollars if self.state is HELD else 0


@dataclass(slots=True)
class AccountBalance:
    """Balance of an account or spent total of a usage key, and the reserved part. Micro-dollars."""

    total: int = 0
    reserved: int = 0
    reservations: int = 0
    """Number of reservations that refer to this object. Above zero, a cache must not replace it."""


@dataclass(slots=True)
class Funds:
    """Balances of a spender's account and, if it uses one, of its usage key."""

    account: AccountBalance
    usage_key: AccountBalance | None

    def require(self, spender: Spender, amount: int) -> None:
        """Raises PaymentRequiredError if the account has less, or the cap (0: none) forbids it."""
        available = self.account.total - self.account.reserved
        if amount > available:
            raise InsufficientCreditError(amount, available)
        key, cap = self.usage_key, spender.cap_microdollars
        # Reserved amounts count, so that parallel requests through a key stay within its cap.
        if key is not None and cap and amount > (left := cap - key.total - key.reserved):
            raise SpendingCapReachedError(amount, available, left)

    def left(self, spender: Spender) -> int:
        """Returns the amount to take without a reservation, at least zero and within the cap."""
        left = self.account.total - self.account.reserved
        key, cap = self.usage_key, spender.cap_microdollars
        if key is not None and cap:
            left = min(left, cap - key.total - key.reserved)
        # A chargeback may take a balance below zero; a charge must not take it further.
        return max(0, left)

    def move(self, change_microdollars: int, reservations: int = 0) -> None:
        """Adds to the reserved amount and to the number of reservations. Both may be negative."""
        self.account.reserved += change_microdollars
        self.account.reservations += reservations
        if self.usage_key is not None:
            self.usage_key.reserved += change_microdollars
            self.usage_key.reservations += reservations

    def charge(self, amount_microdollars: int) -> None:
        """Counts an entered charge."""
        self.account.total -= amount_microdollars
        if self.usage_key is not None:
            self.usage_key.total += amount_microdollars


def require_amount(amount_microdollars: int) -> None:
    """Raises NegativeAmountError below zero."""
    if amount_microdollars < 0:
        raise NegativeAmountError


def reserve(known: Reservation | None, wanted: Reservation, funds: Funds) -> Reservation | None:
    """Sets `wanted` aside for its holder. Raises PaymentRequiredError.

    A repeated call takes over another process's reservation, and renews an expired one if it can.
    """
    if known is None:
        funds.require(wanted.spender, wanted.amount_microdollars)
        return wanted
    # After a restart the journal repeats the write with this cause; its credit is set aside.
    if known.state is HELD and known.holder != wanted.holder:
        return known._replace(holder=wanted.holder)
    if known.state is State.EXPIRED and funds.left(known.spender) >= known.amount_microdollars:
        return known._replace(state=HELD, holder=wanted.holder)
    return None


def extend(
    known: Reservation | None, target_microdollars: int, holder: str, funds: Funds, cap_microdollars: int | None = None
) -> Reservation | None:
    """Extends the reservation to the target and replaces its cap (None keeps it).

    Raises PaymentRequiredError, ReservationMissingError.
    """
    if known is None or known.state is State.RELEASED:
        raise ReservationMissingError
    missing = target_microdollars - known.held_microdollars
    if missing <= 0:
        return None
    spender = known.spender
    if cap_microdollars is not None and cap_microdollars != spender.cap_microdollars:
        spender = replace(spender, cap_microdollars=cap_microdollars)
    funds.require(spender, missing)
    return Reservation(spender, target_microdollars, HELD, holder)


def settle(known: Reservation | None, amount_microdollars: int, funds: Funds) -> int | None:
    """Returns the amount to take, at most what was reserved; None if the cause has ended.

    An expired reservation takes only unreserved credit, so that other reservations stay covered.
    """
    if known is None or known.state is State.RELEASED:
        return None
    # Never more than was reserved: the client was shown that price before the work.
    amount = min(amount_microdollars, known.amount_microdollars)
    return amount if known.state is HELD else min(amount, funds.left(known.spender))


def release(known: Reservation | None) -> Reservation | None:
    """Returns the released state. A released cause is never reserved again."""
    if known is None or known.state is State.RELEASED:
        return None
    return known._replace(state=State.RELEASED)

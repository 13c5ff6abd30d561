"""Reservation state machine, the same on SQLite and PostgreSQL. Pure: no I/O, no clock.

    (none) --reserve--> HELD --settle--> (entry)
                         | ^
            lease lapsed | | reserve, extend       RELEASED and settled causes are never reserved again.
                         v |
                      EXPIRED --settle--> (entry)  HELD and EXPIRED --release--> RELEASED

Each function takes what is known of a cause (None: nothing) and returns its next state, or None when nothing changes. The
caller stores that state and lets `Funds.move` count it. A caller that knows the cause as settled calls none of them.
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
    """Given back because its node's lease lapsed. It may still be settled, from the credit that is there then."""
    RELEASED = "released"


HELD: Final = State.HELD
"""The same: Python looks members of an enumeration up slowly, and every action reserves."""


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
    """Account's balance of entries, or total spent through a usage key; and the part reserved. Micro-dollars."""

    total: int = 0
    reserved: int = 0
    reservations: int = 0
    """Reservations that hold this object: with any, a cache must not replace it."""


@dataclass(slots=True)
class Funds:
    """Balances that a spender draws on: its account's, and its usage key's when it spends through one."""

    account: AccountBalance
    usage_key: AccountBalance | None

    def require(self, spender: Spender, amount: int) -> None:
        """Raises PaymentRequiredError when the account has less, or the usage key's cap (0: none) forbids it."""
        available = self.account.total - self.account.reserved
        if amount > available:
            raise InsufficientCreditError(amount, available)
        key, cap = self.usage_key, spender.cap_microdollars
        # Reserved amounts count against the cap: parallel requests through one key must not exceed it together.
        if key is not None and cap and amount > (left := cap - key.total - key.reserved):
            raise SpendingCapReachedError(amount, available, left)

    def left(self, spender: Spender) -> int:
        """Return what may be taken without a reservation: never below zero, never over the cap."""
        left = self.account.total - self.account.reserved
        key, cap = self.usage_key, spender.cap_microdollars
        if key is not None and cap:
            left = min(left, cap - key.total - key.reserved)
        # A chargeback may take a balance below zero; a charge must not take it further.
        return max(0, left)

    def move(self, change_microdollars: int, reservations: int = 0) -> None:
        """Count so much more (below zero: less) as reserved, by so many reservations more."""
        self.account.reserved += change_microdollars
        self.account.reservations += reservations
        if self.usage_key is not None:
            self.usage_key.reserved += change_microdollars
            self.usage_key.reservations += reservations

    def charge(self, amount_microdollars: int) -> None:
        """Count a charge that was entered."""
        self.account.total -= amount_microdollars
        if self.usage_key is not None:
            self.usage_key.total += amount_microdollars


def require_amount(amount_microdollars: int) -> None:
    """Raises NegativeAmountError below zero."""
    if amount_microdollars < 0:
        raise NegativeAmountError


def reserve(known: Reservation | None, wanted: Reservation, funds: Funds) -> Reservation | None:
    """Set `wanted` aside for its holder. Raises PaymentRequiredError.

    A repeated call takes it over from an earlier process of the node, and renews an expired one if the credit is there.
    """
    if known is None:
        funds.require(wanted.spender, wanted.amount_microdollars)
        return wanted
    # The same write after a restart: the journal names it by the same cause, and its credit is set aside already.
    if known.state is HELD and known.holder != wanted.holder:
        return known._replace(holder=wanted.holder)
    if known.state is State.EXPIRED and funds.left(known.spender) >= known.amount_microdollars:
        return known._replace(state=HELD, holder=wanted.holder)
    return None


def extend(
    known: Reservation | None, target_microdollars: int, holder: str, funds: Funds, cap_microdollars: int | None = None
) -> Reservation | None:
    """Bring the reservation to `target`, under this cap from now on (None: as it was).

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
    """Return what a charge of `amount` takes: at most what was reserved. None: the cause cannot be charged.

    Of an expired reservation the charge takes what is still there, so that no other reservation is spent.
    """
    if known is None or known.state is State.RELEASED:
        return None
    # Never more than was reserved: the client was shown that price before the work.
    amount = min(amount_microdollars, known.amount_microdollars)
    return amount if known.state is HELD else min(amount, funds.left(known.spender))


def release(known: Reservation | None) -> Reservation | None:
    """Give the reservation back for good."""
    if known is None or known.state is State.RELEASED:
        return None
    return known._replace(state=State.RELEASED)

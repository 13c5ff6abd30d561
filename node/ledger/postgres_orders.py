"""Orders of one node: what it asks of reservations, decided one after the other. Pure.

The rules are those of `node.ledger.reservations`. An order may be decided several times, since its transaction may be
repeated; it keeps what an earlier attempt found, so that a repetition adds nothing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from node.ledger import reservations
from node.ledger.entries import Entry, entry_of_charge
from node.ledger.errors import PaymentRequiredError, ReservationMissingError
from node.ledger.port import Spender, Usage
from node.ledger.reservations import AccountBalance, Funds, Reservation, State


@dataclass(eq=False, slots=True)
class Reserve:
    """Set credit aside. `created`: this very order made the reservation, in an attempt that may have been committed."""

    cause: str
    spender: Spender
    amount_microdollars: int
    created: bool = False


@dataclass(eq=False, slots=True)
class Extend:
    """Set more aside. `target`: the amount of the extended reservation, fixed by the first attempt."""

    cause: str
    amount_microdollars: int
    cap_microdollars: int | None = None
    target_microdollars: int | None = None


@dataclass(eq=False, slots=True)
class Settle:
    """Charge at `at_s` (unix time). `taken`: what this very order took, in an attempt that may have been committed."""

    cause: str
    amount_microdollars: int
    usage: Usage
    at_s: float
    taken_microdollars: int = 0


@dataclass(frozen=True, slots=True)
class Release:
    """Give the reservation back; its cause is never reserved again."""

    cause: str


@dataclass(frozen=True, slots=True)
class Forget:
    """Undo `reserve`, whose caller did not learn that it was done: as if it had never been asked."""

    reserve: Reserve

    @property
    def cause(self) -> str:
        """Cause of the reservation."""
        return self.reserve.cause


Order: TypeAlias = Reserve | Extend | Settle | Release | Forget


class AccountBusyError(Exception):
    """Another node holds the account's lock: the order was not decided."""


Outcome: TypeAlias = PaymentRequiredError | ReservationMissingError | AccountBusyError | None


class Decisions:
    """Decides orders one after the other, each seeing those before it; `reservations` and `entries` are to be written.

    `accounts` and `usage_keys` hold a balance for every spender of the orders and of `known`, which has the reservations
    there are by cause; `entered` has the causes that are entries already. `holder` is the lease of this node.
    """

    def __init__(
        self,
        holder: str,
        accounts: Mapping[int, AccountBalance],
        usage_keys: Mapping[int, AccountBalance],
        known: Mapping[str, Reservation],
        entered: Collection[str],
    ) -> None:
        self._holder = holder
        self._accounts = accounts
        self._usage_keys = usage_keys
        self._known: dict[str, Reservation | None] = dict(known)
        self._entered = set(entered)
        self.reservations: dict[str, Reservation | None] = {}
        """Next state of each changed cause; None: its row is deleted."""
        self.entries: list[Entry] = []

    @property
    def holds(self) -> bool:
        """Whether credit is set aside under this node's lease."""
        return any(kept is not None and kept.state is State.HELD for kept in self.reservations.values())

    def decide(self, order: Order) -> Outcome:
        """Decide one order. Returns the error that refuses it, which changes nothing."""
        try:
            match order:
                case Reserve():
                    self._reserve(order)
                case Extend():
                    self._extend(order)
                case Settle():
                    self._settle(order)
                case Release():
                    self._put(order.cause, reservations.release(self._known.get(order.cause)))
                case Forget():
                    self._forget(order)
                case _:
                    assert_never(order)
        except (PaymentRequiredError, ReservationMissingError) as error:
            return error
        return None

    def _reserve(self, order: Reserve) -> None:
        if order.cause in self._entered:
            return
        known = self._known.get(order.cause)
        wanted = Reservation(order.spender, order.amount_microdollars, State.HELD, self._holder)
        self._put(order.cause, reservations.reserve(known, wanted, self._funds(known or wanted)))
        if known is None:
            # Kept over repetitions of the transaction: after a commit with a lost answer the row is known, yet this
            # order made it.
            order.created = True

    def _extend(self, order: Extend) -> None:
        known = self._known.get(order.cause)
        # A fixed target makes a repeated attempt idempotent; adding the amount again would not be.
        if order.target_microdollars is None and known is not None:
            order.target_microdollars = known.amount_microdollars + order.amount_microdollars
        target = order.target_microdollars or 0
        funds, cap = self._funds(known), order.cap_microdollars
        self._put(order.cause, reservations.extend(known, target, self._holder, funds, cap))

    def _settle(self, order: Settle) -> None:
        if order.cause in self._entered:  # by an earlier attempt of this order, or by another charge: takes nothing now
            return
        known = self._known.get(order.cause)
        funds = self._funds(known)
        taken = reservations.settle(known, order.amount_microdollars, funds)
        # Kept on the order: when the commit's answer is lost, the repetition finds the entry and must still report
        # this.
        order.taken_microdollars = taken or 0
        if known is None or taken is None:
            return
        self._end(order.cause)
        funds.charge(taken)
        self._entered.add(order.cause)
        self.entries.append(entry_of_charge(order.cause, known.spender, taken, order.usage, order.at_s))

    def _forget(self, order: Forget) -> None:
        known = self._known.get(order.cause)
        # A reservation that an earlier request with this cause made is not undone.
        if order.reserve.created and known is not None and known.state is State.HELD:
            self._end(order.cause)

    def _funds(self, reservation: Reservation | None) -> Funds:
        if reservation is None:
            return Funds(AccountBalance(), None)
        spender = reservation.spender
        key = None if spender.usage_key is None else self._usage_keys[spender.usage_key]
        return Funds(self._accounts[spender.account], key)

    def _put(self, cause: str, changed: Reservation | None) -> None:
        """Store the next state of a cause; None: nothing changed."""
        if changed is None:
            return
        known = self._known.get(cause)
        before = 0 if known is None else known.held_microdollars
        self._funds(changed).move(changed.held_microdollars - before)
        self._known[cause] = self.reservations[cause] = changed

    def _end(self, cause: str) -> None:
        """Delete a cause's row."""
        known = self._known.get(cause)
        if known is not None:
            self._funds(known).move(-known.held_microdollars)
        self._known[cause] = self.reservations[cause] = None

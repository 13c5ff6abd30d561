"""Orders of one node to change reservations, decided in sequence. Pure.

The rules are those of `node.ledger.reservations`. A transaction may be repeated, so an order keeps
what an earlier attempt found. Deciding it again then adds nothing.
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
    """Order to set credit aside. `created` if an attempt, maybe committed, made the reservation."""

    cause: str
    spender: Spender
    amount_microdollars: int
    created: bool = False


@dataclass(eq=False, slots=True)
class Extend:
    """Order to set more aside. `target` is the new total, fixed by the first attempt."""

    cause: str
    amount_microdollars: int
    cap_microdollars: int | None = None
    target_microdollars: int | None = None


@dataclass(eq=False, slots=True)
class Settle:
    """Order to charge at `at_s` (unix time). `taken` is what an attempt took, maybe committed."""

    cause: str
    amount_microdollars: int
    usage: Usage
    at_s: float
    taken_microdollars: int = 0


@dataclass(frozen=True, slots=True)
class Release:
    """Order to give a reservation back. Its cause is never reserved again."""

    cause: str


@dataclass(frozen=True, slots=True)
class Forget:
    """Order to undo `reserve`, whose caller did not learn the result, as if it was never made."""

    reserve: Reserve

    @property
    def cause(self) -> str:
        """Cause of the reservation."""
        return self.reserve.cause


Order: TypeAlias = Reserve | Extend | Settle | Release | Forget


class AccountBusyError(Exception):
    """Another node has locked the account, and the order was not decided."""


Outcome: TypeAlias = PaymentRequiredError | ReservationMissingError | AccountBusyError | None


class Decisions:
    """Decides orders in sequence. `reservations` and `entries` are the changes to be written.

    `accounts` and `usage_keys` have a balance for every spender of the orders and of `known`, the
    reservations by cause. `entered` has causes with entries. `holder` is the lease of this process.
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
        """Next state of each changed cause. None deletes its row."""
        self.entries: list[Entry] = []

    @property
    def holds(self) -> bool:
        """Whether credit is set aside under this node's lease."""
        return any(kept is not None and kept.state is State.HELD for kept in self.reservations.values())

    def decide(self, order: Order) -> Outcome:
        """Decides one order. Returns the error that refuses it; a refusal changes nothing."""
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
            # Kept for repetitions. If the commit's reply was lost, the row is known, although this
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
        if order.cause in self._entered:  # by an earlier attempt or by another charge
            return
        known = self._known.get(order.cause)
        funds = self._funds(known)
        taken = reservations.settle(known, order.amount_microdollars, funds)
        # Kept on the order. If the commit's reply is lost, the repetition finds the entry and must
        # still report this.
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
        """Stores the next state of a cause. None means that nothing changed."""
        if changed is None:
            return
        known = self._known.get(cause)
        before = 0 if known is None else known.held_microdollars
        self._funds(changed).move(changed.held_microdollars - before)
        self._known[cause] = self.reservations[cause] = changed

    def _end(self, cause: str) -> None:
        """Deletes a cause's row."""
        known = self._known.get(cause)
        if known is not None:
            self._funds(known).move(-known.held_microdollars)
        self._known[cause] = self.reservations[cause] = None

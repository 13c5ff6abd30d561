"""What becomes of orders, given what the database holds under lock. Pure; the rules of SQLite's ledger, and of leases."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from node.errors import NodeError
from node.ledger.entries import Entry, entry_of_charge
from node.ledger.port import Spender
from node.ledger.postgres.orders import Extend, Forget, Order, Release, Reservation, Reserve, Settle, State
from node.ledger.rules import no_such_reservation, require_cap, require_credit


class AccountBusyError(Exception):
    """Somebody else holds the account's lock: the order was not decided."""


Outcome: TypeAlias = NodeError | AccountBusyError | None


@dataclass(slots=True)
class Purse:
    """An account's balance, or what was spent through a usage key, and what of it is reserved, in micro-dollars."""

    total: int = 0
    reserved: int = 0


class Decisions:
    """Orders are decided one after the other, each seeing those before it; `reservations` and `entries` are to be written.

    `accounts` and `usage_keys` hold a purse for everything that is asked about, `known` what is known of causes,
    `entered` those that are entries already; `holder` is the lease of this node.
    """

    def __init__(
        self,
        holder: str,
        accounts: Mapping[int, Purse],
        usage_keys: Mapping[int, Purse],
        known: Mapping[str, Reservation],
        entered: Collection[str],
    ) -> None:
        self._holder = holder
        self._accounts = accounts
        self._usage_keys = usage_keys
        self._known: dict[str, Reservation | None] = dict(known)
        self._entered = set(entered)
        self.reservations: dict[str, Reservation | None] = {}
        """What each cause comes to; None: its row goes."""
        self.entries: list[Entry] = []

    @property
    def holds(self) -> bool:
        """Whether credit is set aside under this node's lease."""
        return any(kept is not None and kept.state is State.HELD for kept in self.reservations.values())

    def decide(self, order: Order) -> Outcome:
        """Decide one; NodeError `payment_required` or `internal_error` is its outcome, and changes nothing."""
        try:
            match order:
                case Reserve():
                    self._reserve(order)
                case Extend():
                    self._extend(order)
                case Settle():
                    self._settle(order)
                case Release():
                    self._release(order)
                case Forget():
                    self._forget(order)
                case _:
                    assert_never(order)
        except NodeError as error:
            return error
        return None

    def _reserve(self, order: Reserve) -> None:
        known = self._known.get(order.cause)
        if order.cause in self._entered:
            return
        if known is None:
            self._require(order.spender, order.amount_microdollars)
            held = Reservation(order.spender, order.amount_microdollars, State.HELD, self._holder)
            self._put(order.cause, held)
            order.created = True
        elif known.state is State.HELD and known.holder != self._holder:  # of this node's life before, say
            self._put(order.cause, replace(known, holder=self._holder))
        elif known.state is State.EXPIRED and self._left(known.spender) >= known.amount_microdollars:
            self._put(order.cause, replace(known, state=State.HELD, holder=self._holder))

    def _extend(self, order: Extend) -> None:
        known = self._known.get(order.cause)
        if known is None or known.state is State.RELEASED:
            raise no_such_reservation()
        if order.target_microdollars is None:
            order.target_microdollars = known.amount_microdollars + order.amount_microdollars
        held = known.amount_microdollars if known.state is State.HELD else 0
        if held < order.target_microdollars:
            self._require(known.spender, order.target_microdollars - held)
            self._put(order.cause, Reservation(known.spender, order.target_microdollars, State.HELD, self._holder))

    def _settle(self, order: Settle) -> None:
        known = self._known.get(order.cause)
        if order.cause in self._entered:  # by this order's attempt before, or it takes nothing
            return
        order.taken_microdollars = 0
        if known is None or known.state is State.RELEASED:
            return
        amount = min(order.amount_microdollars, known.amount_microdollars)
        if known.state is State.EXPIRED:
            amount = min(amount, self._left(known.spender))
        self._put(order.cause, None)
        self._accounts[known.spender.account].total -= amount
        if known.spender.usage_key is not None:
            self._usage_keys[known.spender.usage_key].total += amount
        self._entered.add(order.cause)
        order.taken_microdollars = amount
        self.entries.append(entry_of_charge(order.cause, known.spender, amount, order.usage, order.at_s))

    def _release(self, order: Release) -> None:
        known = self._known.get(order.cause)
        if known is not None and known.state is not State.RELEASED:
            self._put(order.cause, replace(known, state=State.RELEASED))

    def _forget(self, order: Forget) -> None:
        known = self._known.get(order.cause)
        if order.reserve.created and known is not None and known.state is State.HELD:
            self._put(order.cause, None)

    def _require(self, spender: Spender, amount: int) -> None:
        available = self._available(spender)
        require_credit(amount, available)
        if spender.usage_key is not None:
            key = self._usage_keys[spender.usage_key]
            require_cap(amount, available, spender.cap_microdollars, key.total + key.reserved)

    def _left(self, spender: Spender) -> int:
        """What may still be taken without a reservation: never below zero, never over the cap."""
        left = self._available(spender)
        if spender.usage_key is not None and spender.cap_microdollars:
            key = self._usage_keys[spender.usage_key]
            left = min(left, spender.cap_microdollars - key.total - key.reserved)
        return max(0, left)

    def _available(self, spender: Spender) -> int:
        account = self._accounts[spender.account]
        return account.total - account.reserved

    def _put(self, cause: str, reservation: Reservation | None) -> None:
        self._count(self._known.get(cause), -1)
        self._count(reservation, 1)
        self._known[cause] = self.reservations[cause] = reservation

    def _count(self, reservation: Reservation | None, sign: int) -> None:
        if reservation is None or reservation.state is not State.HELD:
            return
        amount, spender = sign * reservation.amount_microdollars, reservation.spender
        self._accounts[spender.account].reserved += amount
        if spender.usage_key is not None:
            self._usage_keys[spender.usage_key].reserved += amount

"""Reservation state machine, the same on SQLite and PostgreSQL. Pure: no I/O, no clock.

    (none) --reserve--> HELD --settle--> (entry)
                         | ^
           lease buried  | | reserve, extend       Settled and released causes are final.
                         v |
                      EXPIRED --settle--> (entry)  HELD and EXPIRED --release--> (released)

A function takes the reservation of a cause (None without one). `reserve` and `extend` return its
next state, or None for no change.

`Decisions` decides orders in sequence. A transaction may be repeated, so an order keeps what an
earlier attempt found. Deciding it again then adds nothing.
"""

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias, assert_never

from node.ledger.entries import Entry, names_of
from node.ledger.errors import (
    InsufficientCreditError,
    NegativeAmountError,
    PaymentRequiredError,
    ReservationMissingError,
    SpendingCapReachedError,
)
from node.ledger.port import Spender


class State(StrEnum):
    """State of a reservation that has not ended."""

    HELD = "held"
    EXPIRED = "expired"
    """Given back when the lease was buried. It may be settled from the credit left."""


HELD: Final = State.HELD
"""Alias of `State.HELD`. Python looks up enumeration members slowly, and every action reserves."""


class Reservation(NamedTuple):
    """Credit set aside by this process. `names`: see `names_of`.

    `maker` is the order that made it, as long as no other order relies on it.
    """

    spender: Spender
    names: tuple[str, ...]
    amount_microdollars: int
    state: State = HELD
    maker: "Reserve | None" = None

    @property
    def held_microdollars(self) -> int:
        """Amount that counts as reserved."""
        return self.amount_microdollars if self.state is HELD else 0


class Balances(NamedTuple):
    """Amounts that a process may count with, in micro-dollars by `names_of`; changed in place.

    `totals` has the balance of an account, and what was spent through a usage key. `reserved` has
    what the process has set aside, if anything.
    """

    totals: dict[str, int]
    reserved: dict[str, int]

    def require(self, spender: Spender, names: Sequence[str], amount: int) -> None:
        """Raises PaymentRequiredError if the account has less, or the cap (0: none) forbids it."""
        available = self.totals[names[0]] - self.reserved.get(names[0], 0)
        if amount > available:
            raise InsufficientCreditError(amount, available)
        if (left := self._cap_left(spender, names)) is not None and amount > left:
            raise SpendingCapReachedError(amount, available, left)

    def left(self, spender: Spender, names: Sequence[str]) -> int:
        """Returns the amount to take without a reservation, at least zero and within the cap."""
        left = self.totals[names[0]] - self.reserved.get(names[0], 0)
        if (cap_left := self._cap_left(spender, names)) is not None:
            left = min(left, cap_left)
        # A chargeback may take a balance below zero; a charge must not take it further.
        return max(0, left)

    def move(self, names: Sequence[str], change_microdollars: int) -> None:
        """Adds to the reserved amounts. The change may be negative."""
        for name in names if change_microdollars else ():
            amount = self.reserved.get(name, 0) + change_microdollars
            if amount:
                self.reserved[name] = amount
            else:
                del self.reserved[name]

    def charge(self, names: Sequence[str], amount_microdollars: int) -> None:
        """Counts an entered charge."""
        self.totals[names[0]] -= amount_microdollars
        if len(names) > 1:
            self.totals[names[1]] += amount_microdollars

    def _cap_left(self, spender: Spender, names: Sequence[str]) -> int | None:
        if len(names) == 1 or not spender.cap_microdollars:
            return None
        # Reserved amounts count, so that parallel requests through a key stay within its cap.
        return spender.cap_microdollars - self.totals[names[1]] - self.reserved.get(names[1], 0)


def require_amount(amount_microdollars: int) -> None:
    """Raises NegativeAmountError below zero."""
    if amount_microdollars < 0:
        raise NegativeAmountError


def reserve(known: Reservation | None, wanted: Reservation, balances: Balances) -> Reservation | None:
    """Sets `wanted` aside. Raises PaymentRequiredError.

    A repeated call changes nothing, but for an expired reservation, which it renews if it can.
    """
    if known is None:
        balances.require(wanted.spender, wanted.names, wanted.amount_microdollars)
        return wanted
    if known.state is State.EXPIRED and balances.left(known.spender, known.names) >= known.amount_microdollars:
        return known._replace(state=HELD)
    return None


def extend(
    known: Reservation | None, target_microdollars: int, balances: Balances, cap_microdollars: int | None = None
) -> Reservation | None:
    """Extends the reservation to the target and replaces its cap (None keeps it).

    Raises PaymentRequiredError, ReservationMissingError.
    """
    if known is None:
        raise ReservationMissingError
    missing = target_microdollars - known.held_microdollars
    if missing <= 0:
        return None
    spender = known.spender
    if cap_microdollars is not None and cap_microdollars != spender.cap_microdollars:
        spender = replace(spender, cap_microdollars=cap_microdollars)
    balances.require(spender, known.names, missing)
    return Reservation(spender, known.names, target_microdollars)


def settle(known: Reservation, amount_microdollars: int, balances: Balances) -> int:
    """Returns the amount to take, at most what was reserved.

    An expired reservation takes only unreserved credit, so that other reservations stay covered.
    """
    # Never more than was reserved: the client was shown that price before the work.
    amount = min(amount_microdollars, known.amount_microdollars)
    return amount if known.state is HELD else min(amount, balances.left(known.spender, known.names))


@dataclass(eq=False, slots=True)
class Reserve:
    """Order to set credit aside."""

    cause: str
    spender: Spender
    amount_microdollars: int


@dataclass(eq=False, slots=True)
class Extend:
    """Order to set more aside. `target` is the new total, fixed by the first attempt."""

    cause: str
    amount_microdollars: int
    cap_microdollars: int | None = None
    target_microdollars: int | None = None


@dataclass(eq=False, slots=True)
class Settle:
    """Order to charge as `entry` says. `taken` is what an attempt took, maybe committed."""

    entry: Entry
    taken_microdollars: int = 0

    @property
    def cause(self) -> str:
        """Cause of the charge."""
        return self.entry.cause


@dataclass(frozen=True, slots=True)
class Release:
    """Order to end a cause, which is never reserved or charged again.

    `account` is the one of a cause that another process may have reserved.
    """

    cause: str
    account: int | None = None


@dataclass(frozen=True, slots=True)
class Forget:
    """Order to find out what `order` came to, whose caller gave up. A reservation is undone."""

    order: Reserve | Settle

    @property
    def cause(self) -> str:
        """Cause of the reservation."""
        return self.order.cause


Order: TypeAlias = Reserve | Extend | Settle | Release | Forget


class AccountBusyError(Exception):
    """Another node has locked the account, and the order was not decided."""


Outcome: TypeAlias = PaymentRequiredError | ReservationMissingError | AccountBusyError | None


def _names(spender: Spender) -> tuple[str, ...]:
    return names_of(spender.account, spender.usage_key)


def names_concerned(order: Order, known: Mapping[str, Reservation]) -> tuple[str, ...]:
    """Returns the balances that an order may change; none if its cause has no reservation."""
    if (reservation := known.get(order.cause)) is not None:
        return reservation.names
    match order:
        case Reserve():
            return _names(order.spender)
        case Forget(order=Reserve() as reserve):
            return _names(reserve.spender)
        # Under the account's lock, since another process may be charging the cause.
        case Release(account=int(account)):
            return names_of(account, None)
        case _:
            return ()


class Decisions:
    """Decides orders in sequence. `reservations`, `ended` and `entries` are the changes.

    `known` has this process's reservations of the orders' causes. `balances` has those of every
    spender of the orders and of `known`, and is changed. `entered` has causes with entries,
    `barred` those that a process released.
    """

    def __init__(
        self,
        known: Mapping[str, Reservation],
        balances: Balances,
        entered: Collection[str] = (),
        barred: Collection[str] = (),
    ) -> None:
        self._known = dict(known)
        self._entered = set(entered)
        self._barred = set(barred)
        self.balances = balances
        self.reservations: dict[str, Reservation | None] = {}
        """Next state of each changed cause. None removes its reservation."""
        self.ended: list[str] = []
        """Causes that are not to be reserved again."""
        self.released: list[str] = []
        """Those of them that another process may have reserved."""
        self.entries: list[Entry] = []
        # Charged by an attempt whose reply was lost, or released by another process. Counted as
        # reserved, they would be counted twice.
        for cause in self._known.keys() & (self._entered | self._barred):
            self._end(cause, self._known[cause])

    def decide(self, order: Order) -> Outcome:
        """Decides one order. Returns the error that refuses it; a refusal changes nothing."""
        try:
            match order:
                case Settle():
                    self._settle(order)
                case Reserve():
                    self._reserve(order)
                case Extend():
                    self._extend(order)
                case Release():
                    self._release(order)
                case Forget():
                    self._forget(order)
                case _:
                    assert_never(order)
        except (PaymentRequiredError, ReservationMissingError) as error:
            return error
        return None

    def _reserve(self, order: Reserve) -> None:
        known = self._known.get(order.cause)
        if known is None:
            if order.cause in self._entered or order.cause in self._barred:
                self.ended.append(order.cause)
                return
            known = Reservation(order.spender, _names(order.spender), order.amount_microdollars, maker=order)
            changed = reserve(None, known, self.balances)
        else:
            changed = reserve(known, known, self.balances)
            if known.maker is not order:
                changed = (changed or known)._replace(maker=None)
        if changed is not None:
            self._put(order.cause, changed)

    def _extend(self, order: Extend) -> None:
        known = self._known.get(order.cause)
        if known is None:
            raise ReservationMissingError
        # A fixed target makes a repeated attempt idempotent; adding the amount again would not be.
        if order.target_microdollars is None:
            order.target_microdollars = known.amount_microdollars + order.amount_microdollars
        changed = extend(known, order.target_microdollars, self.balances, order.cap_microdollars)
        if changed is not None:
            self._put(order.cause, changed)

    def _settle(self, order: Settle) -> None:
        known = self._known.get(order.cause)
        if known is None:
            # An attempt whose reply was lost may have entered it, and what it took is reported. One
            # that was undone, before another process released the cause, has taken nothing.
            if order.cause not in self._entered:
                order.taken_microdollars = 0
            return
        self._end(order.cause, known)
        asked = order.entry.amount_microdollars
        taken = order.taken_microdollars = settle(known, asked, self.balances)
        self.balances.charge(known.names, taken)
        self._entered.add(order.cause)
        self.entries.append(order.entry if taken == asked else order.entry._replace(amount_microdollars=taken))

    def _release(self, order: Release) -> None:
        known = self._known.get(order.cause)
        if known is None:
            self.ended.append(order.cause)
        else:
            self._end(order.cause, known)
        if order.cause not in self._entered and order.cause not in self._barred:
            self._barred.add(order.cause)
            # Written down only for other processes, so that a refused run costs no row.
            if order.account is not None:
                self.released.append(order.cause)

    def _forget(self, order: Forget) -> None:
        known = self._known.get(order.cause)
        # A reservation that another order made, or relies on, is not undone.
        if known is not None and known.maker is order.order:
            self._remove(order.cause, known)

    def _put(self, cause: str, changed: Reservation) -> None:
        known = self._known.get(cause)
        before = 0 if known is None else known.held_microdollars
        self.balances.move(changed.names, changed.held_microdollars - before)
        self._known[cause] = self.reservations[cause] = changed

    def _end(self, cause: str, known: Reservation) -> None:
        self._remove(cause, known)
        self.ended.append(cause)

    def _remove(self, cause: str, known: Reservation) -> None:
        self.balances.move(known.names, -known.held_microdollars)
        del self._known[cause]
        self.reservations[cause] = None


REMEMBERED_CAUSES: Final = 10_000
"""Ended causes known without a query, some 200 bytes each. Clients repeat within seconds."""


class Holdings:
    """Reservations of this process by cause, their sums, and causes that have ended.

    `totals` are the database's, of what is kept of it in memory: see `Balances`.
    """

    def __init__(self, totals: dict[str, int]) -> None:
        self.reservations: dict[str, Reservation] = {}
        self.balances = Balances(totals, {})
        self._ended: OrderedDict[str, None] = OrderedDict()

    def has_ended(self, cause: str) -> bool:
        """Returns whether this cause is among the last that ended here."""
        return cause in self._ended

    def apply(self, decisions: Decisions) -> None:
        """Takes over what was decided and written."""
        for cause, after in decisions.reservations.items():
            self.put(cause, after)
        for cause in decisions.ended:
            self.remember(cause)

    def put(self, cause: str, after: Reservation | None) -> None:
        """Stores the next state of a cause. None removes its reservation."""
        before = self.reservations.pop(cause, None)
        change, names = 0, tuple[str, ...]()
        if before is not None:
            change, names = -before.held_microdollars, before.names
        if after is not None:
            self.reservations[cause] = after
            change, names = change + after.held_microdollars, after.names
        self.balances.move(names, change)

    def expire(self, names: frozenset[str]) -> None:
        """Counts what is reserved of these names as given back."""
        for cause, kept in list(self.reservations.items()):
            if not names.isdisjoint(kept.names):
                self.put(cause, kept._replace(state=State.EXPIRED))

    def remember(self, cause: str) -> None:
        """Keeps a cause as ended, in the place of the one that ended first."""
        self._ended[cause] = None
        if len(self._ended) > REMEMBERED_CAUSES:
            self._ended.popitem(last=False)

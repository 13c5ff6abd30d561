"""The state machine of reservations by itself: each call on each state."""

import pytest

from node.ledger.entries import names_of
from node.ledger.errors import (
    InsufficientCreditError,
    NegativeAmountError,
    ReservationMissingError,
    SpendingCapReachedError,
)
from node.ledger.port import Spender
from node.ledger.reservations import (
    Balances,
    Reservation,
    State,
    extend,
    require_amount,
    reserve,
    settle,
)

ME = Spender(0xACC)
CAPPED = Spender(0xACC, 0x5EC, 5)
WANTED = Reservation(ME, names_of(ME.account, ME.usage_key), 4)


def kept(state: State, amount: int = 4) -> Reservation:
    return Reservation(ME, names_of(ME.account, ME.usage_key), amount, state)


def credit(total: int, reserved: int = 0, spent: int = 0, through_key: int = 0) -> Balances:
    """Of the account, and what was spent and is reserved through CAPPED's key."""
    book, key = names_of(CAPPED.account, CAPPED.usage_key)
    return Balances({book: total, key: spent}, {book: reserved, key: through_key})


@pytest.mark.parametrize(
    ("known", "left", "after"),
    [
        (None, 4, WANTED),
        (kept(State.HELD), 0, None),
        (kept(State.EXPIRED), 4, WANTED),
        (kept(State.EXPIRED), 3, None),
    ],
)
def test_reserve(known: Reservation | None, left: int, after: Reservation | None) -> None:
    assert reserve(known, WANTED, credit(left)) == after


def test_reserve_refuses_what_is_not_there() -> None:
    with pytest.raises(InsufficientCreditError):
        reserve(None, WANTED, credit(9, reserved=6))


def test_reserve_refuses_what_the_cap_forbids() -> None:
    spent = credit(100, spent=1, through_key=1)
    assert (
        reserve(None, Reservation(CAPPED, names_of(CAPPED.account, CAPPED.usage_key), 3, State.HELD), spent) is not None
    )
    with pytest.raises(SpendingCapReachedError):
        reserve(None, Reservation(CAPPED, names_of(CAPPED.account, CAPPED.usage_key), 4, State.HELD), spent)


@pytest.mark.parametrize(
    ("known", "target", "left", "after"),
    [
        (kept(State.HELD), 6, 2, kept(State.HELD, 6)),
        (kept(State.HELD), 4, 0, None),
        (kept(State.HELD), 3, 0, None),
        (kept(State.EXPIRED), 6, 6, kept(State.HELD, 6)),
    ],
)
def test_extend(known: Reservation, target: int, left: int, after: Reservation | None) -> None:
    assert extend(known, target, credit(left)) == after


@pytest.mark.parametrize(("known", "left"), [(kept(State.HELD), 1), (kept(State.EXPIRED), 5)])
def test_extend_refuses_what_is_not_there(known: Reservation, left: int) -> None:
    with pytest.raises(InsufficientCreditError):
        extend(known, 6, credit(left))


def test_extend_needs_a_reservation() -> None:
    with pytest.raises(ReservationMissingError):
        extend(None, 6, credit(100))


@pytest.mark.parametrize(
    ("known", "amount", "left", "taken"),
    [
        (kept(State.HELD), 3, 0, 3),
        (kept(State.HELD), 9, 100, 4),
        (kept(State.EXPIRED), 9, 100, 4),
        (kept(State.EXPIRED), 4, 1, 1),
        (kept(State.EXPIRED), 4, -7, 0),
    ],
)
def test_settle(known: Reservation, amount: int, left: int, taken: int) -> None:
    assert settle(known, amount, credit(left)) == taken


def test_settle_of_an_expired_reservation_stays_within_the_cap() -> None:
    late = Reservation(CAPPED, names_of(CAPPED.account, CAPPED.usage_key), 4, State.EXPIRED)
    assert settle(late, 4, credit(100, spent=2, through_key=1)) == 2


def test_no_amount_is_negative() -> None:
    require_amount(0)
    with pytest.raises(NegativeAmountError):
        require_amount(-1)

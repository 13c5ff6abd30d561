"""The state machine of reservations by itself: each call on each state."""

import pytest

from node.ledger.errors import (
    InsufficientCreditError,
    NegativeAmountError,
    ReservationMissingError,
    SpendingCapReachedError,
)
from node.ledger.port import Spender
from node.ledger.reservations import (
    AccountBalance,
    Funds,
    Reservation,
    State,
    extend,
    release,
    require_amount,
    reserve,
    settle,
)

ME = Spender(0xACC)
CAPPED = Spender(0xACC, 0x5EC, 5)
WANTED = Reservation(ME, 4, State.HELD, "node")


def kept(state: State, amount: int = 4, holder: str = "node") -> Reservation:
    return Reservation(ME, amount, state, holder)


def funds(total: int, reserved: int = 0) -> Funds:
    return Funds(AccountBalance(total, reserved), None)


@pytest.mark.parametrize(
    ("known", "left", "after"),
    [
        (None, 4, WANTED),
        (kept(State.HELD), 0, None),
        (kept(State.HELD, holder="its process before"), 0, WANTED),
        (kept(State.EXPIRED), 4, WANTED),
        (kept(State.EXPIRED, holder="another"), 4, WANTED),
        (kept(State.EXPIRED), 3, None),
        (kept(State.RELEASED), 4, None),
    ],
)
def test_reserve(known: Reservation | None, left: int, after: Reservation | None) -> None:
    assert reserve(known, WANTED, funds(left)) == after


def test_reserve_refuses_what_is_not_there() -> None:
    with pytest.raises(InsufficientCreditError):
        reserve(None, WANTED, funds(9, reserved=6))


def test_reserve_refuses_what_the_cap_forbids() -> None:
    spent = Funds(AccountBalance(100), AccountBalance(total=1, reserved=1))
    assert reserve(None, Reservation(CAPPED, 3, State.HELD, "node"), spent) is not None
    with pytest.raises(SpendingCapReachedError):
        reserve(None, Reservation(CAPPED, 4, State.HELD, "node"), spent)


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
    assert extend(known, target, "node", funds(left)) == after


@pytest.mark.parametrize(("known", "left"), [(kept(State.HELD), 1), (kept(State.EXPIRED), 5)])
def test_extend_refuses_what_is_not_there(known: Reservation, left: int) -> None:
    with pytest.raises(InsufficientCreditError):
        extend(known, 6, "node", funds(left))


@pytest.mark.parametrize("known", [None, kept(State.RELEASED)])
def test_extend_needs_a_reservation(known: Reservation | None) -> None:
    with pytest.raises(ReservationMissingError):
        extend(known, 6, "node", funds(100))


@pytest.mark.parametrize(
    ("known", "amount", "left", "taken"),
    [
        (None, 3, 100, None),
        (kept(State.RELEASED), 3, 100, None),
        (kept(State.HELD), 3, 0, 3),
        (kept(State.HELD), 9, 100, 4),
        (kept(State.EXPIRED), 9, 100, 4),
        (kept(State.EXPIRED), 4, 1, 1),
        (kept(State.EXPIRED), 4, -7, 0),
    ],
)
def test_settle(known: Reservation | None, amount: int, left: int, taken: int | None) -> None:
    assert settle(known, amount, funds(left)) == taken


def test_settle_of_an_expired_reservation_stays_within_the_cap() -> None:
    late = Reservation(CAPPED, 4, State.EXPIRED, "node")
    assert settle(late, 4, Funds(AccountBalance(100), AccountBalance(total=2, reserved=1))) == 2


@pytest.mark.parametrize(
    ("known", "after"),
    [
        (None, None),
        (kept(State.HELD), kept(State.RELEASED)),
        (kept(State.EXPIRED), kept(State.RELEASED)),
        (kept(State.RELEASED), None),
    ],
)
def test_release(known: Reservation | None, after: Reservation | None) -> None:
    assert release(known) == after


def test_no_amount_is_negative() -> None:
    require_amount(0)
    with pytest.raises(NegativeAmountError):
        require_amount(-1)

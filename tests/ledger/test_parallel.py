"""Whatever runs at once, no more is spent than there is."""

import asyncio

import pytest

from node.errors import DomainError
from node.ledger.errors import NegativeAmountError, PaymentRequiredError, ReservationMissingError
from node.ledger.port import LedgerDatabase, Spender
from node.settings.ledger import LedgerSettings
from tests.support.ledgers import ACCOUNT, CENT, KEY, RUN, LedgerWorld, assert_adds_up, cents, give, pay, rows


async def spend(ledger: LedgerDatabase, cause: str, spender: Spender) -> bool:
    """One action of a started second; whether it was paid."""
    try:
        await ledger.reserve(spender, cause, CENT)
    except DomainError as error:
        if not isinstance(error, PaymentRequiredError):
            raise
        return False
    await asyncio.sleep(0)
    await ledger.settle(cause, CENT, RUN)
    return True


@pytest.mark.parametrize(
    ("credit", "spender", "scope"),
    [(3, Spender(ACCOUNT), "account"), (1000, Spender(ACCOUNT, KEY, 3 * CENT), "usage_key")],
    ids=["of an account", "of a capped key"],
)
async def test_fifty_at_once_on_three_cents_spend_three(
    ledger: LedgerDatabase, credit: int, spender: Spender, scope: str
) -> None:
    await give(ledger, credit)
    paid = await asyncio.gather(*(spend(ledger, f"e{i}", spender) for i in range(50)))
    assert sum(paid) == 3
    assert await ledger.balance(ACCOUNT) == cents(credit - 3)
    with pytest.raises(DomainError) as refused:
        await ledger.reserve(spender, "after", CENT)
    assert refused.value.details["scope"] == scope
    await assert_adds_up(ledger)


async def test_those_who_extend_at_once_share_what_is_left(ledger: LedgerDatabase) -> None:
    await give(ledger, 30)
    await asyncio.gather(*(ledger.reserve(Spender(ACCOUNT), f"e{i}", CENT) for i in range(20)))
    outcomes = await asyncio.gather(*(ledger.extend(f"e{i}", CENT) for i in range(20)), return_exceptions=True)
    assert sum(outcome is None for outcome in outcomes) == 10
    await asyncio.gather(*(ledger.settle(f"e{i}", 2 * CENT, RUN) for i in range(20)))
    assert await ledger.balance(ACCOUNT) == cents(0)
    await assert_adds_up(ledger)


async def test_one_cause_by_many_at_once_is_one_charge(ledger: LedgerDatabase) -> None:
    await give(ledger, 3)
    await asyncio.gather(*(pay(ledger, "e1") for _ in range(50)))
    assert await ledger.balance(ACCOUNT) == cents(2)
    assert await rows(ledger, "SELECT COUNT(*) FROM ledger_entry WHERE cause = ?", "e1") == [(1,)]


async def test_settling_twice_at_once_is_durable_for_both(ledger: LedgerDatabase) -> None:
    await give(ledger, 9)
    await ledger.reserve(Spender(ACCOUNT), "e1", 5 * CENT)
    first, second = (asyncio.create_task(ledger.settle("e1", amount * CENT, RUN)) for amount in (2, 4))
    for done in asyncio.as_completed([first, second]):
        await done
        assert await rows(ledger, "SELECT amount_microdollars FROM ledger_entry WHERE cause = ?", "e1") == [(2 * CENT,)]
    assert await ledger.balance(ACCOUNT) == cents(7)


async def test_a_caller_who_goes_away_does_not_take_its_charge_along(
    world: LedgerWorld, ledger: LedgerDatabase
) -> None:
    await give(ledger, 3)
    await ledger.reserve(Spender(ACCOUNT), "e1", CENT)
    settling = asyncio.create_task(ledger.settle("e1", CENT, RUN))
    await asyncio.sleep(0)
    settling.cancel()
    await asyncio.wait([settling])
    await pay(ledger, "e2")
    assert await ledger.balance(ACCOUNT) == cents(1)
    await world.die(ledger)
    again = await world.open()
    assert await again.balance(ACCOUNT) == cents(1)
    await again.close()


@pytest.mark.parametrize(
    "turns", [1, pytest.param(4, marks=pytest.mark.exhaustive), pytest.param(40, marks=pytest.mark.exhaustive)]
)
async def test_a_reservation_whose_caller_goes_away_is_given_back(
    world: LedgerWorld, ledger: LedgerDatabase, turns: int
) -> None:
    """The next process has the balance of no account in memory, so that the database decides."""
    await give(ledger, 3)
    await world.die(ledger)
    again = await world.open()
    reserving = asyncio.create_task(again.reserve(Spender(ACCOUNT), "e1", 2 * CENT))
    for _ in range(turns):
        await asyncio.sleep(0)
    is_done = reserving.done()
    reserving.cancel()
    await asyncio.wait([reserving])
    if is_done:
        await again.release("e1")
    await again.reserve(Spender(ACCOUNT), "e2", 3 * CENT)
    assert await again.balance(ACCOUNT) == cents(3, 3)
    await again.close()


async def test_a_cause_that_is_released_while_it_is_refused_is_not_charged_later(ledger: LedgerDatabase) -> None:
    reserving = asyncio.create_task(ledger.reserve(Spender(ACCOUNT), "e1", CENT))
    await asyncio.sleep(0)
    await ledger.release("e1")
    with pytest.raises(PaymentRequiredError):
        await reserving
    await give(ledger, 3)
    await ledger.reserve(Spender(ACCOUNT), "e1", CENT)
    assert await ledger.settle("e1", CENT, RUN) == 0


async def test_more_accounts_than_are_kept_in_memory_are_read_again(
    world: LedgerWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.ledger.reservations.REMEMBERED_CAUSES", 3)
    monkeypatch.setattr("node.ledger.ledger.MAX_ORDERS_PER_COMMIT", 4)
    ledger = await world.open(LedgerSettings(ledger_max_cached_accounts=2))
    accounts = range(1, 9)
    for account in accounts:
        await give(ledger, 10, account, f"payment:{account}")
    spenders = [Spender(account, KEY + account, 9 * CENT) for account in accounts]
    for turn in range(3):
        await asyncio.gather(*(pay(ledger, f"{turn}:{each.account}", 3, each) for each in spenders))
    assert [await ledger.balance(account) for account in accounts] == [cents(1)] * 8
    for turn in range(3):
        await asyncio.gather(*(pay(ledger, f"{turn}:{each.account}", 3, each) for each in spenders))
    assert [await ledger.balance(account) for account in accounts] == [cents(1)] * 8
    for each in spenders:
        with pytest.raises(DomainError) as refused:
            await ledger.reserve(each, "more", CENT)
        assert refused.value.details["scope"] == "usage_key"
    await assert_adds_up(ledger)
    await ledger.close()


async def test_what_is_being_charged_is_neither_released_nor_extended(ledger: LedgerDatabase) -> None:
    await give(ledger, 9)
    await ledger.reserve(Spender(ACCOUNT), "e1", 2 * CENT)
    settling = asyncio.create_task(ledger.settle("e1", 2 * CENT, RUN))
    await asyncio.sleep(0)
    await ledger.release("e1")
    with pytest.raises(DomainError) as refused:
        await ledger.extend("e1", CENT)
    await settling
    assert isinstance(refused.value, ReservationMissingError | NegativeAmountError)
    assert await ledger.balance(ACCOUNT) == cents(7)
    await assert_adds_up(ledger)


async def test_what_is_being_charged_is_not_extended_in_memory(ledger: LedgerDatabase) -> None:
    await give(ledger, 9)
    await ledger.reserve(Spender(ACCOUNT), "e1", 2 * CENT)
    settling = asyncio.create_task(ledger.settle("e1", 2 * CENT, RUN))
    await asyncio.sleep(0)
    with pytest.raises(ReservationMissingError):
        await ledger.extend("e1", CENT)
    assert await settling == 2 * CENT
    assert await ledger.balance(ACCOUNT) == cents(7)


async def test_an_account_that_has_to_be_read_first_is_held_once_for_one_cause(
    world: LedgerWorld, ledger: LedgerDatabase
) -> None:
    await give(ledger, 9)
    await world.die(ledger)
    again = await world.open()
    await asyncio.gather(*(again.reserve(Spender(ACCOUNT, KEY), "e1", CENT) for _ in range(5)))
    assert await again.balance(ACCOUNT) == cents(9, 1)
    await again.close()


async def test_what_is_reserved_is_never_forgotten_however_many_accounts_come_by(world: LedgerWorld) -> None:
    ledger = await world.open(LedgerSettings(ledger_max_cached_accounts=1))
    await give(ledger, 3)
    await ledger.reserve(Spender(ACCOUNT), "e1", 2 * CENT)
    for account in range(1, 6):
        await ledger.balance(account)
    assert await ledger.balance(ACCOUNT) == cents(3, 2)
    with pytest.raises(DomainError):
        await ledger.reserve(Spender(ACCOUNT), "e2", 2 * CENT)
    await ledger.close()

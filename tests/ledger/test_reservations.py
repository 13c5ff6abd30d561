"""Reserve, extend, settle, release: each once, never more than there is."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from node.errors import DomainError
from node.ledger.errors import NegativeAmountError, PaymentRequiredError, ReservationMissingError
from node.ledger.port import LedgerDatabase, Posting, Service, Source, Spender, Usage
from tests.support.ledgers import (
    ACCOUNT,
    CENT,
    KEY,
    OTHER,
    RUN,
    WRITE,
    LedgerWorld,
    SqliteWorld,
    assert_adds_up,
    cents,
    give,
    pay,
    rows,
)

ME = Spender(ACCOUNT)


async def test_an_account_never_seen_has_nothing(ledger: LedgerDatabase) -> None:
    assert await ledger.balance(ACCOUNT) == cents(0)


async def test_what_is_reserved_is_credit_that_cannot_be_reserved_again(ledger: LedgerDatabase) -> None:
    await give(ledger, 10)
    await ledger.reserve(ME, "e1", 7 * CENT)
    assert await ledger.balance(ACCOUNT) == cents(10, 7)
    with pytest.raises(DomainError) as refused:
        await ledger.reserve(ME, "e2", 4 * CENT)
    assert isinstance(refused.value, PaymentRequiredError)
    assert refused.value.details == {"scope": "account", "needed_cents": 4, "credit_cents": 3}
    await ledger.reserve(ME, "e2", 3 * CENT)
    assert await ledger.balance(ACCOUNT) == cents(10, 10)


async def test_settling_takes_what_ran_and_gives_the_rest_back(ledger: LedgerDatabase) -> None:
    await give(ledger, 10)
    await ledger.reserve(ME, "e1", 7 * CENT)
    assert await ledger.settle("e1", 2 * CENT, RUN) == 2 * CENT
    assert await ledger.balance(ACCOUNT) == cents(8)


async def test_no_more_than_was_reserved_is_ever_taken(ledger: LedgerDatabase) -> None:
    await give(ledger, 10)
    await ledger.reserve(ME, "e1", 2 * CENT)
    assert await ledger.settle("e1", 9 * CENT, RUN) == 2 * CENT
    assert await ledger.balance(ACCOUNT) == cents(8)


async def test_an_extension_adds_to_the_reservation_or_leaves_it_as_it_was(ledger: LedgerDatabase) -> None:
    await give(ledger, 3)
    await ledger.reserve(ME, "e1", CENT)
    await ledger.extend("e1", CENT)
    with pytest.raises(DomainError) as refused:
        await ledger.extend("e1", 2 * CENT)
    assert isinstance(refused.value, PaymentRequiredError)
    assert await ledger.balance(ACCOUNT) == cents(3, 2)
    await ledger.settle("e1", 3 * CENT, RUN)
    assert await ledger.balance(ACCOUNT) == cents(1)


async def test_an_extension_counts_against_the_cap_of_its_time(ledger: LedgerDatabase) -> None:
    await give(ledger, 10)
    await ledger.reserve(Spender(ACCOUNT, KEY, 2 * CENT), "e1", 2 * CENT)
    for cap_microdollars in (None, CENT, 2 * CENT):
        with pytest.raises(DomainError) as refused:
            await ledger.extend("e1", CENT, cap_microdollars)
        assert isinstance(refused.value, PaymentRequiredError)
        assert refused.value.details["scope"] == "usage_key"
    await ledger.extend("e1", CENT, 3 * CENT)
    # Kept: the next one that names no cap has this one.
    with pytest.raises(DomainError):
        await ledger.extend("e1", CENT)
    await ledger.extend("e1", CENT, 0)
    assert await ledger.balance(ACCOUNT) == cents(10, 4)
    assert await ledger.settle("e1", 4 * CENT, RUN) == 4 * CENT


@pytest.mark.parametrize("end", ["settled", "released", "never reserved"])
async def test_what_is_not_reserved_cannot_be_extended(ledger: LedgerDatabase, end: str) -> None:
    await give(ledger, 3)
    if end != "never reserved":
        await ledger.reserve(ME, "e1", CENT)
    if end == "settled":
        await ledger.settle("e1", CENT, RUN)
    if end == "released":
        await ledger.release("e1")
    before = await ledger.balance(ACCOUNT)
    with pytest.raises(DomainError) as refused:
        await ledger.extend("e1", CENT)
    assert isinstance(refused.value, ReservationMissingError | NegativeAmountError)
    assert await ledger.balance(ACCOUNT) == before


async def test_a_cause_is_reserved_and_ended_once(ledger: LedgerDatabase) -> None:
    await give(ledger, 10)
    for _ in range(3):
        await ledger.reserve(ME, "e1", 4 * CENT)
    assert await ledger.balance(ACCOUNT) == cents(10, 4)
    assert [await ledger.settle("e1", 4 * CENT, RUN) for _ in range(3)] == [4 * CENT, 0, 0]
    await ledger.release("e1")
    await ledger.reserve(ME, "e1", 4 * CENT)
    assert await ledger.settle("e1", 4 * CENT, RUN) == 0
    assert await ledger.balance(ACCOUNT) == cents(6)


async def test_a_released_cause_costs_nothing_and_stays_ended(ledger: LedgerDatabase) -> None:
    await give(ledger, 10)
    await ledger.reserve(ME, "e1", 4 * CENT)
    await ledger.release("e1")
    assert await ledger.balance(ACCOUNT) == cents(10)
    assert await ledger.settle("e1", 4 * CENT, RUN) == 0
    await ledger.reserve(ME, "e1", 4 * CENT)
    assert await ledger.settle("e1", 4 * CENT, RUN) == 0
    assert await ledger.balance(ACCOUNT) == cents(10)


async def test_what_a_cause_was_charged_is_told_whoever_ended_it(ledger: LedgerDatabase) -> None:
    await give(ledger, 10)
    for cause in ("settled", "released", "held"):
        await ledger.reserve(ME, cause, 3 * CENT)
    await ledger.settle("settled", 2 * CENT, RUN)
    for _ in range(2):
        assert await ledger.settle("settled", CENT, RUN) == 0
        await ledger.release("settled")
        await ledger.release("released")
        charged = [await ledger.charged(cause) for cause in ("settled", "released", "held", "never reserved")]
        assert charged == [2 * CENT, 0, 0, 0]


async def test_ending_what_was_never_reserved_changes_nothing(ledger: LedgerDatabase) -> None:
    await give(ledger, 10)
    assert await ledger.settle("e1", CENT, RUN) == 0
    await ledger.release("e2")
    assert await ledger.balance(ACCOUNT) == cents(10)


@pytest.mark.parametrize(
    "operate",
    [
        lambda ledger: ledger.reserve(ME, "e2", -CENT),
        lambda ledger: ledger.extend("e1", -1),
        lambda ledger: ledger.settle("e1", -1, RUN),
    ],
    ids=["reserve", "extend", "settle"],
)
async def test_nobody_takes_a_negative_amount(
    ledger: LedgerDatabase, operate: Callable[[LedgerDatabase], Awaitable[None]]
) -> None:
    await give(ledger, 10)
    await ledger.reserve(ME, "e1", CENT)
    with pytest.raises(DomainError) as refused:
        await operate(ledger)
    assert isinstance(refused.value, ReservationMissingError | NegativeAmountError)
    assert await ledger.balance(ACCOUNT) == cents(10, 1)


async def test_nothing_is_free_of_the_balance_but_nothing_itself(ledger: LedgerDatabase) -> None:
    """Where a price is zero an account without credit is served; one that owes is not."""
    await ledger.reserve(ME, "e1", 0)
    await ledger.settle("e1", 0, RUN)
    await ledger.post(Posting("refund:re_1", ACCOUNT, Source.CARD, -1))
    with pytest.raises(DomainError) as refused:
        await ledger.reserve(ME, "e2", 0)
    assert isinstance(refused.value, PaymentRequiredError)


@pytest.mark.parametrize(
    ("amount", "needed_cents"), [(3 * CENT + 1, 4), (4 * CENT - 1, 4), (4 * CENT, 4), (4 * CENT + 1, 5)]
)
async def test_cents_needed_are_rounded_up_and_cents_there_down(
    ledger: LedgerDatabase, amount: int, needed_cents: int
) -> None:
    """Who adds the cents that are said to be needed can pay then."""
    await give(ledger, 3)
    await ledger.reserve(ME, "e0", 1)
    with pytest.raises(DomainError) as refused:
        await ledger.reserve(ME, "e1", amount)
    assert refused.value.details == {"scope": "account", "needed_cents": needed_cents, "credit_cents": 2}
    await give(ledger, 100, cause="payment:more")
    with pytest.raises(DomainError) as capped:
        await ledger.reserve(Spender(ACCOUNT, KEY, 3 * CENT - 1), "e2", amount)
    assert capped.value.details == {
        "scope": "usage_key",
        "needed_cents": needed_cents,
        "credit_cents": 102,
        "cap_left_cents": 2,
    }


async def test_a_usage_key_stops_at_its_cap_and_its_account_goes_on(ledger: LedgerDatabase) -> None:
    await give(ledger, 100)
    capped = Spender(ACCOUNT, KEY, 3 * CENT)
    await pay(ledger, "e1", 2, capped)
    await ledger.reserve(capped, "e2", CENT)
    with pytest.raises(DomainError) as refused:
        await ledger.reserve(capped, "e3", CENT)
    assert isinstance(refused.value, PaymentRequiredError)
    assert refused.value.details == {
        "scope": "usage_key",
        "needed_cents": 1,
        "credit_cents": 97,
        "cap_left_cents": 0,
    }
    with pytest.raises(DomainError):
        await ledger.extend("e2", CENT)
    await pay(ledger, "e4", 5, ME)
    await ledger.release("e2")
    await pay(ledger, "e5", 1, capped)
    assert await ledger.balance(ACCOUNT) == cents(92)


async def test_a_cap_counts_the_keys_whole_life(world: LedgerWorld, ledger: LedgerDatabase) -> None:
    await give(ledger, 100)
    await pay(ledger, "e1", 2, Spender(ACCOUNT, KEY, 3 * CENT))
    await world.die(ledger)
    again = await world.open()
    with pytest.raises(DomainError) as refused:
        await again.reserve(Spender(ACCOUNT, KEY, 3 * CENT), "e2", 2 * CENT)
    assert refused.value.details["cap_left_cents"] == 1
    await again.reserve(Spender(ACCOUNT, KEY, 4 * CENT), "e2", 2 * CENT)
    await again.close()


async def test_a_key_without_a_cap_is_counted_all_the_same(ledger: LedgerDatabase) -> None:
    await give(ledger, 100)
    await pay(ledger, "e1", 2, Spender(ACCOUNT, KEY, 0))
    with pytest.raises(DomainError) as refused:
        await ledger.reserve(Spender(ACCOUNT, KEY, 2 * CENT), "e2", CENT)
    assert refused.value.details["scope"] == "usage_key"


async def test_accounts_do_not_touch_one_another(ledger: LedgerDatabase) -> None:
    await give(ledger, 1)
    with pytest.raises(DomainError):
        await ledger.reserve(Spender(OTHER), "e1", CENT)
    await pay(ledger, "e2", 1)
    assert await ledger.balance(OTHER) == cents(0)


async def test_a_charge_says_what_it_was_for(world: LedgerWorld, ledger: LedgerDatabase) -> None:
    await give(ledger, 10)
    world.clock.advance(5)
    await pay(ledger, "e1", 2, Spender(ACCOUNT, KEY, 0), RUN)
    await pay(ledger, "w1", 1, Spender(ACCOUNT), WRITE)
    found = await rows(
        ledger,
        "SELECT cause, at_ms, debit_book, credit_book, amount_microdollars, usage_key, what, request_id, duration_ms"
        " FROM ledger_entry WHERE what IS NOT NULL ORDER BY cause",
    )
    at_ms, book = int(world.clock.now * 1000), f"account:0x{ACCOUNT:064x}"
    assert found == [
        ("e1", at_ms, book, "execution", 2 * CENT, f"0x{KEY:064x}", RUN.what, RUN.request_id, 812),
        ("w1", at_ms, book, "write", CENT, None, "addGroup", WRITE.request_id, None),
    ]


async def test_what_is_settled_outlives_the_process_and_what_is_reserved_does_not(
    world: LedgerWorld, ledger: LedgerDatabase
) -> None:
    await give(ledger, 10)
    await pay(ledger, "e1", 3)
    await ledger.reserve(ME, "e2", 4 * CENT)
    await world.die(ledger)
    again = await world.open()
    assert await again.balance(ACCOUNT) == cents(7)
    await assert_adds_up(again)
    await again.close()


async def test_what_only_memory_knew_was_reserved_costs_nothing_after_a_restart(
    sqlite_world: SqliteWorld, sqlite_ledger: LedgerDatabase
) -> None:
    """In PostgreSQL the reservation is a row and can still be settled, from what is there."""
    await give(sqlite_ledger, 10)
    await sqlite_ledger.reserve(ME, "e2", 4 * CENT)
    await sqlite_world.die(sqlite_ledger)
    again = await sqlite_world.open()
    await again.settle("e2", 4 * CENT, RUN)
    assert await again.balance(ACCOUNT) == cents(10)
    await again.close()


async def test_after_a_restart_the_journal_reserves_and_settles_again_and_charges_once(
    world: LedgerWorld, ledger: LedgerDatabase
) -> None:
    await give(ledger, 3)
    await pay(ledger, "w1", 2, usage=WRITE)
    await world.die(ledger)
    again = await world.open()
    await again.reserve(ME, "w1", 2 * CENT)
    assert await again.balance(ACCOUNT) == cents(1)
    assert await again.settle("w1", 2 * CENT, WRITE) == 0
    assert await again.balance(ACCOUNT) == cents(1)
    await again.close()


async def test_after_a_restart_what_was_charged_holds_no_credit_when_it_is_reserved_again(
    world: LedgerWorld, ledger: LedgerDatabase
) -> None:
    await give(ledger, 10)
    await pay(ledger, "w1", 2, usage=WRITE)
    await world.die(ledger)
    again = await world.open()
    await again.reserve(ME, "w1", 2 * CENT)
    assert await again.balance(ACCOUNT) == cents(8)
    await again.close()


async def test_the_causes_that_ended_last_hold_no_credit_when_they_are_reserved_again(
    sqlite_world: SqliteWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On SQLite the last of them are in memory, after a restart too, and the one that ended first is forgotten."""
    for module in ("reservations", "sqlite_ledger"):
        monkeypatch.setattr(f"node.ledger.{module}.REMEMBERED_CAUSES", 3)
    ledger = await sqlite_world.open()
    await give(ledger, 9)
    for number in range(5):
        await pay(ledger, f"e{number}")
    await ledger.close()
    ledger = await sqlite_world.open()
    await pay(ledger, "e5")
    for cause, reserved in (("e5", 0), ("e4", 0), ("e3", 0), ("e2", 1)):
        await ledger.reserve(ME, cause, CENT)
        assert await ledger.balance(ACCOUNT) == cents(3, reserved)
    assert await ledger.settle("e2", CENT, RUN) == 0
    assert await ledger.balance(ACCOUNT) == cents(3)
    await ledger.close()


async def test_one_charge_with_text_no_database_takes_keeps_no_other_from_being_written(ledger: LedgerDatabase) -> None:
    await give(ledger, 4)
    texts = ["a\0b", "\ud800", "x" * 100_000, "fine"]
    await asyncio.gather(
        *(pay(ledger, f"e{i}", usage=Usage(Service.EXECUTION, text, text, 1)) for i, text in enumerate(texts))
    )
    assert await ledger.balance(ACCOUNT) == cents(0)
    stored = await rows(ledger, "SELECT what, request_id FROM ledger_entry WHERE what IS NOT NULL")
    assert set(map(tuple, stored)) == {(text, text) for text in ("ab", "?", "x" * 100_000, "fine")}


async def test_the_largest_cap_that_the_contract_takes_binds_nothing(ledger: LedgerDatabase) -> None:
    """A wallet may set any of 256 bits, in cents."""
    await give(ledger, 10)
    capped = Spender(ACCOUNT, KEY, (2**256 - 1) * CENT)
    await ledger.reserve(capped, "e1", 2 * CENT)
    await ledger.extend("e1", CENT, capped.cap_microdollars)
    assert await ledger.settle("e1", 3 * CENT, RUN) == 3 * CENT
    assert await ledger.balance(ACCOUNT) == cents(7)

"""Reservations whose node was not heard of: given back once, and what comes late takes only what is there."""

import asyncio
import time

import pytest

from node.database.port import StatementRefusedError
from node.database.postgres_address import address_of
from node.database.postgres_connections import Connections
from node.database.postgres_transactions import MARKS_AT_ONCE
from node.errors import DomainError
from node.ledger.errors import PaymentRequiredError
from node.ledger.port import Posting, Source, Spender
from node.ledger.postgres_batches import forget
from node.ledger.postgres_ledger import PostgresLedger
from tests.support.ledgers import ACCOUNT, CENT, KEY, RUN, WRITE, assert_adds_up, cents, give, pay, rows
from tests.support.postgres_ledger import PostgresWorld

ME = Spender(ACCOUNT)
PAUSED_LEASE_S = 3_600.0
"""Renewed so seldom that it is not while a test runs."""
FORGETFUL_LEASE_S = 1.0
"""Renewed soon, which is when what ended long ago is deleted."""
DEADLINE_S = 30.0


async def expired(
    world: PostgresWorld, spender: Spender = ME, reserved: int = 2
) -> tuple[PostgresLedger, PostgresLedger]:
    """A node that was paused with so many cents of three reserved as `e1`, and the one that gave them back."""
    paused = await world.node("paused", lease_s=PAUSED_LEASE_S)
    await give(paused, 3)
    await paused.reserve(spender, "e1", reserved * CENT)
    await world.lapse()
    return paused, await world.node("other")


@pytest.mark.exhaustive
async def test_what_lapsed_is_credit_again(world: PostgresWorld) -> None:
    _, other = await expired(world)
    assert await other.balance(ACCOUNT) == cents(3)
    await pay(other, "e2", 3)
    assert await other.balance(ACCOUNT) == cents(0)


@pytest.mark.parametrize(
    ("spent", "taken"),
    [(2, 1), *(pytest.param(*each, marks=pytest.mark.exhaustive) for each in ((0, 2), (1, 2), (3, 0)))],
)
async def test_a_late_settlement_takes_what_is_there_and_only_once(
    world: PostgresWorld, spent: int, taken: int
) -> None:
    paused, other = await expired(world)
    await pay(other, "e2", spent)
    for node, said in ((paused, taken), (other, 0), (paused, 0)):
        assert await node.settle("e1", 2 * CENT, RUN) == said * CENT
        assert await node.balance(ACCOUNT) == cents(3 - spent - taken)
    await give(other, 9, cause="payment:pi_2")
    await paused.settle("e1", 2 * CENT, RUN)
    assert await other.balance(ACCOUNT) == cents(12 - spent - taken)
    assert await rows(other, "SELECT amount_microdollars FROM ledger_entry WHERE cause = 'e1'") == [(taken * CENT,)]
    await assert_adds_up(other)


@pytest.mark.exhaustive
async def test_a_late_settlement_takes_nothing_that_another_has_reserved(world: PostgresWorld) -> None:
    paused, other = await expired(world)
    await other.reserve(ME, "e2", 3 * CENT)
    await paused.settle("e1", 2 * CENT, RUN)
    assert await other.balance(ACCOUNT) == cents(3, 3)
    await other.settle("e2", 3 * CENT, RUN)
    assert await other.balance(ACCOUNT) == cents(0)


@pytest.mark.exhaustive
async def test_a_late_settlement_of_an_account_that_owes_takes_nothing(world: PostgresWorld) -> None:
    paused, other = await expired(world)
    await pay(other, "e2", 3)
    await other.post(Posting("refund:re_1", ACCOUNT, Source.CARD, -3 * CENT))
    await paused.settle("e1", 2 * CENT, RUN)
    assert await other.balance(ACCOUNT) == cents(-3)


@pytest.mark.exhaustive
async def test_a_late_settlement_stays_within_the_keys_cap(world: PostgresWorld) -> None:
    capped = Spender(ACCOUNT, KEY, 2 * CENT)
    paused, other = await expired(world, capped)
    await pay(other, "e2", 1, capped)
    await paused.settle("e1", 2 * CENT, RUN)
    assert await other.balance(ACCOUNT) == cents(1)
    assert world.sql("SELECT spent_microdollars, reserved_microdollars FROM ledger_usage_key") == f"{2 * CENT}|0"


@pytest.mark.exhaustive
async def test_reserving_again_what_lapsed_sets_it_aside_again(world: PostgresWorld) -> None:
    """What the journal does with a write whose node came back."""
    paused, other = await expired(world)
    for node in (other, paused, other):
        await node.reserve(ME, "e1", 2 * CENT)
        assert await other.balance(ACCOUNT) == cents(3, 2)
    await other.settle("e1", 2 * CENT, WRITE)
    assert await other.balance(ACCOUNT) == cents(1)


@pytest.mark.exhaustive
async def test_what_lapsed_and_was_spent_meanwhile_is_not_set_aside_but_settled_late(world: PostgresWorld) -> None:
    _, other = await expired(world)
    await pay(other, "e2", 2)
    await other.reserve(ME, "e1", 2 * CENT)
    assert await other.balance(ACCOUNT) == cents(1)
    await other.settle("e1", 2 * CENT, WRITE)
    assert await other.balance(ACCOUNT) == cents(0)


@pytest.mark.exhaustive
async def test_what_lapsed_is_not_set_aside_beyond_its_keys_cap(world: PostgresWorld) -> None:
    capped = Spender(ACCOUNT, KEY, 2 * CENT)
    _, other = await expired(world, capped)
    await pay(other, "e2", 1, capped)
    await other.reserve(capped, "e1", 2 * CENT)
    assert await other.balance(ACCOUNT) == cents(2)


@pytest.mark.exhaustive
async def test_extending_what_lapsed_reserves_all_of_it_again(world: PostgresWorld) -> None:
    paused, other = await expired(world)
    await paused.extend("e1", CENT)
    assert await other.balance(ACCOUNT) == cents(3, 3)
    await paused.settle("e1", 3 * CENT, RUN)
    assert await other.balance(ACCOUNT) == cents(0)


@pytest.mark.exhaustive
@pytest.mark.parametrize("again", ["extend", "reserve"])
async def test_a_node_that_woke_keeps_what_it_sets_aside_from_then_on(world: PostgresWorld, again: str) -> None:
    """Its lease lapsed, and its next renewal may be seconds away: nobody gives back what it reserves meanwhile."""
    paused, _ = await expired(world, reserved=1)
    if again == "extend":
        await paused.extend("e1", CENT)
    else:
        await paused.reserve(ME, "e2", 2 * CENT)
    third = await world.node("third")
    assert await third.balance(ACCOUNT) == cents(3, 2)


@pytest.mark.exhaustive
async def test_extending_what_lapsed_is_refused_when_it_was_spent_meanwhile(world: PostgresWorld) -> None:
    paused, other = await expired(world)
    await pay(other, "e2", 1)
    with pytest.raises(DomainError) as refused:
        await paused.extend("e1", CENT)
    assert isinstance(refused.value, PaymentRequiredError)
    assert await other.balance(ACCOUNT) == cents(2)
    await paused.settle("e1", 2 * CENT, RUN)
    assert await other.balance(ACCOUNT) == cents(0)


@pytest.mark.exhaustive
async def test_releasing_what_lapsed_gives_nothing_back_twice(world: PostgresWorld) -> None:
    paused, other = await expired(world)
    await paused.release("e1")
    await paused.settle("e1", 2 * CENT, RUN)
    assert await other.balance(ACCOUNT) == cents(3)


@pytest.mark.exhaustive
async def test_a_node_that_comes_back_goes_on_with_its_own_reservation(world: PostgresWorld) -> None:
    """Killed, and back before its old lease lapsed: the journal names the write again, and it stays reserved."""
    before = await world.node("a", lease_s=PAUSED_LEASE_S)
    await give(before, 3)
    await before.reserve(ME, "w1", 2 * CENT)
    after = await world.node("a")
    await after.reserve(ME, "w1", 2 * CENT)
    await world.change("UPDATE lease SET until_ms = 0 WHERE name <> (SELECT holder FROM ledger_reservation)")
    third = await world.node("b")
    assert await third.balance(ACCOUNT) == cents(3, 2)
    await after.settle("w1", 2 * CENT, WRITE)
    assert await third.balance(ACCOUNT) == cents(1)


@pytest.mark.exhaustive
async def test_what_nobody_remembers_is_given_back_though_its_node_lives(world: PostgresWorld) -> None:
    ledger = await world.node("a")
    await give(ledger, 3)
    await ledger.reserve(ME, "e1", CENT)
    await ledger.reserve(ME, "e2", CENT)
    await world.change("UPDATE ledger_reservation SET changed_at = changed_at - interval '3700 s' WHERE cause = 'e1'")
    other = await world.node("b")
    assert await other.balance(ACCOUNT) == cents(3, 1)


@pytest.mark.exhaustive
async def test_a_node_that_stops_gives_its_lease_up(world: PostgresWorld) -> None:
    ledger = await world.node("a")
    await give(ledger, 3)
    await ledger.reserve(ME, "e1", CENT)
    await ledger.close()
    other = await world.node("b")
    assert await other.balance(ACCOUNT) == cents(3)


@pytest.mark.exhaustive
async def test_what_ended_long_ago_is_forgotten(world: PostgresWorld) -> None:
    await expired(world)
    await world.change("UPDATE ledger_reservation SET changed_at = changed_at - interval '8 days'")
    await world.change("UPDATE lease SET until_ms = until_ms - 691200000 WHERE name LIKE 'paused%'")
    await world.node("third", lease_s=FORGETFUL_LEASE_S)
    left = "SELECT count(*) FROM ledger_reservation UNION SELECT count(*) FROM lease WHERE name LIKE 'paused%'"
    give_up = time.monotonic() + DEADLINE_S
    while world.sql(left) != "0":
        assert time.monotonic() < give_up
        await asyncio.sleep(0.05)


@pytest.mark.exhaustive
async def test_an_order_that_cannot_be_done_takes_no_other_along(world: PostgresWorld) -> None:
    ledger = await world.node("a")
    await give(ledger, 9)
    orders = [ledger.reserve(ME, cause, CENT) for cause in ("e1", "nul\0", "e2", "\ud800", "e3")]
    outcomes = await asyncio.gather(*orders, return_exceptions=True)
    kinds = [type(outcome) if isinstance(outcome, DomainError) else outcome for outcome in outcomes]
    assert kinds == [None, StatementRefusedError, None, StatementRefusedError, None]
    assert await ledger.balance(ACCOUNT) == cents(9, 3)


@pytest.mark.exhaustive
@pytest.mark.parametrize("when", ["before it is sent", "while it is under way"])
async def test_a_reservation_whose_caller_went_away_is_given_back(world: PostgresWorld, when: str) -> None:
    ledger = await world.node("a")
    await give(ledger, 3)
    reserving = asyncio.create_task(ledger.reserve(ME, "e1", 2 * CENT))
    for _ in range(1 if when == "before it is sent" else 4):
        await asyncio.sleep(0)
    reserving.cancel()
    await asyncio.wait([reserving])
    await ledger.reserve(ME, "e2", 3 * CENT)
    assert await ledger.balance(ACCOUNT) == cents(3, 3)


async def test_a_repetition_whose_caller_went_away_does_not_give_back_what_the_first_set_aside(
    world: PostgresWorld,
) -> None:
    ledger = await world.node("a")
    await give(ledger, 3)
    await ledger.reserve(ME, "e1", 2 * CENT)
    again = asyncio.create_task(ledger.reserve(ME, "e1", 2 * CENT))
    for _ in range(4):
        await asyncio.sleep(0)
    again.cancel()
    await asyncio.wait([again])
    await ledger.reserve(ME, "e2", CENT)
    assert await ledger.balance(ACCOUNT) == cents(3, 3)


@pytest.mark.exhaustive
async def test_marks_of_old_transactions_go_a_bounded_number_at_once(world: PostgresWorld) -> None:
    """However many there are after a stop of all nodes, the next renewal of the lease does not wait for them."""
    await (await world.node("first")).close()
    many = 2 * MARKS_AT_ONCE + 1
    world.sql(
        f"INSERT INTO ledger_transaction SELECT n::text, now() - interval '2 hours' FROM generate_series(1, {many}) n"
    )
    left = []
    connections = Connections(address_of(world.url), 1)
    async with connections.lend(DEADLINE_S) as connection:
        kept = await connection.fetchval("SELECT count(*) FROM ledger_transaction") - many
        for _ in range(3):
            await forget(connection)
            left.append(await connection.fetchval("SELECT count(*) FROM ledger_transaction") - kept)
    await connections.close()
    assert left == [MARKS_AT_ONCE + 1, 1, 0]

"""Reservations whose node was not heard of: given back once, and what comes late takes only what is there."""

import asyncio
import time
from typing import Any

import asyncpg
import pytest

from node.database.lease import ENDLESS_MS, required, take
from node.database.port import Statement, StatementRefusedError, whole
from node.database.postgres_address import address_of
from node.database.postgres_connections import Connections
from node.database.postgres_transactions import MARKS_AT_ONCE, forget_marks
from node.errors import DomainError
from node.ledger.batches import MOST_AT_ONCE
from node.ledger.errors import InsufficientCreditError, PaymentRequiredError, ReservationMissingError
from node.ledger.port import Posting, Source, Spender
from node.ledger.postgres_ledger import PostgresLedger
from tests.support.ledgers import ACCOUNT, CENT, KEY, RUN, WRITE, assert_adds_up, cents, give, pay, rows
from tests.support.postgres_ledger import PostgresWorld, until

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
    await paused._keeping.stop()
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
    assert world.sql("SELECT spent_microdollars FROM ledger_usage_key") == f"{2 * CENT}"


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
    paused, other = await expired(world)
    await pay(other, "e2", 2)
    await paused.reserve(ME, "e1", 2 * CENT)
    assert await other.balance(ACCOUNT) == cents(1)
    await paused.settle("e1", 2 * CENT, WRITE)
    assert await other.balance(ACCOUNT) == cents(0)


@pytest.mark.exhaustive
async def test_what_lapsed_is_not_set_aside_beyond_its_keys_cap(world: PostgresWorld) -> None:
    capped = Spender(ACCOUNT, KEY, 2 * CENT)
    paused, other = await expired(world, capped)
    await pay(other, "e2", 1, capped)
    await paused.reserve(capped, "e1", 2 * CENT)
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


async def test_a_lease_that_ends_before_its_next_renewal_is_renewed_with_what_is_set_aside(
    world: PostgresWorld,
) -> None:
    """Another process would give the credit back between the end of the lease and the renewal."""
    ledger = await world.node("a", lease_s=PAUSED_LEASE_S)
    await give(ledger, 3)
    now = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"
    for cause, left_s, after_s in (("e1", 1_800, 1_800), ("e2", 600, PAUSED_LEASE_S)):
        await world.change(f"UPDATE lease SET until_ms = {now} + 1000 * {left_s}")
        await ledger.reserve(ME, cause, CENT)
        left_ms = int(world.sql(f"SELECT until_ms - {now} FROM lease"))
        assert after_s - 60 < left_ms / 1000 <= after_s


async def test_reservations_through_a_key_lapse_when_the_account_alone_is_asked_for(world: PostgresWorld) -> None:
    """The order that finds the account's allotment removed names no key."""
    paused, other = await expired(world, Spender(ACCOUNT, KEY, 9 * CENT))
    await paused.reserve(ME, "e2", 3 * CENT)
    assert await other.balance(ACCOUNT) == cents(3, 3)
    assert await paused.settle("e1", 2 * CENT, RUN) == 0


async def test_a_batch_that_is_repeated_stays_before_the_orders_that_came_later(world: PostgresWorld) -> None:
    paused, _ = await expired(world)
    first = asyncio.create_task(paused.reserve(ME, "e2", 2 * CENT))
    for _ in range(4):
        await asyncio.sleep(0)
    outcomes = await asyncio.gather(first, paused.reserve(ME, "e3", 2 * CENT), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [type(None), InsufficientCreditError]


async def test_no_order_is_lost_when_one_is_refused_and_the_next_has_to_be_repeated(world: PostgresWorld) -> None:
    paused, other = await expired(world)
    orders = [paused.reserve(ME, cause, CENT) for cause in ("nul\0", "e2", "e3")]
    outcomes = await asyncio.gather(*orders, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StatementRefusedError, type(None), type(None)]
    assert await other.balance(ACCOUNT) == cents(3, 2)


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
    """Killed, and back before its old lease lapsed: its lease ends, and the journal reserves the write again."""
    before = await world.node("a", lease_s=PAUSED_LEASE_S)
    await give(before, 3)
    await before.reserve(ME, "w1", 2 * CENT)
    after = await world.node("a")
    await after.reserve(ME, "w1", 2 * CENT)
    await world.change("UPDATE lease SET until_ms = 0 WHERE name NOT IN (SELECT holder FROM ledger_allotment)")
    third = await world.node("b")
    assert await third.balance(ACCOUNT) == cents(3, 2)
    await after.settle("w1", 2 * CENT, WRITE)
    assert await third.balance(ACCOUNT) == cents(1)


async def test_a_node_that_starts_ends_no_lease_of_a_node_whose_name_begins_like_its_own(world: PostgresWorld) -> None:
    longer = await world.node("a2")
    await give(longer, 3)
    await longer.reserve(ME, "e1", 2 * CENT)
    assert await (await world.node("a")).balance(ACCOUNT) == cents(3, 2)


async def test_what_another_node_released_is_charged_by_none(world: PostgresWorld) -> None:
    """A run whose answer is lost: who answers for it says that it costs nothing, and then it must not."""
    ledger, other = await world.node("a"), await world.node("b")
    await give(ledger, 3)
    for cause in ("e1", "e2"):
        await ledger.reserve(ME, cause, CENT)
        await other.release(cause, ACCOUNT)
        assert await other.charged(cause) == 0
    assert await ledger.settle("e1", CENT, RUN) == 0
    with pytest.raises(ReservationMissingError):
        await ledger.extend("e2", CENT)
    for node in (ledger, other):
        for cause in ("e1", "e2"):
            await node.reserve(ME, cause, CENT)
        assert await node.balance(ACCOUNT) == cents(3)


WAITING = "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND usename = current_user"
"""Sessions that wait for a lock. A transaction sees the sessions of its beginning, so another connection watches."""


async def until_waiting(watcher: "asyncpg.Connection[asyncpg.Record]", count: int, unless: asyncio.Task[Any]) -> None:
    """Until so many sessions wait for a lock, or the task is done without a wait."""
    give_up = time.monotonic() + DEADLINE_S
    while not unless.done() and await watcher.fetchval(f"SELECT count(*) {WAITING}") < count:
        assert time.monotonic() < give_up


async def charged_once_released(ledger: PostgresLedger, cause: str) -> int:
    """Returns the micro-dollars that a client is told of a run whose node does not answer."""
    await ledger.release(cause, ACCOUNT)
    return await ledger.charged(cause)


@pytest.mark.parametrize("is_cut", [False, True], ids=["entered", "lost"])
async def test_a_release_waits_for_the_charge_of_another_node_that_is_under_way(
    world: PostgresWorld, is_cut: bool
) -> None:
    """If the connection of the charge is cut before its commit, the release is first and nothing is taken."""
    ledger, other = await world.node("a"), await world.node("b")
    await give(ledger, 3)
    await ledger.reserve(ME, "e1", 2 * CENT)
    # The charge has been decided, and waits for the end of what has its cause.
    blocker, watcher = await asyncpg.connect(world.url), await asyncpg.connect(world.url)
    await blocker.execute(
        "BEGIN; INSERT INTO ledger_entry (cause, at_ms, debit_book, credit_book, amount_microdollars)"
        f" VALUES ('e1', 0, 'card', 'account:0x{2:064x}', 1)"
    )
    settling = asyncio.create_task(ledger.settle("e1", 2 * CENT, RUN))
    await until_waiting(watcher, 1, settling)
    charging = await watcher.fetchval(f"SELECT pid {WAITING}")
    telling = asyncio.create_task(charged_once_released(other, "e1"))
    await until_waiting(watcher, 2, telling)
    if is_cut:
        await watcher.execute(f"SELECT pg_terminate_backend({charging})")
        assert await telling == 0
    await blocker.execute("ROLLBACK")
    for connection in (blocker, watcher):
        await connection.close()
    assert await telling == await settling == (0 if is_cut else 2 * CENT)


async def test_who_takes_a_lease_waits_for_the_transaction_that_requires_it(
    world: PostgresWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The transaction waits for a table after it has required the lease."""
    monkeypatch.setattr("node.database.postgres_connections.LOCK_TIMEOUT_S", 4.0)
    database = (await world.node("a")).database
    await database.migrate("kept", ["CREATE TABLE kept (name TEXT)"])
    *_, ((token, _),) = await database.execute(*take("tests", "payer", "a", ENDLESS_MS))
    blocker, watcher = await asyncpg.connect(world.url), await asyncpg.connect(world.url)
    await blocker.execute("BEGIN; LOCK TABLE kept")
    held = required("tests", "payer", "a", whole(token))
    adding = asyncio.create_task(database.execute(held, Statement("INSERT INTO kept (name) VALUES ('x')"), held))
    await until_waiting(watcher, 1, adding)
    taking = asyncio.create_task(database.execute(*take("tests", "payer", "b", ENDLESS_MS)))
    await until_waiting(watcher, 2, taking)
    assert not taking.done()
    await blocker.execute("ROLLBACK")
    for connection in (blocker, watcher):
        await connection.close()
    await asyncio.gather(adding, taking)


async def test_a_node_that_starts_removes_all_that_nodes_that_are_gone_had_set_aside(world: PostgresWorld) -> None:
    """Each transaction removes a bounded number."""
    await (await world.node("a")).close()
    many = 2 * MOST_AT_ONCE + 1
    world.sql(f"INSERT INTO ledger_allotment SELECT n::text, 'gone', 1 FROM generate_series(1, {many}) n")
    await world.node("b")
    assert world.sql("SELECT count(*) FROM ledger_allotment") == "0"


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
    _, other = await expired(world)
    await other.release("e9", ACCOUNT)
    await world.change("UPDATE ledger_released SET released_ms = released_ms - 691200000")
    await world.change("UPDATE lease SET until_ms = until_ms - 691200000 WHERE name LIKE 'paused%'")
    await other.release("just now", ACCOUNT)
    world.sql("INSERT INTO ledger_transaction VALUES ('mark', now() - interval '2 hours')")
    await world.node("third", lease_s=FORGETFUL_LEASE_S)
    left = (
        "SELECT cause FROM ledger_released UNION ALL SELECT name FROM lease WHERE name LIKE 'paused%'"
        " UNION ALL SELECT mark FROM ledger_transaction WHERE mark = 'mark'"
    )
    give_up = time.monotonic() + DEADLINE_S
    while world.sql(left) != "just now":
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


async def test_a_reservation_that_two_asked_for_is_kept_when_the_first_goes_away(world: PostgresWorld) -> None:
    ledger = await world.node("a")
    await give(ledger, 3)
    first, second = (asyncio.create_task(ledger.reserve(ME, "e1", CENT)) for _ in range(2))
    for _ in range(4):
        await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait([first])
    await second
    await ledger.reserve(ME, "e2", CENT)  # after what the first has left in the queue
    assert await ledger.settle("e1", CENT, RUN) == CENT


@pytest.mark.exhaustive
async def test_what_was_removed_before_its_caller_went_away_is_forgotten(world: PostgresWorld) -> None:
    ledger = await world.node("a", lease_s=PAUSED_LEASE_S)
    await give(ledger, 3)
    reserving = asyncio.create_task(ledger.reserve(ME, "e1", CENT))
    await until(lambda: "e1" in ledger._holdings.reservations)
    reserving.cancel()
    world.sql("DELETE FROM ledger_allotment")
    await asyncio.wait([reserving])
    await ledger.reserve(ME, "e2", CENT)
    assert list(ledger._holdings.reservations) == ["e2"]


async def test_a_refused_reservation_leaves_no_row_though_it_is_released(world: PostgresWorld) -> None:
    """An account without credit must not fill the database."""
    ledger = await world.node("a")
    for cause in ("e1", "e2"):
        with pytest.raises(PaymentRequiredError):
            await ledger.reserve(ME, cause, CENT)
        await ledger.release(cause)
    assert world.sql("SELECT count(*) FROM ledger_released UNION ALL SELECT count(*) FROM ledger_allotment") == "0\n0"


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
            await forget_marks(connection)
            left.append(await connection.fetchval("SELECT count(*) FROM ledger_transaction") - kept)
    await connections.close()
    assert left == [MARKS_AT_ONCE + 1, 1, 0]

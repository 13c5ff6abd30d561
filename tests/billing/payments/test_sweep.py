"""What nobody told: closed tabs, a processor that cannot reach the node, credit given by hand, long absences."""

import asyncio
from collections.abc import Sequence

import pytest

from devkit.processor.faults import Fault
from node.billing.payments.tables import CLAIM_S, OVERLAP_S, select
from node.database.port import Statement
from node.processor.port import BalanceTransaction, CustomerBalanceChanged, Event, PaymentIntent, ProcessorError
from node.processor.port import Fault as ProcessorFault
from node.settings.credits import ProcessorSettings
from tests.support.clock import FakeClock
from tests.support.payments import PaymentWorld, payments_room

ALICE, BOB = 0xA11CE, 0xB0B
DAY_S = 86_400.0


def lose_events(world: PaymentWorld) -> None:
    """No event that there is so far is told of."""
    for event in list(world.local.control.store.events.oldest_first()):
        world.local.control.store.events.drop(event.id)


async def test_a_closed_tab_is_credited(world: PaymentWorld) -> None:
    await world.bought(ALICE, 800)
    assert await world.room.sweep()
    assert await world.credit(ALICE) == 800


async def test_payments_are_found_though_no_event_tells_of_them(world: PaymentWorld) -> None:
    await world.room.sweep()
    await world.bought(ALICE, 800)
    world.clock.advance(60 * DAY_S)
    await world.bought(BOB, 900)
    lose_events(world)

    assert await world.room.sweep()

    assert (await world.credit(ALICE), await world.credit(BOB)) == (800, 900)


async def test_a_payment_whose_look_fails_each_time_does_not_stop_the_others(
    world: PaymentWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.room.sweep()
    failing = await world.bought(ALICE, 800)
    world.clock.advance(1)
    await world.bought(BOB, 900)
    lose_events(world)
    honest = world.processor.intent

    async def intent(name: str) -> PaymentIntent:
        if name == failing:
            raise ProcessorError(ProcessorFault.UNAVAILABLE, "It is not told.")
        return await honest(name)

    monkeypatch.setattr(world.processor, "intent", intent)
    with pytest.raises(ProcessorError):
        await world.room.sweep()
    assert await world.room.sweep()
    assert (await world.credit(ALICE), await world.credit(BOB)) == (0, 900)


async def test_after_a_long_absence_payments_are_listed(world: PaymentWorld) -> None:
    await world.room.sweep()
    intent = await world.bought(ALICE, 800)
    await world.ledger.execute(Statement("DELETE FROM payments_payment WHERE intent = ?", (intent,)))
    world.clock.advance(45 * DAY_S)

    assert await world.room.sweep()

    assert await world.credit(ALICE) == 800


@pytest.mark.parametrize("known", [True, False], ids=["later", "from its first day"])
async def test_a_clock_that_was_ahead_passes_nothing_by(world: PaymentWorld, known: bool) -> None:
    """The node's, not the processor's: neither what happened while it was wrong nor what happens after."""
    ours = FakeClock(world.clock() + 10 * DAY_S)
    async with payments_room(world.ledger, world.processor, ours) as room:
        intent = await world.bought(ALICE, 800)
        if known:
            await world.room.sweep()
        await room.sweep()
        await world.refund(intent, 300)
        for _ in range(3):
            world.clock.advance(DAY_S / 2)
            ours.advance(DAY_S / 2)
            await room.sweep()
    await world.room.sweep()
    assert await world.credit(ALICE) == 500

    await world.refund(intent, 100)
    await world.room.sweep()
    assert await world.credit(ALICE) == 400


async def test_a_refund_that_is_listed_late_is_not_passed_by(world: PaymentWorld) -> None:
    """The processor lists its event after one that happened later."""
    intent = await world.bought(ALICE, 800)
    assert await world.room.sweep()
    events = world.local.control.store.events
    known = {event.id for event in events.oldest_first()}
    await world.refund(intent, 300)
    late = [event for event in events.oldest_first() if event.id not in known]
    for event in late:
        events.drop(event.id)
    world.clock.advance(OVERLAP_S / 2)
    await world.bought(BOB, 900)
    assert await world.room.sweep()
    assert (await world.credit(ALICE), await world.credit(BOB)) == (800, 900)

    for event in late:
        events.put(event)
    assert late
    assert await world.room.sweep()

    assert await world.credit(ALICE) == 500


async def test_a_claim_by_a_clock_that_was_ahead_is_none(world: PaymentWorld) -> None:
    await world.room.sweep()
    far = int(world.clock() + 10 * DAY_S)
    await world.ledger.execute(Statement("UPDATE payments_cursor SET claimed_until_s = ?", (far,)))

    assert await world.room.sweep()


async def test_an_old_refund_of_what_is_not_ours_is_forgotten(world: PaymentWorld) -> None:
    intent = await world.bought(ALICE, 800)
    store = world.local.control.store
    store.payment_intents.get(intent).metadata.clear()
    for event in list(store.events.oldest_first()):
        store.events.drop(event.id)
    await world.refund(intent, 300)

    await world.ledger.execute(Statement("DELETE FROM payments_payment WHERE intent = ?", (intent,)))
    await world.room.sweep()

    assert await select(world.ledger, "SELECT cause FROM payments_reversal") == []
    assert await world.credit(ALICE) == 0


async def test_credit_given_by_hand_enters_once(world: PaymentWorld) -> None:
    await world.room.customers.of(ALICE)
    world.local.control.grant(world.customer(ALICE), 250)
    await world.drain()
    assert (await world.credit(ALICE), world.told(ALICE)) == (250, 250)

    world.local.control.grant(world.customer(ALICE), -300)
    await world.drain()
    assert (await world.credit(ALICE), world.told(ALICE)) == (-50, -50)
    await world.drain()
    assert (await world.credit(ALICE), world.told(ALICE)) == (-50, -50)


async def test_credit_given_by_hand_is_found_in_turn_without_any_event(world: PaymentWorld) -> None:
    accounts = range(1, 46)
    for account in accounts:
        await world.room.customers.of(account)
        world.local.control.grant(world.customer(account), account)
    lose_events(world)
    for _ in range(3):
        await world.room.sweep()
        world.clock.advance(ProcessorSettings().processor_sweep_s)

    assert [await world.credit(account) for account in accounts] == list(accounts)


async def test_two_nodes_at_once_import_once(world: PaymentWorld) -> None:
    await world.room.customers.of(ALICE)
    await world.room.sweep()
    world.local.control.grant(world.customer(ALICE), 250)
    await world.bought(ALICE, 500)
    async with payments_room(world.ledger, world.processor, world.clock) as other:
        done = await asyncio.gather(*(room.sweep() for room in (world.room, other) for _ in range(3)))
        await asyncio.gather(*(room.sync_balances() for room in (world.room, other)))

    assert True in done
    assert (await world.credit(ALICE), world.told(ALICE)) == (750, 750)


async def test_a_node_that_died_in_its_sweep_keeps_no_other_from_it(world: PaymentWorld) -> None:
    await world.room.sweep()
    claimed = int(world.clock() + CLAIM_S)
    await world.ledger.execute(Statement("UPDATE payments_cursor SET claimed_until_s = ?", (claimed,)))
    assert not await world.room.sweep()
    world.clock.advance(CLAIM_S)
    assert await world.room.sweep()


async def test_one_part_that_fails_keeps_no_other_from_its_work(world: PaymentWorld) -> None:
    await world.bought(ALICE, 800)
    world.local.control.faults.add(Fault(kind="server_error", path="/v1/events", times=None))

    with pytest.raises(ProcessorError):
        await world.room.sweep()

    assert await world.credit(ALICE) == 800
    world.local.control.faults.clear()
    assert await world.room.sweep()


async def test_nothing_relies_on_the_search_index(world: PaymentWorld) -> None:
    world.local.control.search_lag_s = 1e9
    await world.bought(ALICE, 800)
    world.clock.advance(2 * 3600)
    await world.room.customers.of(BOB)
    await world.drain()

    assert world.told(ALICE) == 800
    assert not [seen for seen in world.local.control.seen if "search" in str(seen)]


async def test_a_customer_deleted_at_the_processor_keeps_no_other_from_its_credit(world: PaymentWorld) -> None:
    for account in (ALICE, BOB):
        await world.room.customers.of(account)
        world.clock.advance(1)
    store = world.local.control.store
    for account in (ALICE, BOB):
        world.local.control.grant(world.customer(account), 250)
    store.customers.get(world.customer(ALICE)).deleted = True

    assert await world.room.sweep()

    assert (await world.credit(ALICE), await world.credit(BOB)) == (0, 250)


async def test_a_customer_that_the_processor_refuses_keeps_no_other_from_its_credit(
    world: PaymentWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    for account in (ALICE, BOB):
        world.local.control.grant(await world.room.customers.of(account), 250)
        world.clock.advance(1)
    read, refused = world.processor.balance_transactions, world.customer(ALICE)

    async def refusing(customer: str, after: str | None) -> Sequence[BalanceTransaction]:
        if customer == refused:
            raise ProcessorError(ProcessorFault.REFUSED, "invalid_request_error")
        return await read(customer, after)

    monkeypatch.setattr(world.processor, "balance_transactions", refusing)

    assert await world.room.sweep()

    assert (await world.credit(ALICE), await world.credit(BOB)) == (0, 250)


async def test_a_change_during_the_read_of_a_customer_has_it_read_again(
    world: PaymentWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.billing.payments.balance_sync.CUSTOMERS_PER_SWEEP", 0)
    customer, read = await world.room.customers.of(ALICE), world.processor.balance_transactions
    changed = CustomerBalanceChanged(customer)

    async def granting(of: str, after: str | None) -> Sequence[BalanceTransaction]:
        found = await read(of, after)
        if not found:
            world.local.control.grant(customer, 250)
            await world.room.events.handle(Event("evt_2", 0, changed))
        return found

    monkeypatch.setattr(world.processor, "balance_transactions", granting)
    await world.room.events.handle(Event("evt_1", 0, changed))
    lose_events(world)
    assert await world.room.sweep()
    assert await world.credit(ALICE) == 0
    lose_events(world)
    world.clock.advance(60)

    assert await world.room.sweep()

    assert await world.credit(ALICE) == 250


async def test_customers_that_change_all_the_time_keep_no_other_from_its_credit(
    world: PaymentWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.billing.payments.balance_sync.CHANGED_CUSTOMERS_PER_SWEEP", 1)
    monkeypatch.setattr("node.billing.payments.balance_sync.CUSTOMERS_PER_SWEEP", 0)
    async with payments_room(world.ledger, world.processor, world.clock) as room:
        for account in (ALICE, BOB):
            await room.customers.of(account)
        world.local.control.grant(world.customer(BOB), 250)
        await room.events.handle(Event("evt_bob", 0, CustomerBalanceChanged(world.customer(BOB))))
        for number in range(10):
            await room.events.handle(Event(f"evt_{number}", 0, CustomerBalanceChanged(world.customer(ALICE))))
            if number % 5 == 4:
                await room.sweep()
                world.clock.advance(60)

    assert await world.credit(BOB) == 250


async def test_an_event_that_cannot_be_read_keeps_no_other_waiting(world: PaymentWorld) -> None:
    unreadable = await world.bought(ALICE, 800)
    events = world.local.control.store.events
    for event in list(events.oldest_first()):
        if event.type == "payment_intent.succeeded":
            event.data["object"] = {"id": unreadable, "object": "payment_intent"}
            events.put(event)
    await world.refund(await world.bought(BOB, 900), 300)

    assert await world.room.sweep()

    assert (await world.credit(ALICE), await world.credit(BOB)) == (800, 600)


@pytest.mark.parametrize("apart_s", [-20 * 3600, 20 * 3600])
async def test_a_clock_that_is_wrong_passes_no_refund_by(world: PaymentWorld, apart_s: int) -> None:
    intent = await world.bought(ALICE, 800)
    wrong = FakeClock(world.clock() + apart_s)
    async with payments_room(world.ledger, world.processor, wrong) as room:
        for cents in (100, 200):
            await room.sweep()
            await world.refund(intent, cents)
            for clock in (world.clock, wrong):
                clock.advance(60)
        await room.sweep()

    assert await world.credit(ALICE) == 500


async def test_a_quiet_node_was_not_absent(world: PaymentWorld) -> None:
    await world.room.sweep()
    for _ in range(3):
        world.clock.advance(20 * DAY_S)
        await world.room.sweep()
        world.local.control.faults.add(Fault(kind="server_error", method="GET", path="/v1/payment_intents"))
        world.clock.advance(60)
        assert await world.room.sweep(), "payments are not listed"
        world.local.control.faults.clear()

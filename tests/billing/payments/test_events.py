"""What the processor's events do to credit: in every order, repeated, in parts, and by two nodes."""

import asyncio
import itertools
import random
from typing import cast

import pytest
from prometheus_client import CollectorRegistry

from node.billing.payments.events import EventHandler
from node.billing.payments.settlement import PaymentMetrics, Reversal, Settlement
from node.billing.payments.tables import select
from node.database.port import Statement
from node.ledger.errors import InsufficientCreditError
from node.ledger.port import Postings, Spender
from node.processor.port import CustomerBalanceChanged, Event, IntentStatus, PaymentChanged, PaymentIntent
from tests.support.ledgers import CENT, pay
from tests.support.payments import PaymentWorld

ALICE = 0xA11CE
LEFT = 1000 - 300 - 400 + 600


@pytest.fixture
def handler(world: PaymentWorld) -> EventHandler:
    """A handler of its own, as another node has it."""
    settlement = Settlement(world.ledger, PaymentMetrics(CollectorRegistry(), world.clock), world.clock)
    return EventHandler(world.ledger, settlement, world.clock)


async def events(world: PaymentWorld) -> list[Event]:
    return list(await world.processor.events_since(0))


async def everything(world: PaymentWorld) -> list[Event]:
    """10.00: of it 3.00 refunded, 2.00 refunded in vain, 4.00 lost in a dispute; and 6.00: of it 1.00 disputed in vain."""
    intent = await world.bought(ALICE, 1000)
    await world.refund(intent, 300)
    world.local.control.end_refund(await world.refund(intent, 200), "failed")
    control, charge = world.local.control, world.charge_of(intent)
    control.resolve_dispute(control.dispute(charge, 400), "lost")
    other = await world.bought(ALICE, 600)
    control.resolve_dispute(control.dispute(world.charge_of(other), 100), "won")
    return await events(world)


@pytest.mark.parametrize("seed", range(6))
async def test_in_every_order_and_repeated_the_balance_is_exact(
    world: PaymentWorld, handler: EventHandler, seed: int
) -> None:
    told = await everything(world)
    for event in random.Random(seed).sample(told * 3, len(told) * 3):
        await handler.handle(event)

    assert await world.credit(ALICE) == LEFT


async def test_told_backwards_nothing_is_taken_before_the_payment_is_known(
    world: PaymentWorld, handler: EventHandler
) -> None:
    told = await everything(world)
    for event in reversed(told):
        assert 0 <= await world.credit(ALICE) <= LEFT
        await handler.handle(event)

    assert await world.credit(ALICE) == LEFT


async def test_told_to_many_at_once_each_counts_once(world: PaymentWorld, handler: EventHandler) -> None:
    told = await everything(world)

    await asyncio.gather(*(handler.handle(event) for event in itertools.chain.from_iterable([told] * 5)))

    assert await world.credit(ALICE) == LEFT


async def test_another_event_of_the_same_thing_changes_nothing(world: PaymentWorld, handler: EventHandler) -> None:
    for number, event in enumerate([*await everything(world), *await events(world)]):
        await handler.handle(Event(f"evt_other_{number}", event.created_s, event.change))

    assert await world.credit(ALICE) == LEFT


async def test_below_zero_everything_billed_is_402_until_it_is_above_again(world: PaymentWorld) -> None:
    intent = await world.bought(ALICE, 500)
    await world.room.sweep()
    await pay(world.ledger, "run-1", 400, Spender(ALICE))
    world.local.control.dispute(world.charge_of(intent))
    await world.room.sweep()

    assert await world.credit(ALICE) == -400
    with pytest.raises(InsufficientCreditError):
        await world.ledger.reserve(Spender(ALICE), "run-2", CENT)
    await world.drain()
    assert world.told(ALICE) == -400
    await world.bought(ALICE, 501)
    await world.drain()
    await pay(world.ledger, "run-3", 101, Spender(ALICE))
    assert await world.credit(ALICE) == 0


async def test_never_more_is_taken_back_than_was_received(world: PaymentWorld) -> None:
    intent = await world.bought(ALICE, 500)
    await world.refund(intent, 300)
    world.local.control.dispute(world.charge_of(intent), 500)
    await world.room.sweep()

    assert await world.credit(ALICE) == 0


async def test_a_dispute_lost_in_part_gives_nothing_back_that_the_customer_has(world: PaymentWorld) -> None:
    """10.00 of which 3.00 were refunded, disputed whole: the bank returns the 3.00, and the customer has all of 10.00."""
    intent = await world.bought(ALICE, 1000)
    await world.refund(intent, 300)
    control = world.local.control
    dispute = control.dispute(world.charge_of(intent), 1000)
    await world.room.sweep()
    assert await world.credit(ALICE) == 0

    control.resolve_dispute(dispute, "lost", returned=300)
    await world.room.sweep()

    assert await world.credit(ALICE) == 0


async def test_of_a_dispute_lost_in_part_what_came_back_is_given_back(world: PaymentWorld) -> None:
    """10.00 of which 3.00 were refunded, and 5.00 disputed: the customer ends with 5.00 of it."""
    intent = await world.bought(ALICE, 1000)
    await world.refund(intent, 300)
    control = world.local.control
    control.resolve_dispute(control.dispute(world.charge_of(intent), 500), "lost", returned=300)
    await world.room.sweep()

    assert await world.credit(ALICE) == 500


class Slow:
    """Postings that wait, before they fix what reversals count for, until they are told to go on."""

    def __init__(self, books: Postings) -> None:
        self._books = books
        self.waits = asyncio.Event()
        self.goes_on = asyncio.Event()

    def __getattr__(self, name: str) -> object:
        return getattr(self._books, name)

    async def execute(self, *statements: Statement) -> object:
        if "SET turn" in statements[0].sql:
            self.waits.set()
            await self.goes_on.wait()
        return await self._books.execute(*statements)


async def test_two_nodes_that_count_at_once_take_no_more_than_was_received(world: PaymentWorld) -> None:
    intent = await world.bought(ALICE, 500)
    await world.room.payments.confirm(ALICE, intent)
    slow = [Slow(world.ledger) for _ in range(2)]
    nodes = [
        Settlement(cast("Postings", each), PaymentMetrics(CollectorRegistry(), world.clock), world.clock)
        for each in slow
    ]
    refund = asyncio.create_task(nodes[0].reversal(Reversal("refund:re_1", "re_1", 500, takes_back=True), intent))
    await slow[0].waits.wait()
    dispute = asyncio.create_task(nodes[1].reversal(Reversal("dispute:dp_1", "dp_1", 300, takes_back=True), intent))
    await slow[1].waits.wait()
    slow[0].goes_on.set()
    await refund
    slow[1].goes_on.set()
    await dispute

    assert await world.credit(ALICE) == 0


async def test_an_unfinished_or_foreign_payment_credits_nobody(world: PaymentWorld, handler: EventHandler) -> None:
    def intent(status: IntentStatus, account: int | None) -> PaymentChanged:
        return PaymentChanged(PaymentIntent(f"pi_{account}", status, 500, 500, account, None, 0))

    for number, status in enumerate(IntentStatus):
        await handler.handle(Event(f"evt_{number}", 0, intent(status, None)))
        if status is not IntentStatus.SUCCEEDED:
            await handler.handle(Event(f"evt_of_alice_{number}", 0, intent(status, ALICE)))
    assert await world.credit(ALICE) == 0


async def test_our_own_row_says_whose_a_payment_is(world: PaymentWorld, handler: EventHandler) -> None:
    intent = await world.bought(ALICE, 500)
    world.local.control.store.payment_intents.get(intent).metadata.clear()

    assert await world.room.payments.confirm(ALICE, intent) == 500
    assert await world.credit(ALICE) == 500


async def test_a_payment_is_credited_though_our_row_of_it_is_lost(world: PaymentWorld) -> None:
    intent = await world.bought(ALICE, 500)
    await world.ledger.execute(Statement("DELETE FROM payments_payment WHERE intent = ?", (intent,)))
    await world.room.sweep()

    assert await world.credit(ALICE) == 500


async def test_what_contradicts_the_ledger_is_not_credited(world: PaymentWorld, handler: EventHandler) -> None:
    intent = await world.bought(ALICE, 500)
    await world.room.payments.confirm(ALICE, intent)

    again = PaymentIntent(intent, IntentStatus.SUCCEEDED, 900, 900, 0xBAD, "other", 0)
    await handler.handle(Event("evt_1", 0, PaymentChanged(again)))

    assert (await world.credit(ALICE), await world.credit(0xBAD)) == (500, 0)


async def test_of_changed_balances_nothing_is_kept_but_that_they_changed(world: PaymentWorld) -> None:
    """Everything that the processor is told of a customer makes it tell of a change: they would fill the disk."""
    customer = await world.room.customers.of(ALICE)
    for number in range(3):
        await world.room.events.handle(Event(f"evt_{number}", 0, CustomerBalanceChanged(customer)))
    assert await select(world.ledger, "SELECT event FROM payments_event") == []
    assert await select(world.ledger, "SELECT changed FROM payments_customer") == [(3,)]

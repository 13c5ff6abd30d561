"""Payments that nobody pays are given up after some days; one that is paid in that very moment is credited once."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from devkit.processor.faults import Fault
from node.api.errors import ErrorCode, NodeError
from node.billing.payments.sweep import PAYMENT_OPEN_DAYS
from node.billing.payments.tables import select
from node.database.port import Statement
from node.processor.keys import ProcessorKeys
from node.processor.port import PaymentIntent, ProcessorError
from node.processor.stripe_processor import StripeProcessor
from node.runtime.clock import Clock
from tests.support.ledgers import assert_adds_up
from tests.support.payments import SERVICE, PaymentWorld, pay, payments_room

pytestmark = pytest.mark.exhaustive

ALICE, BOB = 0xA11CE, 0xB0B
DAY_S = 86_400.0
OPEN_DAYS = PAYMENT_OPEN_DAYS


async def payments_kept(world: PaymentWorld) -> int:
    return len(await select(world.ledger, "SELECT payment FROM payments_payment"))


def state_of(world: PaymentWorld, intent: str) -> str:
    return world.local.control.store.payment_intents.get(intent).status


async def sweep_for_days(world: PaymentWorld, days: float) -> None:
    for _ in range(int(days)):
        world.clock.advance(DAY_S)
        await world.room.sweep()


async def test_what_nobody_pays_is_canceled_and_forgotten(world: PaymentWorld) -> None:
    begun = [await world.room.payments.create(ALICE, 500, f"request {number}") for number in range(3)]
    await sweep_for_days(world, OPEN_DAYS - 1)
    assert await payments_kept(world) == 3
    assert {state_of(world, each.intent) for each in begun} == {"requires_payment_method"}

    await sweep_for_days(world, 2)

    assert {state_of(world, each.intent) for each in begun} == {"canceled"}
    await sweep_for_days(world, 2)
    for event in await world.processor.events_since(0):
        await world.room.events.handle(replace(event, id=f"{event.id} told again"))
        assert await payments_kept(world) == 0, "no event of it makes the row again"
    answer = await pay(world.local, begun[0].client_secret)
    assert "error" in answer
    with pytest.raises(NodeError) as unknown:
        await world.room.payments.confirm(ALICE, begun[0].intent)
    assert unknown.value.code is ErrorCode.NOT_FOUND
    assert await world.credit(ALICE) == 0


async def test_what_is_paid_stays(world: PaymentWorld) -> None:
    paid = await world.bought(ALICE, 800)
    await sweep_for_days(world, 2 * OPEN_DAYS)
    assert (await payments_kept(world), await world.credit(ALICE)) == (1, 800)
    await world.refund(paid, 300)
    await world.room.sweep()
    assert await world.credit(ALICE) == 500


class PaidInTheMoment(StripeProcessor):
    """The customer pays after it was seen to be unpaid, just before the processor is asked to cancel it."""

    pays: Callable[[], Awaitable[object]]

    async def cancel_intent(self, intent: str) -> PaymentIntent:
        await self.pays()
        return await super().cancel_intent(intent)


@pytest.mark.parametrize("first", ["sweep", "webhook", "confirm"])
async def test_a_payment_made_in_that_very_moment_is_credited_once(world: PaymentWorld, first: str) -> None:
    begun = await world.room.payments.create(ALICE, 500, "request")
    processor = PaidInTheMoment(
        ProcessorKeys("sk_test_local", "pk_test_local", "whsec_local", world.local.url),
        SERVICE, clock=Clock(unix=world.clock),
    )  # fmt: skip

    async def pays() -> None:
        await pay(world.local, begun.client_secret)
        if first == "confirm":
            assert await world.room.payments.confirm(ALICE, begun.intent) == 500
        if first == "webhook":
            for event in await world.processor.events_since(0):
                await world.room.events.handle(event)

    processor.pays = pays
    world.clock.advance((OPEN_DAYS + 1) * DAY_S)
    async with payments_room(world.ledger, processor, world.clock) as room:
        await room.sweep()
    await processor.close()

    assert await world.credit(ALICE) == 500
    await sweep_for_days(world, 3)
    assert await world.room.payments.confirm(ALICE, begun.intent) == 500
    assert (await world.credit(ALICE), await payments_kept(world)) == (500, 1)
    await assert_adds_up(world.ledger)


async def test_what_is_being_processed_is_not_canceled_and_is_credited_when_it_succeeds(world: PaymentWorld) -> None:
    begun = await world.room.payments.create(ALICE, 500, "request")
    intents = world.local.control.store.payment_intents
    intents.get(begun.intent).status = "processing"
    await sweep_for_days(world, 3 * OPEN_DAYS)
    assert state_of(world, begun.intent) == "processing"

    intents.get(begun.intent).status = "requires_payment_method"
    await pay(world.local, begun.client_secret)
    await sweep_for_days(world, 2)
    assert await world.credit(ALICE) == 500


@pytest.mark.parametrize("after_work", [True, False])
async def test_a_cancellation_that_is_not_answered_is_made_sure_of(world: PaymentWorld, after_work: bool) -> None:
    begun = await world.room.payments.create(ALICE, 500, "request")
    world.clock.advance((OPEN_DAYS + 1) * DAY_S)
    fault = Fault(
        kind="dropped", method="POST", path=f"/v1/payment_intents/{begun.intent}/cancel", after_work=after_work
    )
    world.local.control.faults.add(fault)
    with pytest.raises(ProcessorError):
        await world.room.sweep()
    assert await payments_kept(world) == 1

    await sweep_for_days(world, 2)

    assert (state_of(world, begun.intent), await payments_kept(world)) == ("canceled", 0)


async def test_one_that_fails_each_time_keeps_no_other_from_its_end(world: PaymentWorld) -> None:
    stubborn = await world.room.payments.create(ALICE, 500, "first")
    begun = await world.room.payments.create(BOB, 500, "second")
    path = f"/v1/payment_intents/{stubborn.intent}/cancel"
    world.local.control.faults.add(Fault(kind="server_error", method="POST", path=path, times=None))
    world.clock.advance((OPEN_DAYS + 1) * DAY_S)
    for _ in range(2):
        try:
            await world.room.sweep()
        except ProcessorError:
            world.clock.advance(60)
    assert state_of(world, begun.intent) == "canceled"


async def test_a_payment_whose_row_is_gone_is_credited_once_if_it_was_made_after_all(world: PaymentWorld) -> None:
    """A database restored from a backup, say: what is written on the intent makes the row again."""
    await world.bought(ALICE, 800)
    await world.ledger.execute(Statement("DELETE FROM payments_payment"))
    for _ in range(2):
        await world.room.sweep()
        assert await world.credit(ALICE) == 800


async def test_what_was_never_begun_at_the_processor_goes_a_bounded_number_at_a_time(
    world: PaymentWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.local.control.faults.add(Fault(kind="server_error", method="POST", path="/v1/payment_intents", times=None))
    for number in range(5):
        with pytest.raises(NodeError):
            await world.room.payments.create(ALICE, 500, f"request {number}")
    world.local.control.faults.clear()
    world.clock.advance((OPEN_DAYS + 1) * DAY_S)
    monkeypatch.setattr("node.billing.payments.sweep.FORGOTTEN_PAYMENTS_PER_SWEEP", 3)
    async with payments_room(world.ledger, world.processor, world.clock) as room:
        for left in (2, 0):
            await room.sweep()
            assert await payments_kept(world) == left

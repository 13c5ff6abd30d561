"""An absence longer than the processor remembers events: what was taken back meanwhile is found in its lists."""

from collections.abc import Awaitable, Callable

import pytest

from devkit.processor.faults import Fault
from node.processor.port import ProcessorError
from tests.support.ledgers import assert_adds_up
from tests.support.payments import PaymentWorld

ALICE, BOB, CAROL = 0xA11CE, 0xB0B, 0xCA401
DAY_S = 86_400.0

InBetween = Callable[[PaymentWorld, str], Awaitable[None]]


async def refund_some(world: PaymentWorld, intent: str) -> None:
    await world.refund(intent, 200)
    await world.refund(intent, 50)


async def fail_a_refund(world: PaymentWorld, intent: str) -> None:
    world.local.control.end_refund(await world.refund(intent, 200), "failed")


async def dispute(world: PaymentWorld, intent: str) -> None:
    world.local.control.dispute(world.charge_of(intent), 300)


async def win_a_dispute(world: PaymentWorld, intent: str) -> None:
    world.local.control.resolve_dispute(world.local.control.dispute(world.charge_of(intent), 300), "won")


async def lose_a_dispute(world: PaymentWorld, intent: str) -> None:
    world.local.control.resolve_dispute(world.local.control.dispute(world.charge_of(intent)), "lost")


async def lose_a_dispute_after_a_refund(world: PaymentWorld, intent: str) -> None:
    await world.refund(intent, 200)
    world.local.control.resolve_dispute(world.local.control.dispute(world.charge_of(intent)), "lost", returned=200)


async def inquire(world: PaymentWorld, intent: str) -> None:
    charge = world.local.control.store.charges.get(world.charge_of(intent))
    world.local.control._subjects.disputes.open(charge, charge.amount, inquiry=True)


async def absent(world: PaymentWorld, days: int = 45) -> None:
    """So long that no event tells of what was before."""
    world.clock.advance(days * DAY_S)
    for event in list(world.local.control.store.events.oldest_first()):
        assert event.created < world.clock() - 30 * DAY_S
        world.local.control.store.events.drop(event.id)


@pytest.mark.parametrize("known", [True, False], ids=["of a known payment", "of one made meanwhile"])
@pytest.mark.parametrize(
    ("happened", "left"),
    [
        (refund_some, 550),
        (fail_a_refund, 800),
        (dispute, 500),
        (win_a_dispute, 800),
        (lose_a_dispute, 0),
        (lose_a_dispute_after_a_refund, 0),
        (inquire, 800),
    ],
)
async def test_what_was_taken_back_is_found(world: PaymentWorld, happened: InBetween, left: int, known: bool) -> None:
    await world.room.sweep()
    intent = await world.bought(ALICE, 800)
    if known:
        await world.room.sweep()
        assert await world.credit(ALICE) == 800
    world.clock.advance(DAY_S)
    await happened(world, intent)
    await absent(world)

    for _ in range(2):
        assert await world.room.sweep()
        assert await world.credit(ALICE) == left
        world.clock.advance(60)
    await assert_adds_up(world.ledger)


async def test_what_had_begun_before_the_absence_and_ended_in_it_is_found(world: PaymentWorld) -> None:
    intent, other = await world.bought(ALICE, 800), await world.bought(BOB, 900)
    refund = await world.refund(intent, 200)
    opened = world.local.control.dispute(world.charge_of(other), 300)
    await world.room.sweep()
    assert (await world.credit(ALICE), await world.credit(BOB)) == (600, 600)
    world.clock.advance(40 * DAY_S)
    await world.bought(CAROL, 500)  # the node hears of everything up to this day
    await world.room.sweep()

    world.local.control.end_refund(refund, "failed")
    world.local.control.resolve_dispute(opened, "won")
    await absent(world)

    assert await world.room.sweep()
    assert (await world.credit(ALICE), await world.credit(BOB)) == (800, 900)


async def test_events_and_lists_that_tell_of_the_same_are_one(world: PaymentWorld) -> None:
    """The end of the absence is still in the events."""
    intent = await world.bought(ALICE, 800)
    await world.room.sweep()
    world.clock.advance(35 * DAY_S)
    await world.refund(intent, 100)
    world.local.control.dispute(world.charge_of(intent), 300)

    assert await world.room.sweep()
    assert await world.credit(ALICE) == 400


@pytest.mark.exhaustive
async def test_more_than_one_page_is_read(world: PaymentWorld) -> None:
    intent = await world.bought(ALICE, 800)
    await world.room.sweep()
    for _ in range(120):
        await world.refund(intent, 1)
    await absent(world)

    assert await world.room.sweep()
    assert await world.credit(ALICE) == 680


@pytest.mark.parametrize("path", ["/v1/refunds", "/v1/disputes", "/v1/payment_intents", "/v1/events"])
async def test_a_list_that_fails_is_asked_for_again(world: PaymentWorld, path: str) -> None:
    intent = await world.bought(ALICE, 800)
    await world.room.sweep()
    await world.refund(intent, 100)
    world.local.control.dispute(world.charge_of(intent), 300)
    await absent(world)
    world.local.control.faults.add(Fault(kind="server_error", method="GET", path=path, times=None))
    with pytest.raises(ProcessorError):
        await world.room.sweep()
    world.clock.advance(60)

    world.local.control.faults.clear()
    assert await world.room.sweep()
    assert await world.credit(ALICE) == 400


async def test_without_an_absence_nothing_is_listed(world: PaymentWorld) -> None:
    await world.room.sweep()
    for path in ("/v1/refunds", "/v1/disputes"):
        world.local.control.faults.add(Fault(kind="server_error", method="GET", path=path, times=None))
    world.clock.advance(20 * DAY_S)
    assert await world.room.sweep()

"""create_payment_intent and confirm_payment, whatever goes wrong at the processor."""

import asyncio
from collections.abc import Awaitable

import pytest
from prometheus_client import CollectorRegistry

from devkit.processor.faults import Fault
from node.api.errors import ErrorCode, NodeError, as_node_error
from node.billing.payments.customers import KEY_LIFE_S
from node.billing.payments.intents import CONFIRMED_PER_MINUTE_PER_ACCOUNT
from node.billing.payments.service import PaymentService
from node.errors import DomainError
from node.runtime.clock import Clock
from node.runtime.limits import LimitReachedError
from node.settings.credits import ProcessorSettings
from tests.support.clock import FakeClock
from tests.support.payments import EMAIL_SEALER, PaymentWorld, pay, payments_room

ALICE, MALLORY = 0xA11CE, 0x3A1


async def refused(world: PaymentWorld, account: int, intent: str) -> NodeError:
    with pytest.raises(NodeError) as raised:
        await world.room.payments.confirm(account, intent)
    return raised.value


async def test_confirmed_twice_it_is_credited_once_and_answered_the_same(world: PaymentWorld) -> None:
    intent = await world.bought(ALICE, 1234)

    assert await world.credit(ALICE) == 0
    assert [await world.room.payments.confirm(ALICE, intent) for _ in range(3)] == [1234] * 3
    assert await world.credit(ALICE) == 1234


async def test_confirmed_by_many_at_once_it_is_credited_once(world: PaymentWorld) -> None:
    intent = await world.bought(ALICE, 500)

    assert await asyncio.gather(*(world.room.payments.confirm(ALICE, intent) for _ in range(20))) == [500] * 20
    assert await world.credit(ALICE) == 500


async def test_an_unpaid_payment_is_a_conflict_that_says_how_far_it_is(world: PaymentWorld) -> None:
    begun = await world.room.payments.create(ALICE, 500, None)

    error = await refused(world, ALICE, begun.intent)

    assert (error.code, error.details) == (ErrorCode.CONFLICT, {"status": "open"})
    assert error.fix is not None
    assert await world.credit(ALICE) == 0
    await pay(world.local, begun.client_secret, "pm_card_chargeDeclined")
    assert (await refused(world, ALICE, begun.intent)).details == {"status": "open"}
    await pay(world.local, begun.client_secret)
    assert await world.room.payments.confirm(ALICE, begun.intent) == 500


async def test_someone_elses_payment_is_as_unknown_as_none_at_all(world: PaymentWorld) -> None:
    intent = await world.bought(ALICE, 500)
    asked = len(world.local.control.seen)

    others = await refused(world, MALLORY, intent)
    nobodys = await refused(world, MALLORY, "pi_nobodys")

    assert (others.code, others.message, others.fix, others.details) == (
        ErrorCode.NOT_FOUND,
        nobodys.message,
        nobodys.fix,
        nobodys.details,
    )
    assert len(world.local.control.seen) == asked, "the processor must not be asked: the time it takes would tell"
    assert await world.credit(MALLORY) == await world.credit(ALICE) == 0
    await world.room.payments.confirm(ALICE, intent)
    assert (await refused(world, MALLORY, intent)).message == nobodys.message


async def test_money_of_another_currency_is_not_taken_for_dollars(world: PaymentWorld) -> None:
    """Also on a payment that we began: with the secret key its currency can be changed, and 500 yen are no 5.00 USD."""
    begun = await world.room.payments.create(ALICE, 500, None)
    store = world.local.control.store.payment_intents
    changed = store.get(begun.intent)
    changed.currency = "jpy"
    store.put(changed)
    assert (await pay(world.local, begun.client_secret))["status"] == "succeeded"

    assert (await refused(world, ALICE, begun.intent)).code is ErrorCode.CONFLICT
    await world.room.sweep()
    assert await world.credit(ALICE) == 0


async def test_while_the_processor_is_down_nothing_is_credited_or_lost(world: PaymentWorld) -> None:
    intent = await world.bought(ALICE, 700)
    await world.local.control.refuse_connections()

    for error in (
        await refused(world, ALICE, intent),
        await _create_refused(world),
    ):
        assert error.code is ErrorCode.BILLING_UNAVAILABLE
        assert error.retry_after_s
        assert world.local.url not in error.message
    assert await world.credit(ALICE) == 0
    await world.local.control.accept_connections()
    assert await world.room.payments.confirm(ALICE, intent) == 700


async def test_what_is_credited_already_is_answered_without_the_processor(world: PaymentWorld) -> None:
    intent = await world.bought(ALICE, 700)
    assert await world.room.sweep()
    await world.local.control.refuse_connections()

    assert await world.room.payments.confirm(ALICE, intent) == 700


async def test_the_same_request_again_is_the_same_payment(world: PaymentWorld) -> None:
    first = await world.room.payments.create(ALICE, 500, "request-1")

    assert await world.room.payments.create(ALICE, 500, "request-1") == first
    assert (await world.room.payments.create(ALICE, 500, "request-2")).intent != first.intent
    assert "secret" not in repr(first).replace("client_secret", "")


@pytest.mark.parametrize("hours", [0, 2, 30])
async def test_a_lost_answer_makes_no_second_customer_and_no_second_payment(world: PaymentWorld, hours: int) -> None:
    faults = world.local.control.faults
    for path in ("/v1/customers", "/v1/payment_intents"):
        faults.add(Fault(kind="dropped", method="POST", path=path, after_work=True))
        assert (await _create_refused(world, "request")).code is ErrorCode.BILLING_UNAVAILABLE
        world.clock.advance(hours * 3600)

    begun = await world.room.payments.create(ALICE, 500, "request")

    store = world.local.control.store
    assert len(list(store.customers.oldest_first())) == 1
    assert [intent.id for intent in store.payment_intents.oldest_first()] == [begun.intent]


async def test_a_fault_that_the_processor_repeats_to_the_same_key_ends(world: PaymentWorld) -> None:
    world.local.control.faults.add(Fault(kind="server_error", method="POST", path="/v1/payment_intents", kept=True))
    for _ in range(3):
        assert (await _create_refused(world, "request")).code is ErrorCode.BILLING_UNAVAILABLE
    world.clock.advance(KEY_LIFE_S)

    begun = await world.room.payments.create(ALICE, 500, "request")

    assert [intent.id for intent in world.local.control.store.payment_intents.oldest_first()] == [begun.intent]


async def _create_refused(world: PaymentWorld, request: str | None = None) -> NodeError:
    with pytest.raises(NodeError) as raised:
        await world.room.payments.create(ALICE, 500, request)
    return raised.value


async def test_one_account_may_not_keep_the_processor_busy(world: PaymentWorld) -> None:
    settings, monotonic = ProcessorSettings(), FakeClock()
    clock = Clock(unix=world.clock, monotonic=monotonic)
    payments = PaymentService(
        world.ledger, world.processor, CollectorRegistry(), EMAIL_SEALER, settings, clock
    ).payments

    async def code(asked: Awaitable[object]) -> ErrorCode:
        with pytest.raises(DomainError) as raised:
            await asked
        return as_node_error(raised.value).code

    begun = [await payments.create(ALICE, 500, None) for _ in range(settings.processor_begun_per_minute_per_account)]
    assert await code(payments.create(ALICE, 500, None)) is ErrorCode.TOO_MANY_REQUESTS
    await payments.create(MALLORY, 500, None)
    for _ in range(CONFIRMED_PER_MINUTE_PER_ACCOUNT):
        assert await code(payments.confirm(ALICE, begun[0].intent)) is ErrorCode.CONFLICT
    assert await code(payments.confirm(ALICE, begun[0].intent)) is ErrorCode.TOO_MANY_REQUESTS
    monotonic.advance(60)
    await payments.create(ALICE, 500, None)

    await pay(world.local, begun[0].client_secret)
    for _ in range(2 * CONFIRMED_PER_MINUTE_PER_ACCOUNT):  # what is credited costs the processor nothing
        assert await payments.confirm(ALICE, begun[0].intent) == 500


async def test_a_crowd_waits_for_the_processor_in_a_line_of_bounded_length(
    world: PaymentWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind more of them a call would wait too long, as if the processor were out: for everybody."""
    monkeypatch.setattr("node.billing.payments.intents.ASKED_AT_ONCE_MAX", 3)
    async with payments_room(world.ledger, world.processor, world.clock) as room:
        intent = (await room.payments.create(MALLORY, 500, None)).intent
        world.local.control.faults.add(Fault(kind="hang", times=None))
        waiting = [asyncio.create_task(room.payments.create(account, 500, None)) for account in range(1, 4)]
        await world.local.control.faults.someone_hangs()
        for refused in (room.payments.create(ALICE, 500, None), room.payments.confirm(MALLORY, intent)):
            with pytest.raises(LimitReachedError):
                await refused
        world.local.control.faults.clear()
        assert len({begun.intent for begun in await asyncio.gather(*waiting)}) == 3
        assert (await room.payments.create(ALICE, 500, None)).intent

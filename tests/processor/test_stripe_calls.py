"""The adapter through the real library over HTTP, against the local card processor."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
import stripe
from aiohttp import web

from devkit.processor.faults import Fault as Injected
from devkit.processor.server import LocalProcessor
from node.processor.events import EVENT_TYPES
from node.processor.port import (
    WEBHOOK_MAX_BYTES,
    DisputeChanged,
    Event,
    Fault,
    IntentStatus,
    PaymentChanged,
    ProcessorError,
    RefundChanged,
)
from node.processor.shapes import API_VERSION, service_name
from node.processor.stripe_processor import StripeProcessor
from tests.processor.stripe_parts import ACCOUNT, EMAIL, SERVICE, stripe_at
from tests.support.clock import FakeClock

ELSEWHERE = service_name(1, "0x" + "ab" * 20)


@pytest.fixture
async def processor(local: LocalProcessor, clock: FakeClock) -> AsyncIterator[StripeProcessor]:
    async with stripe_at(local.url, unix=clock) as made:
        yield made


async def pay(api: stripe.StripeClient, intent: str, method: str = "pm_card_visa") -> None:
    await api.v1.payment_intents.confirm_async(intent, {"payment_method": method})


async def test_the_pinned_version_is_the_one_the_library_is_made_for(local: LocalProcessor) -> None:
    assert stripe.api_version == API_VERSION


async def test_a_right_key_passes_and_a_wrong_one_is_unauthorized(
    local: LocalProcessor, processor: StripeProcessor
) -> None:
    await processor.check()
    assert processor.problem is None
    async with stripe_at(local.url, secret_key="sk_test_another") as wrong:
        with pytest.raises(ProcessorError) as refused:
            await wrong.check()
        assert refused.value.fault is Fault.UNAUTHORIZED
        assert wrong.problem is not None
        assert "another" not in wrong.problem
    async with stripe_at(local.url, secret_key="pk_test_local") as browser:
        with pytest.raises(ProcessorError) as refused:
            await browser.check()
        assert refused.value.fault is Fault.UNAUTHORIZED


async def test_a_customer_is_made_once_for_a_key(processor: StripeProcessor, api: stripe.StripeClient) -> None:
    first = await processor.create_customer(ACCOUNT, EMAIL, "customer-of-a11ce")
    again = await processor.create_customer(ACCOUNT, EMAIL, "customer-of-a11ce")
    assert first == again
    assert first.account == ACCOUNT
    there = await api.v1.customers.retrieve_async(first.id)
    assert there.email == EMAIL
    assert there.metadata is not None
    assert there.metadata.to_dict() == {"svc_account": f"0x{ACCOUNT:064x}", "svc_service": SERVICE}
    nameless = await processor.create_customer(ACCOUNT + 1, None, "customer-of-another")
    assert (await api.v1.customers.retrieve_async(nameless.id)).email is None


async def test_the_same_key_for_something_else_is_refused(processor: StripeProcessor) -> None:
    await processor.create_customer(ACCOUNT, None, "one-key-of-many")
    with pytest.raises(ProcessorError) as refused:
        await processor.create_customer(ACCOUNT + 1, None, "one-key-of-many")
    assert refused.value.fault is Fault.REFUSED


async def test_customers_of_this_deployment_since_a_time_oldest_first(
    local: LocalProcessor, processor: StripeProcessor, api: stripe.StripeClient, clock: FakeClock
) -> None:
    await api.v1.customers.create_async({"email": "operator@business.example"})
    async with stripe_at(local.url, service=ELSEWHERE) as other:
        await other.create_customer(ACCOUNT, None, "elsewhere-customer")
    await processor.create_customer(ACCOUNT, None, "early-customer")
    clock.advance(100)
    later = [await processor.create_customer(ACCOUNT + n, None, f"later-customer-{n}") for n in range(3)]
    assert await processor.customers_since(int(clock.now)) == later
    assert [customer.account for customer in await processor.customers_since(0)] == [
        ACCOUNT, ACCOUNT, ACCOUNT + 1, ACCOUNT + 2,
    ]  # fmt: skip


async def test_a_payment_from_beginning_to_end(processor: StripeProcessor, api: stripe.StripeClient) -> None:
    customer = await processor.create_customer(ACCOUNT, None, "paying-customer")
    begun = await processor.create_intent(customer.id, ACCOUNT, "pay-1", 750, "intent-of-pay-1")
    assert (begun.status, begun.amount_cents, begun.received_cents) == (IntentStatus.OPEN, 750, 0)
    assert (begun.account, begun.payment) == (ACCOUNT, "pay-1")
    assert begun.client_secret.startswith(begun.id + "_secret_")
    assert begun.client_secret not in repr(begun)
    offered = await api.v1.payment_intents.retrieve_async(begun.id)
    assert offered.payment_method_types == ["card", "crypto"]
    assert offered.currency == "usd"
    assert await processor.create_intent(customer.id, ACCOUNT, "pay-1", 750, "intent-of-pay-1") == begun

    with contextlib.suppress(stripe.CardError):
        await pay(api, begun.id, "pm_card_chargeDeclined")
    assert (await processor.intent(begun.id)).status is IntentStatus.OPEN
    await pay(api, begun.id)

    paid = await processor.intent(begun.id)
    assert (paid.status, paid.received_cents, paid.account) == (IntentStatus.SUCCEEDED, 750, ACCOUNT)
    assert [intent.id for intent in await processor.intents_since(0)] == [begun.id]
    told = [event.change for event in await processor.events_since(0)]
    states = [change.intent.status for change in told if isinstance(change, PaymentChanged)]
    assert states == [IntentStatus.OPEN, IntentStatus.SUCCEEDED]


async def test_payments_of_others_are_listed_without_an_account(
    local: LocalProcessor, processor: StripeProcessor, api: stripe.StripeClient
) -> None:
    async with stripe_at(local.url, service=ELSEWHERE) as other:
        customer = await other.create_customer(ACCOUNT, None, "elsewhere-customer")
        theirs = await other.create_intent(customer.id, ACCOUNT, "pay-1", 500, "elsewhere-intent")
    await pay(api, theirs.id)
    assert [(intent.account, intent.payment) for intent in await processor.intents_since(0)] == [(None, None)]
    assert (await processor.intent(theirs.id)).account is None
    assert all(event.change is None for event in await processor.events_since(0))


@pytest.mark.parametrize("amount", [49, 0, -5, 100_000_000])
async def test_an_amount_it_does_not_take_is_refused(processor: StripeProcessor, amount: int) -> None:
    customer = await processor.create_customer(ACCOUNT, None, "paying-customer")
    with pytest.raises(ProcessorError) as refused:
        await processor.create_intent(customer.id, ACCOUNT, "pay-1", amount, "intent-of-pay-1")
    assert refused.value.fault is Fault.REFUSED


async def test_what_is_not_there_is_not_found(processor: StripeProcessor) -> None:
    for asked in (
        processor.intent("pi_nothing"),
        processor.create_intent("cus_nothing", ACCOUNT, "pay-1", 500, "intent-for-nobody"),
        processor.balance_transactions("cus_nothing"),
        processor.add_to_balance("cus_nothing", -5, "why", "balance-of-nobody"),
    ):
        with pytest.raises(ProcessorError) as refused:
            await asked
        assert refused.value.fault is Fault.NOT_FOUND
        assert "nothing" not in refused.value.reason


@pytest.mark.parametrize(
    "identifier", ["../customers", "pi_1/../../v1/balance", "pi_1?expand[]=customer", "pi 1\r\nX: y"]
)
async def test_an_id_leads_to_no_other_place(
    local: LocalProcessor, processor: StripeProcessor, identifier: str
) -> None:
    with pytest.raises(ProcessorError):
        await processor.intent(identifier)
    assert all(seen.path.startswith("/v1/payment_intents/") for seen in local.control.seen)


async def test_a_balance_is_changed_once_for_a_key_and_read_in_order(
    local: LocalProcessor, processor: StripeProcessor
) -> None:
    customer = await processor.create_customer(ACCOUNT, None, "spending-customer")
    granted = local.control.grant(customer.id, 2000)
    for number in range(4):
        spent = await processor.add_to_balance(customer.id, 100 + number, f"mirror-{number}", f"balance-key-{number}")
        again = await processor.add_to_balance(customer.id, 100 + number, f"mirror-{number}", f"balance-key-{number}")
        assert spent == again
    changes = await processor.balance_transactions(customer.id)
    assert [(change.amount_cents, change.cause) for change in changes] == [
        (-2000, None), (100, "mirror-0"), (101, "mirror-1"), (102, "mirror-2"), (103, "mirror-3"),
    ]  # fmt: skip
    assert changes[0].id == granted
    for place, change in enumerate(changes):
        assert await processor.balance_transactions(customer.id, change.id) == list(changes[place + 1 :])


async def test_what_changes_all_the_time_is_not_listed(local: LocalProcessor, processor: StripeProcessor) -> None:
    """A busy node's own changes would be tens of thousands in the hour that a sweep asks for, each time."""
    customer = await processor.create_customer(ACCOUNT, None, "busy-customer")
    for number in range(3):
        await processor.add_to_balance(customer.id, 1, f"mirror-{number}", f"balance-key-{number}")
    (kind,) = {event.type for event in local.control.store.events.oldest_first()} - {"customer.created"}
    assert kind in EVENT_TYPES
    assert await processor.events_since(0) == []


async def test_lists_of_several_pages_are_whole(
    local: LocalProcessor, processor: StripeProcessor, api: stripe.StripeClient
) -> None:
    customer = await processor.create_customer(ACCOUNT, None, "busy-customer")
    made = [local.control.grant(customer.id, 1 + number) for number in range(250)]
    assert [change.id for change in await processor.balance_transactions(customer.id)] == made
    assert [change.id for change in await processor.balance_transactions(customer.id, made[20])] == made[21:]
    intent = await processor.create_intent(customer.id, ACCOUNT, "pay-1", 900, "intent-of-pay-1")
    await pay(api, intent.id)
    for _ in range(210):
        await api.v1.refunds.create_async({"payment_intent": intent.id, "amount": 1})
    told = await processor.events_since(0)
    assert len({event.change for event in told if isinstance(event.change, RefundChanged)}) == 210
    assert len({event.id for event in told}) == len(told)
    assert [event.created_s for event in told] == sorted(event.created_s for event in told)


async def test_a_refund_that_fails_and_a_dispute_that_is_won(
    local: LocalProcessor, processor: StripeProcessor, api: stripe.StripeClient, clock: FakeClock
) -> None:
    customer = await processor.create_customer(ACCOUNT, None, "paying-customer")
    intent = await processor.create_intent(customer.id, ACCOUNT, "pay-1", 900, "intent-of-pay-1")
    await pay(api, intent.id)
    clock.advance(10)
    refund = await api.v1.refunds.create_async({"payment_intent": intent.id, "amount": 200})
    local.control.end_refund(refund.id, "failed")
    charge = (await api.v1.payment_intents.retrieve_async(intent.id)).latest_charge
    dispute = local.control.dispute(str(charge))
    local.control.resolve_dispute(dispute, "won")

    told = [event.change for event in await processor.events_since(int(clock.now)) if event.change is not None]
    refunds = [change for change in told if isinstance(change, RefundChanged)]
    disputes = [change for change in told if isinstance(change, DisputeChanged)]
    assert refunds[0] == RefundChanged(refund.id, intent.id, 200, takes_back=True)
    assert refunds[-1] == RefundChanged(refund.id, intent.id, 200, takes_back=False)
    assert [change.takes_back for change in disputes] == [True, False]
    assert {(change.dispute, change.intent, change.amount_cents) for change in disputes} == {(dispute, intent.id, 900)}

    assert await processor.refunds_since(int(clock.now)) == [refunds[-1]]
    assert await processor.disputes_since(int(clock.now)) == disputes
    for listed in (processor.refunds_since, processor.disputes_since):
        assert await listed(int(clock.now) + 1) == []


async def test_refunds_and_disputes_are_listed_long_after_their_events_are_gone(
    local: LocalProcessor, processor: StripeProcessor, api: stripe.StripeClient, clock: FakeClock
) -> None:
    customer = await processor.create_customer(ACCOUNT, None, "paying-customer")
    intent = await processor.create_intent(customer.id, ACCOUNT, "pay-1", 900, "intent-of-pay-1")
    await pay(api, intent.id)
    made = [await api.v1.refunds.create_async({"payment_intent": intent.id, "amount": 1}) for _ in range(210)]
    charge = (await api.v1.payment_intents.retrieve_async(intent.id)).latest_charge
    dispute = local.control.dispute(str(charge), 100)
    clock.advance(100 * 86_400)
    assert await processor.events_since(0) == []
    assert [refund.refund for refund in await processor.refunds_since(0)] == [refund.id for refund in made]
    assert await processor.disputes_since(0) == [DisputeChanged(dispute, intent.id, 100, takes_back=True)]


async def test_an_unpaid_payment_is_canceled_and_no_other(processor: StripeProcessor, api: stripe.StripeClient) -> None:
    customer = await processor.create_customer(ACCOUNT, None, "paying-customer")
    open_one = await processor.create_intent(customer.id, ACCOUNT, "pay-1", 900, "intent-of-pay-1")
    paid = await processor.create_intent(customer.id, ACCOUNT, "pay-2", 900, "intent-of-pay-2")
    await pay(api, paid.id)
    canceled = await processor.cancel_intent(open_one.id)
    assert (canceled.id, canceled.status, canceled.account) == (open_one.id, IntentStatus.CANCELED, ACCOUNT)
    assert (await api.v1.payment_intents.retrieve_async(open_one.id)).cancellation_reason == "abandoned"
    for intent, fault in ((open_one.id, Fault.REFUSED), (paid.id, Fault.REFUSED), ("pi_nothing", Fault.NOT_FOUND)):
        with pytest.raises(ProcessorError) as refused:
            await processor.cancel_intent(intent)
        assert refused.value.fault is fault


@pytest.mark.parametrize("path", ["customers", "payment_intents", "events", "refunds", "disputes"])
async def test_a_key_that_may_not_read_what_is_read_here_does_not_pass(
    local: LocalProcessor, processor: StripeProcessor, path: str
) -> None:
    local.control.faults.add(Injected(kind="server_error", method="GET", path=f"/v1/{path}", times=None))
    with pytest.raises(ProcessorError):
        await processor.check()


@contextlib.asynccontextmanager
async def webhook_endpoint(processor: StripeProcessor) -> AsyncIterator[tuple[str, "asyncio.Queue[Event]"]]:
    """Where the processor sends events; each is read by the adapter."""
    told: asyncio.Queue[Event] = asyncio.Queue()

    async def take(request: web.Request) -> web.Response:
        told.put_nowait(processor.event(await request.read(), request.headers.get("Stripe-Signature", "")))
        return web.Response(status=200)

    application = web.Application()
    application.router.add_post("/billing/webhook", take)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/billing/webhook", told
    finally:
        await runner.cleanup()


async def test_a_webhook_call_is_the_same_event_as_in_the_list(
    local: LocalProcessor, processor: StripeProcessor, api: stripe.StripeClient
) -> None:
    customer = await processor.create_customer(ACCOUNT, None, "paying-customer")
    intent = await processor.create_intent(customer.id, ACCOUNT, "pay-1", 900, "intent-of-pay-1")
    async with webhook_endpoint(processor) as (url, told):
        local.control.webhooks.url = url
        await pay(api, intent.id)
        while True:
            async with asyncio.timeout(10):
                event = await told.get()
            if isinstance(event.change, PaymentChanged) and event.change.intent.status is IntentStatus.SUCCEEDED:
                break
        assert event in await processor.events_since(0)
        local.control.webhooks.url = None


async def test_a_webhook_payload_that_is_too_large_is_not_even_looked_at(processor: StripeProcessor) -> None:
    with pytest.raises(ProcessorError) as refused:
        processor.event(b" " * (WEBHOOK_MAX_BYTES + 1), "t=1,v1=" + "0" * 64)
    assert refused.value.fault is Fault.REFUSED


async def test_the_work_done_before_a_lost_answer_is_not_done_twice(
    local: LocalProcessor, processor: StripeProcessor, api: stripe.StripeClient
) -> None:
    customer = await processor.create_customer(ACCOUNT, None, "paying-customer")
    for path, number in (("/v1/customers/*/balance_transactions", 1), ("/v1/payment_intents", 2), ("/v1/customers", 3)):
        local.control.faults.add(
            Injected(kind="dropped", method="POST", path=path, after_work=True, times=number % 2 + 1)
        )
    await processor.add_to_balance(customer.id, 40, "mirror-1", "balance-key-of-1")
    await processor.create_intent(customer.id, ACCOUNT, "pay-1", 900, "intent-of-pay-1")
    other = await processor.create_customer(ACCOUNT + 1, None, "customer-of-another")
    assert [change.amount_cents for change in await processor.balance_transactions(customer.id)] == [40]
    assert len(await processor.intents_since(0)) == 1
    assert [made.id for made in await processor.customers_since(0)] == [customer.id, other.id]

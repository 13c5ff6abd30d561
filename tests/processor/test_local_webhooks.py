"""Webhooks and events of the local card processor, checked with the real library's signature check."""

import asyncio
import hmac
import time
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
import stripe

from devkit.processor.limits import LocalProcessorLimits
from devkit.processor.server import LocalProcessor, LocalProcessorOptions, local_processor
from devkit.processor.webhooks import signature_header
from tests.processor.local import client, intent_of, paid_intent
from tests.processor.receiver import SECRET, Receiver, receiving
from tests.support.clock import FakeClock

OF_A_PAYMENT = ["customer.created", "payment_intent.created", "charge.succeeded", "payment_intent.succeeded"]
DAY_S = 24 * 3600


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as there:
        yield there


@pytest.fixture
async def local(clock: FakeClock, receiver: Receiver) -> AsyncIterator[LocalProcessor]:
    options = LocalProcessorOptions(webhook_url=receiver.url, webhook_secret=SECRET)
    async with local_processor(options, clock) as running:
        yield running


def test_the_signature_is_the_documented_one() -> None:
    payload = b'{"object":"event"}'
    header = signature_header(payload, "whsec_x", 1_700_000_000)

    expected = hmac.new(b"whsec_x", b"1700000000." + payload, "sha256").hexdigest()
    assert header == f"t=1700000000,v1={expected}"


async def test_a_payment_is_told_of_signed(local: LocalProcessor, api: stripe.StripeClient, receiver: Receiver) -> None:
    intent = await paid_intent(api)
    await local.control.webhooks.settled()

    assert sorted(receiver.types()) == sorted(OF_A_PAYMENT)
    (paid,) = [event for event in receiver.events() if event.type == "payment_intent.succeeded"]
    assert paid.data.object["id"] == intent.id
    assert paid.data.object["amount_received"] == 500
    assert paid.livemode is False
    assert paid.request is not None
    assert str(paid.request.id).startswith("req_")


async def test_another_secret_or_payload_does_not_verify(
    local: LocalProcessor, api: stripe.StripeClient, receiver: Receiver
) -> None:
    await api.v1.customers.create_async({})
    await local.control.webhooks.settled()
    ((payload, signature),) = receiver.received

    for body, secret in ((payload, "whsec_other"), (payload.replace(b"false", b"true", 1), SECRET)):
        with pytest.raises(stripe.SignatureVerificationError):
            stripe.Webhook.construct_event(body, signature, secret, tolerance=0)


async def test_the_time_in_the_signature_is_that_of_sending(
    local: LocalProcessor, api: stripe.StripeClient, receiver: Receiver, clock: FakeClock
) -> None:
    clock.now = time.time() - 3600
    await api.v1.customers.create_async({})
    await local.control.webhooks.settled()
    with pytest.raises(stripe.SignatureVerificationError):
        receiver.events(tolerance=300)
    receiver.received.clear()

    clock.now = time.time()
    (created,) = (await api.v1.events.list_async()).data
    await local.control.webhooks.resend(created.id)

    assert [event.id for event in receiver.events(tolerance=300)] == [created.id]


async def test_a_failed_delivery_is_repeated_until_it_is_taken(
    local: LocalProcessor, api: stripe.StripeClient, receiver: Receiver
) -> None:
    receiver.statuses = [500, 307]
    await api.v1.customers.create_async({})
    for attempt in (1, 2):
        await local.control.webhooks.attempted(attempt)
        (event,) = (await api.v1.events.list_async()).data
        assert event.pending_webhooks == 1
        local.control.webhooks.retry_now()
    await local.control.webhooks.settled()

    assert [attempt.status for attempt in local.control.webhooks.attempts] == [500, 307, 204]
    assert len(receiver.received) == 3
    assert len({event.id for event in receiver.events()}) == 1
    (event,) = (await api.v1.events.list_async()).data
    assert event.pending_webhooks == 0


async def test_a_delivery_is_given_up_after_the_last_attempt(clock: FakeClock, receiver: Receiver) -> None:
    limits = LocalProcessorLimits(webhook_retry_delays_s=(0.001, 0.001))
    options = LocalProcessorOptions(webhook_url=receiver.url, webhook_secret=SECRET, limits=limits)
    async with local_processor(options, clock) as local, client(local, "sk_test_local") as api:
        receiver.statuses = [500] * 10
        await api.v1.customers.create_async({})
        await local.control.webhooks.settled()

        assert len(receiver.received) == 3
        undelivered = await api.v1.events.list_async({"delivery_success": False})
        assert [event.type for event in undelivered.data] == ["customer.created"]


async def test_nobody_listening_is_a_failed_delivery(clock: FakeClock) -> None:
    async with receiving() as receiver:
        url = receiver.url
    async with (
        local_processor(LocalProcessorOptions(webhook_url=url), clock) as local,
        client(local, "sk_test_local") as api,
    ):
        await api.v1.customers.create_async({})
        await local.control.webhooks.attempted(1)

        assert [attempt.status for attempt in local.control.webhooks.attempts] == [None]


@pytest.mark.parametrize("newest_first", [False, True])
async def test_held_events_are_sent_in_the_order_asked_for(
    local: LocalProcessor, api: stripe.StripeClient, receiver: Receiver, newest_first: bool
) -> None:
    local.control.webhooks.mode = "hold"
    await paid_intent(api)
    assert receiver.received == []

    await local.control.webhooks.release(newest_first=newest_first)

    assert receiver.types() == (OF_A_PAYMENT[::-1] if newest_first else OF_A_PAYMENT)


async def test_lost_events_can_still_be_listed(
    local: LocalProcessor, api: stripe.StripeClient, receiver: Receiver
) -> None:
    local.control.webhooks.mode = "drop"
    await paid_intent(api)
    await local.control.webhooks.settled()

    assert receiver.received == []
    assert [event.type for event in (await api.v1.events.list_async()).data] == OF_A_PAYMENT[::-1]


async def test_duplicates_carry_one_event_id(
    local: LocalProcessor, api: stripe.StripeClient, receiver: Receiver
) -> None:
    local.control.webhooks.copies = 3
    await api.v1.customers.create_async({})
    await local.control.webhooks.settled()

    assert len(receiver.received) == 3
    assert len({event.id for event in receiver.events()}) == 1


async def test_what_was_not_delivered_is_sent_after_a_restart(
    clock: FakeClock, receiver: Receiver, tmp_path: Path
) -> None:
    options = LocalProcessorOptions(
        webhook_url=receiver.url, webhook_secret=SECRET, state_file=tmp_path / "processor.sqlite"
    )
    receiver.statuses = [503]
    async with local_processor(options, clock) as local, client(local, "sk_test_local") as api:
        await api.v1.customers.create_async({})
        await local.control.webhooks.attempted(1)

    async with local_processor(options, clock) as local:
        await local.control.webhooks.settled()

    first, second = receiver.events()
    assert first.id == second.id


async def test_events_are_listed_by_type_time_and_page(
    local: LocalProcessor, api: stripe.StripeClient, clock: FakeClock
) -> None:
    local.control.webhooks.mode = "drop"
    await paid_intent(api)
    clock.advance(100)
    since = int(clock())
    await api.v1.customers.create_async({})

    async def types(**asked: object) -> list[str]:
        return [event.type for event in (await api.v1.events.list_async(asked)).data]  # type: ignore[arg-type]

    assert await types(type="payment_intent.*") == ["payment_intent.succeeded", "payment_intent.created"]
    assert await types(types=["charge.succeeded", "customer.created"], limit=2) == [
        "customer.created",
        "charge.succeeded",
    ]
    assert await types(created={"gte": since}) == ["customer.created"]
    assert await types(created={"lt": since}) == OF_A_PAYMENT[::-1]
    seen = [event.type async for event in (await api.v1.events.list_async({"limit": 2})).auto_paging_iter()]
    assert seen == ["customer.created", *OF_A_PAYMENT[::-1]]
    with pytest.raises(stripe.InvalidRequestError):
        await types(type="customer.created", types=["customer.created"])


async def test_events_are_kept_for_thirty_days(
    local: LocalProcessor, api: stripe.StripeClient, clock: FakeClock
) -> None:
    await api.v1.customers.create_async({})
    (event,) = (await api.v1.events.list_async()).data
    clock.advance(30 * DAY_S - 1)
    assert (await api.v1.events.retrieve_async(event.id)).id == event.id

    clock.advance(1)

    assert (await api.v1.events.list_async()).data == []
    with pytest.raises(stripe.InvalidRequestError):
        await api.v1.events.retrieve_async(event.id)
    await api.v1.customers.create_async({})
    assert local.control.store.events.find(event.id) is None
    assert len((await api.v1.events.list_async()).data) == 1


async def test_an_event_shows_its_object_as_it_was_then(local: LocalProcessor, api: stripe.StripeClient) -> None:
    intent = await intent_of(api)
    await api.v1.payment_intents.confirm_async(intent.id, {"payment_method": "pm_card_visa"})

    (created,) = (await api.v1.events.list_async({"type": "payment_intent.created"})).data

    assert created.data.object["status"] == "requires_payment_method"


async def test_webhooks_are_set_and_released_over_http(
    local: LocalProcessor, api: stripe.StripeClient, receiver: Receiver
) -> None:
    headers = {"Authorization": "Bearer sk_test_local"}
    async with aiohttp.ClientSession(headers=headers) as session, asyncio.timeout(20):
        async with session.post(f"{local.url}/_control/webhooks", json={"mode": "hold"}) as held:
            assert (await held.json())["webhooks"]["mode"] == "hold"
        await api.v1.customers.create_async({})
        (event,) = (await api.v1.events.list_async()).data
        assert receiver.received == []
        asked = {"mode": "send", "release": "oldest_first"}
        async with session.post(f"{local.url}/_control/webhooks", json=asked) as released:
            assert released.status == 200
        async with session.post(f"{local.url}/_control/events/{event.id}/resend") as resent:
            assert (await resent.json())["status"] == 204
        async with session.post(f"{local.url}/_control/events/evt_none/resend") as missing:
            assert missing.status == 404
    assert receiver.types() == ["customer.created"] * 2


async def test_what_happens_before_the_address_is_known_is_told_when_it_is(
    clock: FakeClock, receiver: Receiver
) -> None:
    options = LocalProcessorOptions(webhook_secret=SECRET)
    async with local_processor(options, clock) as local, client(local, options.secret_key) as api:
        await paid_intent(api)
        await local.control.webhooks.settled()
        assert receiver.received == []
        local.control.webhooks.url = receiver.url
        await local.control.webhooks.settled()
        local.control.webhooks.url = receiver.url
        await local.control.webhooks.settled()
    assert sorted(receiver.types()) == sorted(OF_A_PAYMENT)

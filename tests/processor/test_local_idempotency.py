"""`Idempotency-Key` at the local card processor: one key, one effect, one answer."""

import asyncio
import contextlib
import random
from typing import Any

import aiohttp
import pytest
import stripe

from devkit.processor.faults import Fault
from devkit.processor.server import LocalProcessor
from tests.processor.local import client, intent_of
from tests.support.clock import FakeClock

DAY_S = 24 * 3600


async def posted(local: LocalProcessor, path: str, key: str, **form: str) -> tuple[int, Any, dict[str, str]]:
    """A form sent with an idempotency key: status, JSON and headers of the answer."""
    headers = {"Authorization": "Bearer sk_test_local", "Idempotency-Key": key}
    async with aiohttp.ClientSession() as session, session.post(local.url + path, data=form, headers=headers) as answer:
        return answer.status, await answer.json(), dict(answer.headers)


async def test_the_same_key_and_parameters_get_the_same_answer_and_one_object(local: LocalProcessor) -> None:
    status, first, headers = await posted(local, "/v1/customers", "k", email="a@b.c")
    again_status, again, again_headers = await posted(local, "/v1/customers", "k", email="a@b.c")

    assert (again_status, again) == (status, first) == (200, first)
    assert "Idempotent-Replayed" not in headers
    assert again_headers["Idempotent-Replayed"] == "true"
    assert again_headers["Original-Request"] == headers["Request-Id"]
    assert again_headers["Request-Id"] != headers["Request-Id"]
    assert len(list(local.control.store.customers.oldest_first())) == 1


@pytest.mark.parametrize(("path", "form"), [("/v1/customers", {"email": "x@y.z"}), ("/v1/refunds", {"email": "a@b.c"})])
async def test_the_same_key_for_something_else_is_refused(
    local: LocalProcessor, path: str, form: dict[str, str]
) -> None:
    await posted(local, "/v1/customers", "k", email="a@b.c")

    status, body, _ = await posted(local, path, "k", **form)

    assert (status, body["error"]["type"]) == (400, "idempotency_error")
    assert len(list(local.control.store.customers.oldest_first())) == 1


async def test_the_library_calls_that_an_idempotency_error(api: stripe.StripeClient) -> None:
    await api.v1.customers.create_async({"email": "a@b.c"}, {"idempotency_key": "k"})

    with pytest.raises(stripe.IdempotencyError):
        await api.v1.customers.create_async({"email": "x@y.z"}, {"idempotency_key": "k"})


async def test_a_key_whose_request_is_under_way_is_in_use(local: LocalProcessor) -> None:
    local.control.faults.add(Fault(kind="hang", path="/v1/customers"))
    first = asyncio.create_task(posted(local, "/v1/customers", "k"))
    await local.control.faults.someone_hangs()

    status, body, _ = await posted(local, "/v1/customers", "k")

    assert (status, body["error"]["code"]) == (409, "idempotency_key_in_use")
    local.control.faults.release()
    first_status, customer, _ = await first
    assert first_status == 200
    _, after, _ = await posted(local, "/v1/customers", "k")
    assert after == customer


async def test_many_at_once_with_one_key_make_one_object(local: LocalProcessor) -> None:
    answers = await asyncio.gather(*[posted(local, "/v1/customers", "k") for _ in range(20)])

    assert {status for status, _, _ in answers} <= {200, 409}
    assert len({body["id"] for status, body, _ in answers if status == 200}) == 1
    assert len(list(local.control.store.customers.oldest_first())) == 1


async def test_a_key_is_forgotten_after_a_day(local: LocalProcessor, clock: FakeClock) -> None:
    _, first, _ = await posted(local, "/v1/customers", "k")
    clock.advance(DAY_S - 1)
    _, within, _ = await posted(local, "/v1/customers", "k")
    clock.advance(2)
    _, later, headers = await posted(local, "/v1/customers", "k")

    assert within["id"] == first["id"]
    assert later["id"] != first["id"]
    assert "Idempotent-Replayed" not in headers
    _, repeated, _ = await posted(local, "/v1/customers", "k")
    assert repeated["id"] == later["id"]


async def test_a_decline_is_replayed_and_charges_once(local: LocalProcessor, api: stripe.StripeClient) -> None:
    intent = await intent_of(api)
    path = f"/v1/payment_intents/{intent.id}/confirm"

    first = await posted(local, path, "k", payment_method="pm_card_chargeDeclined")
    again = await posted(local, path, "k", payment_method="pm_card_chargeDeclined")

    assert first[0] == again[0] == 402
    assert first[1] == again[1]
    assert len((await api.v1.charges.list_async()).data) == 1


async def test_a_refused_parameter_is_not_kept(local: LocalProcessor) -> None:
    status, _, _ = await posted(local, "/v1/payment_intents", "k", amount="10", currency="usd")
    corrected, _, headers = await posted(local, "/v1/payment_intents", "k", amount="100", currency="usd")

    assert (status, corrected) == (400, 200)
    assert "Idempotent-Replayed" not in headers


@pytest.mark.parametrize(("after_work", "made"), [(False, 0), (True, 1)])
async def test_a_server_error_of_an_endpoint_that_had_begun_stays_the_answer(
    local: LocalProcessor, after_work: bool, made: int
) -> None:
    local.control.faults.add(Fault(kind="server_error", kept=True, after_work=after_work, path="/v1/customers"))

    answers = [await posted(local, "/v1/customers", "k") for _ in range(3)]

    assert [status for status, _, _ in answers] == [500, 500, 500]
    assert len(list(local.control.store.customers.oldest_first())) == made
    assert (await posted(local, "/v1/customers", "another"))[0] == 200


async def test_a_server_error_before_it_began_is_not_kept(local: LocalProcessor) -> None:
    local.control.faults.add(Fault(kind="server_error", status=503))

    assert (await posted(local, "/v1/customers", "k"))[0] == 503
    assert (await posted(local, "/v1/customers", "k"))[0] == 200


async def test_the_library_retries_a_lost_answer_without_a_second_effect(local: LocalProcessor) -> None:
    local.control.faults.add(Fault(kind="dropped", after_work=True, method="POST"))

    async with client(local, "sk_test_local", retries=2) as api:
        customer = await api.v1.customers.create_async({"email": "a@b.c"})

    assert [found.id for found in local.control.store.customers.oldest_first()] == [customer.id]
    assert [seen.status for seen in local.control.seen] == [None, 200]


async def test_the_browser_is_not_replayed_what_the_secret_key_was_told(
    local: LocalProcessor, api: stripe.StripeClient
) -> None:
    intent = await intent_of(api, metadata={"account": "0x12"})
    path = f"{local.url}/v1/payment_intents/{intent.id}/confirm"
    form = {"client_secret": intent.client_secret or "", "payment_method": "pm_card_visa"}
    told = []
    async with aiohttp.ClientSession() as session:
        for key in ("sk_test_local", "pk_test_local"):
            headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": "k"}
            async with session.post(path, data=form, headers=headers) as answer:
                told.append((answer.status, await answer.text()))

    assert [status for status, _ in told] == [200, 400]
    assert "0x12" in told[0][1]
    assert "0x12" not in told[1][1]


@pytest.mark.parametrize("seed", range(4))
async def test_repeating_until_it_is_answered_counts_once_whatever_fails(local: LocalProcessor, seed: int) -> None:
    chance = random.Random(seed)
    _, customer, _ = await posted(local, "/v1/customers", "customer")
    path, owed = f"/v1/customers/{customer['id']}/balance_transactions", 0
    for number in range(25):
        amount = chance.randrange(-500, 500)
        owed += amount
        for _ in range(chance.randrange(4)):
            kind: Any = chance.choice(["server_error", "rate_limit", "dropped"])
            after_work = kind == "dropped" and chance.random() < 0.5
            local.control.faults.add(Fault(kind=kind, after_work=after_work))
        status = 0
        while status != 200:
            with contextlib.suppress(aiohttp.ClientError):
                status, _, _ = await posted(local, path, f"k{number}", amount=str(amount), currency="usd")

    found = local.control.store.customers.get(customer["id"])
    entries = list(local.control.store.balance_transactions.oldest_first())
    assert found.balance == owed == sum(entry.amount for entry in entries)
    assert len(entries) == 25


@pytest.mark.parametrize("key", ["k" * 256])
async def test_keys_are_bounded(local: LocalProcessor, key: str) -> None:
    status, _, _ = await posted(local, "/v1/customers", key)

    assert status == 400

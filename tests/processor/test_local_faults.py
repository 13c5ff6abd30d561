"""Injected faults at the local card processor: what the caller sees, and what was done all the same."""

import asyncio

import aiohttp
import pytest
import stripe

from devkit.processor.faults import Fault
from devkit.processor.server import LocalProcessor
from tests.processor.local import client


def customers(local: LocalProcessor) -> int:
    return len(list(local.control.store.customers.oldest_first()))


@pytest.mark.parametrize("status", [500, 502, 503])
async def test_a_server_error_does_nothing(local: LocalProcessor, api: stripe.StripeClient, status: int) -> None:
    local.control.faults.add(Fault(kind="server_error", status=status, path="/v1/customers"))

    with pytest.raises(stripe.APIError) as failed:
        await api.v1.customers.create_async({})

    assert failed.value.http_status == status
    assert customers(local) == 0
    await api.v1.customers.create_async({})
    assert customers(local) == 1


async def test_a_server_error_after_the_work_leaves_it_done(local: LocalProcessor, api: stripe.StripeClient) -> None:
    local.control.faults.add(Fault(kind="server_error", after_work=True))

    with pytest.raises(stripe.APIError):
        await api.v1.customers.create_async({})

    assert customers(local) == 1


async def test_too_many_requests_are_told_when_to_come_back(local: LocalProcessor, api: stripe.StripeClient) -> None:
    local.control.faults.add(Fault(kind="rate_limit", times=2, retry_after_s=7))

    for _ in range(2):
        with pytest.raises(stripe.RateLimitError) as limited:
            await api.v1.customers.create_async({}, {"idempotency_key": "k"})
        assert limited.value.headers is not None
        assert limited.value.headers["Retry-After"] == "7"
    assert customers(local) == 0
    await api.v1.customers.create_async({}, {"idempotency_key": "k"})
    assert customers(local) == 1


@pytest.mark.parametrize(("after_work", "made"), [(False, 0), (True, 1)])
async def test_a_dropped_connection_loses_the_answer(
    local: LocalProcessor, api: stripe.StripeClient, after_work: bool, made: int
) -> None:
    local.control.faults.add(Fault(kind="dropped", after_work=after_work))

    with pytest.raises(stripe.APIConnectionError):
        await api.v1.customers.create_async({})

    assert customers(local) == made


@pytest.mark.parametrize(("after_work", "made_meanwhile"), [(False, 0), (True, 1)])
async def test_a_hanging_request_goes_on_when_it_is_let(
    local: LocalProcessor, api: stripe.StripeClient, after_work: bool, made_meanwhile: int
) -> None:
    local.control.faults.add(Fault(kind="hang", after_work=after_work))
    asked = asyncio.create_task(api.v1.customers.create_async({}))
    await local.control.faults.someone_hangs()

    assert customers(local) == made_meanwhile
    assert not asked.done()
    local.control.faults.release()
    assert (await asked).id.startswith("cus_")
    assert customers(local) == 1


async def test_a_caller_that_gave_up_does_not_undo_the_work(local: LocalProcessor, api: stripe.StripeClient) -> None:
    local.control.faults.add(Fault(kind="hang"))
    asked = asyncio.create_task(api.v1.customers.create_async({}))
    await local.control.faults.someone_hangs()
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked

    local.control.faults.release()
    await api.v1.balance.retrieve_async()

    assert customers(local) == 1


async def test_a_processor_that_stops_while_a_request_hangs_stops(
    local: LocalProcessor, api: stripe.StripeClient
) -> None:
    local.control.faults.add(Fault(kind="hang", times=None))
    asked = asyncio.create_task(api.v1.customers.create_async({}))
    await local.control.faults.someone_hangs()

    async with asyncio.timeout(10):
        await local.control.refuse_connections()
        with pytest.raises(stripe.APIConnectionError):
            await asked


async def test_refused_connections_and_back_on_the_same_port(local: LocalProcessor, api: stripe.StripeClient) -> None:
    await api.v1.customers.create_async({})

    await local.control.refuse_connections()
    with pytest.raises(stripe.APIConnectionError):
        await api.v1.customers.list_async()
    async with client(local, "sk_test_local") as fresh:
        with pytest.raises(stripe.APIConnectionError):
            await fresh.v1.customers.list_async()
    await local.control.accept_connections()

    assert len((await api.v1.customers.list_async()).data) == 1


async def test_a_fault_meets_only_the_requests_it_is_for(local: LocalProcessor, api: stripe.StripeClient) -> None:
    local.control.faults.add(Fault(kind="server_error", method="POST", path="/v1/payment_intents*", times=None))

    customer = await api.v1.customers.create_async({})
    assert (await api.v1.payment_intents.list_async()).data == []
    for _ in range(3):
        with pytest.raises(stripe.APIError):
            await api.v1.payment_intents.create_async({"amount": 500, "currency": "usd", "customer": customer.id})
    local.control.faults.clear()
    await api.v1.payment_intents.create_async({"amount": 500, "currency": "usd", "customer": customer.id})


async def test_faults_are_set_over_http_with_the_secret_key_alone(local: LocalProcessor) -> None:
    url, fault = f"{local.url}/_control/faults", {"kind": "server_error", "path": "/v1/balance"}
    async with aiohttp.ClientSession() as session:
        for key in ("sk_test_other", "pk_test_local"):
            async with session.post(url, json=fault, headers={"Authorization": f"Bearer {key}"}) as refused:
                assert refused.status in (401, 403)
        headers = {"Authorization": "Bearer sk_test_local"}
        async with session.get(f"{local.url}/v1/balance", headers=headers) as unharmed:
            assert unharmed.status == 200
        async with session.post(url, json={"kind": "flood"}, headers=headers) as unknown:
            assert unknown.status == 400
        async with session.post(url, json=fault, headers=headers) as added:
            assert (await added.json())["faults"][0]["path"] == "/v1/balance"
        async with session.get(f"{local.url}/v1/balance", headers=headers) as failed:
            assert failed.status == 500
        await session.post(url, json={**fault, "times": None}, headers=headers)
        async with session.delete(url, headers=headers) as cleared:
            assert (await cleared.json())["faults"] == []
        async with session.get(f"{local.url}/v1/balance", headers=headers) as unharmed:
            assert unharmed.status == 200

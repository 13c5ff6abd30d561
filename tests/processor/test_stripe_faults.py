"""Whatever stands in the processor's place answers: our own error, in time, and nothing of what it said."""

import asyncio
import gzip
import json
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
from aiohttp import web

from attest.certificates.renewal import SelfSigned
from attest.certificates.serving import server_context
from devkit.processor.faults import Fault as Injected
from devkit.processor.server import LocalProcessor
from node.processor.port import Fault, ProcessorError
from node.processor.stripe_processor import REPETITIONS
from node.runtime.tls_trust import own_trust
from tests.processor.stripe_parts import (
    ACCOUNT,
    EMAIL,
    FAST,
    SECRETS,
    Impostor,
    customer,
    error_body,
    intent,
    listed,
    says,
    stripe_at,
)

SMALL = {**FAST, "response_max_bytes": 100_000}
BRIEF = {**SMALL, "attempt_timeout_s": 0.3, "connect_timeout_s": 0.3, "call_timeout_s": 3.0}
"""For what never answers, and for nothing else: on a busy machine an answer takes as long once in a while."""
ECHO = f"No such thing: {EMAIL}, key sk_test_local, at https://user:whsec_local@example.org/v1"


@pytest.fixture
async def impostor() -> AsyncIterator[Impostor]:
    async with Impostor().serving() as serving:
        yield serving


async def refusal_of(impostor: Impostor, constants: Mapping[str, float] = SMALL) -> ProcessorError:
    """What creating a customer comes to."""
    async with stripe_at(impostor.url, constants) as processor:
        with pytest.raises(ProcessorError) as refused:
            await processor.create_customer(ACCOUNT, EMAIL, "customer-of-a11ce")
    error = refused.value
    assert not any(secret in str(error) + repr(error) for secret in (*SECRETS, "https://", "example.org"))
    assert error.__context__ is None
    assert error.__cause__ is None
    return error


@pytest.mark.parametrize(
    ("status", "body", "fault", "said"),
    [
        (400, error_body(message=ECHO, param=EMAIL, code="parameter_unknown"), Fault.REFUSED, "parameter_unknown"),
        (400, error_body(message=ECHO, code=EMAIL), Fault.REFUSED, "it refused (400)"),
        (400, error_body(message=ECHO, code="sk_test_local"), Fault.REFUSED, "it refused (400)"),
        (400, error_body(message=ECHO, code="email_invalid"), Fault.REFUSED, "email_invalid"),
        (400, error_body(message=ECHO, code="resource_missing"), Fault.NOT_FOUND, "no such object"),
        (404, error_body(message=ECHO), Fault.NOT_FOUND, "no such object"),
        (400, {"error": {"type": "idempotency_error", "message": ECHO}}, Fault.REFUSED, "idempotency"),
        (401, error_body(message="Invalid API Key provided: sk_test_local"), Fault.UNAUTHORIZED, "secret key"),
        (403, error_body(message=ECHO), Fault.UNAUTHORIZED, "may not"),
        (402, {"error": {"type": "card_error", "message": ECHO, "code": "card_declined"}}, Fault.REFUSED, "402"),
        (409, error_body(message=ECHO, code="idempotency_key_in_use"), Fault.UNAVAILABLE, "409"),
        (429, error_body(message=ECHO, code="rate_limit"), Fault.UNAVAILABLE, "too many"),
        (500, error_body(message=ECHO), Fault.UNAVAILABLE, "500"),
        (503, "<html>Bad gateway sk_test_local</html>", Fault.UNAVAILABLE, "503"),
        (401, "<html>a captive portal</html>", Fault.UNAVAILABLE, "401"),
        (302, {"object": "customer"}, Fault.UNAVAILABLE, ""),
        (400, {"error": EMAIL}, Fault.UNAVAILABLE, ""),
        (400, {"error": "invalid_client"}, Fault.UNAVAILABLE, ""),
        (400, {"error": {"message": [EMAIL], "code": {"a": EMAIL}, "param": 5}}, Fault.REFUSED, ""),
        (400, {"error": {"type": "card_error", "payment_intent": EMAIL, "source": [1]}}, Fault.REFUSED, ""),
        (400, {"error": 5}, Fault.UNAVAILABLE, ""),
        (400, [EMAIL], Fault.UNAVAILABLE, ""),
        (500, EMAIL, Fault.UNAVAILABLE, ""),
        (200, "not JSON sk_test_local", Fault.UNAVAILABLE, ""),
        (200, b"\xff\xfe\x00", Fault.UNAVAILABLE, ""),
        (200, "", Fault.UNAVAILABLE, ""),
        (200, "null", Fault.UNAVAILABLE, ""),
        (200, "[" * 50_000, Fault.UNAVAILABLE, ""),
        (200, '{"a":' * 15_000, Fault.UNAVAILABLE, ""),
        (200, [], Fault.UNAVAILABLE, ""),
        (200, {}, Fault.UNAVAILABLE, "unexpected form"),
        (200, intent(), Fault.UNAVAILABLE, "unexpected form"),
        (200, customer("cus_1", created=EMAIL), Fault.UNAVAILABLE, "unexpected form"),
        (200, {**customer("cus_1"), "metadata": [EMAIL]}, Fault.UNAVAILABLE, ""),
        (200, {"id": "cus_1", "object": "customer", "deleted": True}, Fault.UNAVAILABLE, "unexpected form"),
        (200, {"id": "cus_1", "object": ["customer"], "items": {"data": 5}}, Fault.UNAVAILABLE, ""),
    ],
)
async def test_an_answer_becomes_our_own_error_without_its_words(
    impostor: Impostor, status: int, body: object, fault: Fault, said: str
) -> None:
    impostor.answer = says(body, status)
    error = await refusal_of(impostor)
    assert error.fault is fault
    assert said in error.reason


async def test_the_processors_number_of_the_request_is_told_when_it_is_one(impostor: Impostor) -> None:
    impostor.answer = says(error_body(message=ECHO), 400, {"Request-Id": "req_AbCdEf123456"})
    assert "req_AbCdEf123456" in (await refusal_of(impostor)).reason
    impostor.answer = says(error_body(message=ECHO), 400, {"Request-Id": EMAIL})
    assert (await refusal_of(impostor)).reason == "it refused (400)"


async def test_a_notice_of_the_processor_is_no_warning_of_ours(impostor: Impostor) -> None:
    impostor.answer = says(customer("cus_1"), headers={"Stripe-Notice": ECHO})
    async with stripe_at(impostor.url, SMALL) as processor:
        assert (await processor.create_customer(ACCOUNT, None, "customer-of-a11ce")).id == "cus_1"


async def test_a_redirect_is_not_followed_with_the_key(impostor: Impostor) -> None:
    async with Impostor().serving() as thief:
        impostor.answer = says("", 307, {"Location": f"{thief.url}/v1/customers"})
        assert (await refusal_of(impostor)).fault is Fault.UNAVAILABLE
        assert thief.asked == []


async def test_nothing_is_sent_but_what_is_asked(impostor: Impostor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nonexistent")
    impostor.answer = says(customer("cus_1"))
    async with stripe_at(impostor.url, SMALL) as processor:
        for _ in range(2):
            await processor.create_customer(ACCOUNT, None, "customer-of-a11ce")
    for _, headers, _ in impostor.asked:
        assert headers["user-agent"] == "svc-node"
        assert headers["idempotency-key"] == "customer-of-a11ce"
        assert headers["stripe-version"] == "2026-10-28.endive"
        assert not [name for name in headers if name.startswith("x-stripe")]


async def test_an_answer_without_end_is_not_read(impostor: Impostor) -> None:
    sent = 0

    async def endless(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse()
        await response.prepare(request)
        while sent < 50_000_000:
            await response.write(b" " * 65_536)
            sent += 65_536
        return response

    impostor.answer = endless
    error = await refusal_of(impostor)
    assert error.fault is Fault.UNAVAILABLE
    assert "more than is read" in error.reason
    assert sent < 50_000_000
    assert len(impostor.asked) == 1


async def test_an_answer_of_very_many_values_is_not_parsed(impostor: Impostor) -> None:
    whole = json.dumps({**customer("cus_1"), "more": [[]] * 2000})
    impostor.answer = says(whole)
    async with stripe_at(impostor.url, FAST) as processor:
        assert (await processor.create_customer(ACCOUNT, None, "customer-of-a11ce")).id == "cus_1"
    async with stripe_at(impostor.url, {**FAST, "response_max_values": 1000}) as processor:
        with pytest.raises(ProcessorError, match="more than is read"):
            await processor.create_customer(ACCOUNT, None, "customer-of-a11ce")


async def test_an_answer_that_unpacks_without_end_is_not_read(impostor: Impostor) -> None:
    bomb = gzip.compress(b"[" + b" " * 30_000_000)
    impostor.answer = says(bomb, headers={"Content-Encoding": "gzip"})
    assert (await refusal_of(impostor)).fault is Fault.UNAVAILABLE


async def test_a_processor_that_hangs_is_given_up_in_time(local: LocalProcessor) -> None:
    local.control.faults.add(Injected(kind="hang", times=None))
    async with stripe_at(local.url, BRIEF) as processor:
        began = time.monotonic()
        with pytest.raises(ProcessorError) as refused:
            await processor.intent("pi_1")
    assert refused.value.fault is Fault.UNAVAILABLE
    assert "in time" in refused.value.reason
    assert time.monotonic() - began < 10


async def test_one_that_drips_is_given_up_in_time_as_well(impostor: Impostor) -> None:
    async def drip(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(1000):
            await response.write(b" ")
            await asyncio.sleep(0.02)
        return response

    impostor.answer = drip
    error = await refusal_of(impostor, BRIEF)
    assert error.fault is Fault.UNAVAILABLE
    assert "in time" in error.reason


async def test_an_answer_that_breaks_off(impostor: Impostor) -> None:
    async def half(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(request)
        await response.write(b"{")
        assert request.transport is not None
        request.transport.abort()
        return response

    impostor.answer = half
    assert (await refusal_of(impostor)).fault is Fault.UNAVAILABLE
    assert len(impostor.asked) == 1 + REPETITIONS


async def test_nobody_is_there(local: LocalProcessor) -> None:
    await local.control.refuse_connections()
    async with stripe_at(local.url, SMALL) as processor:
        with pytest.raises(ProcessorError) as refused:
            await processor.check()
        assert refused.value.fault is Fault.UNAVAILABLE
        assert processor.problem is not None
        assert local.url.removeprefix("http://") not in processor.problem
        await local.control.accept_connections()
        for _ in range(2):
            await processor.check()
        assert processor.problem is None


@pytest.mark.parametrize("kind", ["server_error", "dropped"])
async def test_a_call_is_repeated_with_its_key_as_often_as_allowed(local: LocalProcessor, kind: str) -> None:
    local.control.faults.add(Injected.model_validate({"kind": kind, "times": 2}))
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async with stripe_at(local.url, FAST, sleep=sleep) as processor:
        made = await processor.create_customer(ACCOUNT, None, "customer-of-a11ce")
        assert [seen.idempotency_key for seen in local.control.seen] == ["customer-of-a11ce"] * 3
        assert len(waits) == 2
        assert all(0.5 <= wait <= 5 for wait in waits)
        local.control.faults.add(Injected.model_validate({"kind": kind, "times": 3}))
        with pytest.raises(ProcessorError) as refused:
            await processor.create_customer(ACCOUNT + 1, None, "customer-of-another")
        assert refused.value.fault is Fault.UNAVAILABLE
        assert [customer.id for customer in await processor.customers_since(0)] == [made.id]


async def test_too_many_requests_are_not_repeated_at_once(local: LocalProcessor) -> None:
    local.control.faults.add(Injected(kind="rate_limit", retry_after_s=None))
    async with stripe_at(local.url, {**FAST, "too_many_rest_s": 0.2}) as processor:
        began = time.monotonic()
        with pytest.raises(ProcessorError) as refused:
            await processor.check()
        assert refused.value.fault is Fault.UNAVAILABLE
        assert "too many requests" in refused.value.reason
        assert len(local.control.seen) == 1
        await processor.check()
        assert time.monotonic() - began >= 0.2


@pytest.mark.parametrize(("status", "advice", "asked"), [(500, "false", 1), (429, "true", 3), (400, "true", 3)])
async def test_the_processors_advice_on_repeating_is_taken(
    impostor: Impostor, status: int, advice: str, asked: int
) -> None:
    impostor.answer = says(error_body(message=ECHO), status, {"Stripe-Should-Retry": advice, "Retry-After": "0"})
    await refusal_of(impostor)
    assert len(impostor.asked) == asked


async def test_what_cannot_be_sent_is_refused_and_not_asked_for_ever(impostor: Impostor) -> None:
    async with stripe_at(impostor.url, SMALL) as processor:
        with pytest.raises(ProcessorError) as refused:
            await processor.create_customer(ACCOUNT, "half\ud800@mail.example", "customer-of-a11ce")
    assert refused.value.fault is Fault.REFUSED
    assert impostor.asked == []


async def test_no_more_are_asked_at_once_than_allowed(impostor: Impostor) -> None:
    now = most = 0

    async def work(_request: web.Request) -> web.StreamResponse:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.02)
        now -= 1
        return web.json_response(customer("cus_1"))

    impostor.answer = work
    async with stripe_at(impostor.url, {**FAST, "concurrent_max": 2}) as processor:
        await asyncio.gather(*(processor.create_customer(n, None, f"customer-of-{n}-and-more") for n in range(12)))
    assert most == 2


async def test_a_list_that_promises_more_and_gives_nothing(impostor: Impostor) -> None:
    impostor.answer = says(listed(more=True))
    async with stripe_at(impostor.url, SMALL) as processor:
        for asked in (processor.customers_since(0), processor.balance_transactions("cus_1", "cbtxn_1")):
            with pytest.raises(ProcessorError, match="gives nothing"):
                await asked
    assert len(impostor.asked) == 2


async def test_a_balance_in_another_currency_is_not_counted_in_cents(impostor: Impostor) -> None:
    euros, dollars = (
        {
            "id": f"cbtxn_{currency}", "object": "customer_balance_transaction", "amount": -900, "currency": currency,
            "metadata": None, "created": 1, "type": "adjustment",
        }
        for currency in ("eur", "usd")
    )  # fmt: skip
    impostor.answer = says(listed(euros, dollars))
    async with stripe_at(impostor.url, SMALL) as processor:
        for after in (None, "cbtxn_before"):
            changes = await processor.balance_transactions("cus_1", after)
            assert [(change.id, change.cause) for change in changes] == [("cbtxn_usd", None)]


async def test_a_list_without_end_ends(impostor: Impostor) -> None:
    impostor.answer = says(listed(customer("cus_1"), customer("cus_2"), more=True))
    async with stripe_at(impostor.url, {**SMALL, "listed_max": 20}) as processor:
        with pytest.raises(ProcessorError, match="more than 20"):
            await processor.customers_since(0)
    assert len(impostor.asked) == 11
    assert "starting_after=cus_2" in impostor.asked[-1][0]


async def test_a_caller_that_goes_away_leaves_nothing_behind(local: LocalProcessor) -> None:
    local.control.faults.add(Injected(kind="hang", times=1))
    async with stripe_at(local.url, {**FAST, "concurrent_max": 1}) as processor:
        asking = asyncio.create_task(processor.check())
        await local.control.faults.someone_hangs()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        async with asyncio.timeout(10):
            await processor.check()
        assert processor.problem is None


@pytest.mark.parametrize(
    ("name", "vouched", "passes"),
    [
        ("localhost", True, True),
        ("localhost", False, False),
        ("api.example", True, False),
    ],
)
async def test_a_certificate_that_is_not_its_own_is_not_given_the_key(
    tmp_path: Path, name: str, vouched: bool, passes: bool
) -> None:
    made = await SelfSigned(name, 3600.0, time.time).issue()
    authorities = tmp_path / "authorities.pem"
    authorities.write_bytes(made.certificate.chain_pem)
    async with Impostor().serving(server_context(made)) as impostor:
        impostor.answer = says(customer("cus_1"))
        async with stripe_at(impostor.url, FAST, trust=own_trust(authorities) if vouched else None) as processor:
            if passes:
                await processor.create_customer(ACCOUNT, None, "customer-of-a11ce")
            else:
                with pytest.raises(ProcessorError, match="TLS failed"):
                    await processor.create_customer(ACCOUNT, None, "customer-of-a11ce")
        assert len(impostor.asked) == int(passes)

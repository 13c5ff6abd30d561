"""The billing endpoints and the webhook over HTTP, the processor calling."""

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from node.api.errors import ErrorCode, NodeError
from node.billing.routes import endpoints
from node.billing.service import BillingService
from node.http.endpoint import AnyEndpoint
from node.http.rate import ClientAddresses
from node.ledger.port import Posting, Source
from node.permissions.grants import Caller, Grants
from node.settings.credits import ProcessorSettings
from node.values import hash_of_text, new_key
from tests.support.http_server import Server, World, serving
from tests.support.payments import PaymentWorld, pay

ALICE, MALLORY = 0xA11CE, 0x3A1
WEBHOOK = "/billing/webhook"
JSON = {"Content-Type": "application/json; charset=utf-8"}


@pytest.fixture
def key() -> str:
    return new_key()


@pytest.fixture
async def server(world: PaymentWorld, tmp_path: Path, key: str) -> AsyncIterator[Server]:
    http = World(tmp_path, clock=world.clock)
    http.keys.callers[hash_of_text(key)] = Caller(hash_of_text(key), ALICE, True, Grants())
    async with serving(_endpoints(world), http) as running:
        world.local.control.webhooks.url = f"http://127.0.0.1:{running.port}/core/v1{WEBHOOK}"
        yield running


def _endpoints(world: PaymentWorld) -> list[AnyEndpoint]:
    return endpoints(BillingService(world.ledger, world.room))


def signed(payload: bytes, at: float, secret: str = "whsec_local") -> dict[str, str]:
    """The header as the processor documents it, made here by hand."""
    mac = hmac.new(secret.encode(), f"{int(at)}.".encode() + payload, hashlib.sha256).hexdigest()
    return JSON | {"Stripe-Signature": f"t={int(at)},v1={mac}"}


async def test_a_whole_payment(server: Server, world: PaymentWorld, key: str) -> None:
    config = await server.call("GET", "/billing/processor_config")
    begun = await server.call("POST", "/billing/create_payment_intent", body={"amount_cents": 500}, key=key)
    assert (config.body, begun.status) == ({"publishable_key": "pk_test_local"}, 200)
    asked = {"payment_intent_id": begun.body["payment_intent_id"]}

    early = await server.call("POST", "/billing/confirm_payment", body=asked, key=key)
    assert (early.status, early.body["details"]) == (409, {"status": "open"})
    world.local.control.webhooks.mode = "drop"
    await pay(world.local, begun.body["client_secret"])
    for _ in range(2):
        done = await server.call("POST", "/billing/confirm_payment", body=asked, key=key)
        assert (done.status, done.body) == (200, {"success": True, "credited_cents": 500, "balance_cents": -500})


@pytest.mark.parametrize("cents", [499, 0, -500, 500.5, "500", None])
async def test_less_than_the_minimum_is_refused(server: Server, key: str, cents: object) -> None:
    refused = await server.call("POST", "/billing/create_payment_intent", body={"amount_cents": cents}, key=key)
    assert refused.status == 400


async def test_the_same_idempotency_key_is_the_same_payment(server: Server, world: PaymentWorld, key: str) -> None:
    headers = {"Idempotency-Key": "k" * 22}
    answers = [
        await server.call(
            "POST", "/billing/create_payment_intent", body={"amount_cents": 500}, key=key, headers=headers
        )
        for _ in range(2)
    ]
    assert answers[0].body == answers[1].body
    assert len(list(world.local.control.store.payment_intents.oldest_first())) == 1


async def test_a_closed_tab_is_credited_by_the_webhook(server: Server, world: PaymentWorld) -> None:
    await world.bought(ALICE, 800)
    await world.local.control.webhooks.settled()

    assert await world.credit(ALICE) == 800


async def test_ten_webhooks_credit_once(server: Server, world: PaymentWorld) -> None:
    webhooks = world.local.control.webhooks
    webhooks.copies = 10
    await world.bought(ALICE, 800)
    await webhooks.settled()
    for event in list(world.local.control.store.events.oldest_first()):
        assert [await webhooks.resend(event.id) for _ in range(3)] == [200] * 3

    assert await world.credit(ALICE) == 800


async def test_webhook_and_confirm_racing_credit_once(server: Server, world: PaymentWorld, key: str) -> None:
    webhooks = world.local.control.webhooks
    webhooks.mode, webhooks.copies = "hold", 10
    intent = await world.bought(ALICE, 800)
    asked = {"payment_intent_id": intent}

    calls = [server.call("POST", "/billing/confirm_payment", body=asked, key=key) for _ in range(10)]
    answers, _ = await asyncio.gather(asyncio.gather(*calls), webhooks.release())
    await webhooks.settled()

    expected = {"success": True, "credited_cents": 800, "balance_cents": -800}
    assert [answer.body for answer in answers] == [expected] * 10
    assert await world.credit(ALICE) == 800


async def test_events_in_the_wrong_order_add_up(server: Server, world: PaymentWorld) -> None:
    webhooks = world.local.control.webhooks
    webhooks.mode = "hold"
    intent = await world.bought(ALICE, 800)
    await world.refund(intent, 300)
    await webhooks.release(newest_first=True)
    await webhooks.settled()

    assert await world.credit(ALICE) == 500


async def test_nobody_but_the_processor_is_heard(server: Server, world: PaymentWorld) -> None:
    world.local.control.webhooks.mode = "drop"
    await world.bought(ALICE, 800)
    event = next(
        event for event in world.local.control.store.events.newest_first() if event.type == "payment_intent.succeeded"
    )
    payload = json.dumps(event.shown()).encode()
    now = world.clock()
    for headers in (
        JSON,
        signed(payload, now, "whsec_other"),
        signed(payload, now - 301),
        signed(payload, now + 301),
        signed(payload + b" ", now),
        JSON | {"Stripe-Signature": ""},
        JSON | {"Stripe-Signature": f"t={int(now)},v1="},
    ):
        refused = await server.call("POST", WEBHOOK, data=payload, headers=headers)
        assert (refused.status, refused.body["error"]) == (400, "bad_request")
    assert await world.credit(ALICE) == 0

    assert (await server.call("POST", WEBHOOK, data=payload, headers=signed(payload, now))).body == {"received": True}
    assert await world.credit(ALICE) == 800


async def test_the_webhook_is_described(server: Server) -> None:
    async with server.session.get(f"http://127.0.0.1:{server.port}/core/v1/openapi.json") as response:
        document = await response.json()
    OpenAPIV31SpecValidator(document).validate()
    webhook = document["paths"][WEBHOOK]["post"]
    assert webhook["security"] == []
    assert ("Stripe-Signature", True) in [(each["name"], each.get("required")) for each in webhook["parameters"]]
    assert webhook["requestBody"]["content"].keys() == {"application/json"}
    assert {"200", "400", "413", "503"} <= webhook["responses"].keys()


async def test_what_is_signed_and_no_event_is_refused(server: Server, world: PaymentWorld) -> None:
    for payload in (b"", b"{}", b"[1]", b"\xff", b'{"id": "evt_1"}'):
        refused = await server.call("POST", WEBHOOK, data=payload, headers=signed(payload, world.clock()))
        assert refused.status == 400


async def test_too_large_a_call_is_refused_before_its_signature_is_computed(
    server: Server, world: PaymentWorld
) -> None:
    payload = b" " * (512 * 1024 + 1)
    refused = await server.call("POST", WEBHOOK, data=payload, headers=signed(payload, world.clock()))
    assert (refused.status, refused.body["error"]) == (413, "payload_too_large")


async def test_while_the_ledger_is_out_the_processor_is_asked_to_come_back(
    server: Server, world: PaymentWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhooks = world.local.control.webhooks
    webhooks.mode = "hold"
    await world.bought(ALICE, 800)

    async def out(*_: object) -> bool:
        raise NodeError(ErrorCode.BILLING_UNAVAILABLE, "out", retry_after_s=1)

    with monkeypatch.context() as patched:
        patched.setattr(type(world.ledger), "post", out)
        for event in list(world.local.control.store.events.oldest_first()):
            if event.type == "payment_intent.succeeded":
                assert await webhooks.resend(event.id) == 503
    assert await world.credit(ALICE) == 0
    await webhooks.release()
    await webhooks.settled()
    assert await world.credit(ALICE) == 800


async def test_thousands_of_unsigned_calls_throttle_no_genuine_one(server: Server, world: PaymentWorld) -> None:
    world.local.control.webhooks.mode = "hold"
    await world.bought(ALICE, 800)
    for _ in range(300):
        await server.call("POST", WEBHOOK, data=b"{}", headers=JSON)
    await world.local.control.webhooks.release()
    await world.local.control.webhooks.settled()

    assert await world.credit(ALICE) == 800
    assert await world.room.sweep()


async def test_without_a_processor_there_is_nothing_to_buy(world: PaymentWorld, tmp_path: Path, key: str) -> None:
    http = World(tmp_path)
    http.keys.callers[hash_of_text(key)] = Caller(hash_of_text(key), ALICE, True, None)
    async with serving(endpoints(BillingService(world.ledger)), http) as server:
        for method, path, body in (
            ("GET", "/billing/processor_config", None),
            ("POST", "/billing/create_payment_intent", {"amount_cents": 500}),
            ("POST", "/billing/confirm_payment", {"payment_intent_id": "pi_1"}),
            ("POST", WEBHOOK, {}),
        ):
            refused = await server.call(method, path, body=body, key=key)
            assert (refused.status, refused.body["error"]) == (503, "billing_disabled")
        balance = await server.call("GET", "/billing/balance", key=key)
        assert balance.body["credit_cents"] == 0


async def test_debts_are_shown_with_the_processors_sign(server: Server, world: PaymentWorld, key: str) -> None:
    await world.ledger.post(Posting("refund:re_1", ALICE, Source.CARD, -1_234_567))
    balance = (await server.call("GET", "/billing/balance", key=key)).body
    assert (balance["balance_cents"], balance["credit_cents"], balance["balance_display"]) == (124, -124, "-$1.24")


async def test_who_has_a_usage_key_cannot_keep_the_account_from_paying(
    world: PaymentWorld, tmp_path: Path, key: str
) -> None:
    http, leaked = World(tmp_path, clock=world.clock), new_key()
    http.keys.callers[hash_of_text(key)] = Caller(hash_of_text(key), ALICE, True, None)
    http.keys.callers[hash_of_text(leaked)] = Caller(hash_of_text(leaked), ALICE, True, Grants())
    begin = ("POST", "/billing/create_payment_intent")
    async with serving(_endpoints(world), http) as server:
        for _ in range(ProcessorSettings().processor_begun_per_minute_per_account):
            assert (await server.call(*begin, body={"amount_cents": 500}, key=leaked)).status == 200
        assert (await server.call(*begin, body={"amount_cents": 500}, key=leaked)).status == 429
        intent = (await server.call(*begin, body={"amount_cents": 500}, key=key)).body
        await pay(world.local, intent["client_secret"])
        paid = {"payment_intent_id": intent["payment_intent_id"]}
        assert (await server.call("POST", "/billing/confirm_payment", body=paid, key=key)).status == 200


async def test_an_address_begins_so_many_payments_an_hour_whatever_accounts_it_has(
    world: PaymentWorld, tmp_path: Path
) -> None:
    """Accounts are free: whoever tries stolen cards opens one for each few of them."""
    http, keys = World(tmp_path, clock=world.clock), [new_key() for _ in range(9)]
    for account, key in enumerate(keys, start=1):
        http.keys.callers[hash_of_text(key)] = Caller(hash_of_text(key), account, True, None)
    begin, most = ("POST", "/billing/create_payment_intent"), ProcessorSettings().processor_begun_per_hour_per_address
    async with serving(_endpoints(world), http, addresses=ClientAddresses(["127.0.0.1"])) as server:
        replies = []
        for number in range(most + 10):  # of one client, who has a whole IPv6 network
            headers = {"X-Forwarded-For": f"2001:db8::{number + 1:x}"}
            key = keys[number % (len(keys) - 1)]
            replies.append(await server.call(*begin, body={"amount_cents": 500}, key=key, headers=headers))
        assert [reply.status for reply in replies] == [200] * most + [429] * 10
        assert replies[-1].body["details"] == {"limit": "processor_begun_per_hour_per_address"}
        assert int(replies[-1].headers["Retry-After"]) > 60
        assert len(list(world.local.control.store.payment_intents.oldest_first())) == most
        elsewhere = {"X-Forwarded-For": "2001:db8:0:1::1"}
        assert (await server.call(*begin, body={"amount_cents": 500}, key=keys[-1], headers=elsewhere)).status == 200


async def test_an_address_looks_at_unfinished_payments_so_often_whatever_accounts_it_has(
    world: PaymentWorld, tmp_path: Path
) -> None:
    http, keys = World(tmp_path, clock=world.clock), [new_key() for _ in range(4)]
    for account, key in enumerate(keys, start=1):
        http.keys.callers[hash_of_text(key)] = Caller(hash_of_text(key), account, True, None)
    begin, look = ("POST", "/billing/create_payment_intent"), ("POST", "/billing/confirm_payment")
    async with serving(_endpoints(world), http) as server:
        begun = [(await server.call(*begin, body={"amount_cents": 500}, key=key)).body for key in keys]
        statuses, started_s = list[int](), time.monotonic()
        for key, intent in zip(keys, begun, strict=True):
            asked = {"payment_intent_id": intent["payment_intent_id"]}
            statuses += [(await server.call(*look, body=asked, key=key)).status for _ in range(50)]
        assert set(statuses) == {409, 429}
        # 120 a minute, all at once or as they come: a busy machine takes longer, and may look more often.
        assert 120 <= statuses.count(409) <= 121 + 2 * (time.monotonic() - started_s)
        await pay(world.local, begun[-1]["client_secret"])
        await world.room.sweep()
        asked = {"payment_intent_id": begun[-1]["payment_intent_id"]}  # what is credited costs the processor nothing
        assert (await server.call(*look, body=asked, key=keys[-1])).status == 200

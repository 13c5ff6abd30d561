"""Answers that a hostile node may give: whatever it sends, callers see SvcError, and a thing is never done twice."""

import asyncio
import inspect
import json
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from svc_client import (
    ApiError,
    AsyncClient,
    Client,
    Conflict,
    InvalidAnswer,
    InvalidArgument,
    RateLimited,
    SvcError,
    Unanswered,
    Unavailable,
    Unreachable,
    models,
)
from tests.support.client_attacks import SECRET, Attack
from tests.support.instances import Instance, running_app

Reply = Callable[[web.BaseRequest], web.Response]


@dataclass
class Replying(Instance):
    """An accepted node that answers as a test has it."""

    reply: Reply = field(default=lambda _: web.Response())
    transports: set[asyncio.Transport] = field(default_factory=set)
    """All of them, kept: the id of one that is gone may be given to the next."""
    resumed: list[bool] = field(default_factory=list)

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        assert request.transport is not None
        if request.transport not in self.transports:
            self.transports.add(request.transport)
            self.resumed.append(request.transport.get_extra_info("ssl_object").session_reused)
        return await super().answer(request)

    def _response(self, request: web.BaseRequest) -> web.Response:
        return self.reply(request) if request.path.startswith("/core/v1") else super()._response(request)


def says(body: bytes, status: int = 200, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: web.Response(status=status, body=body, content_type="application/json", headers=named)


GARBAGE = {
    "nothing": b"",
    "no JSON": b"<html>",
    "no text": b"\xff\xfe\x00",
    "null": b"null",
    "a number": b"1",
    "a text": b'"x"',
    "a list of numbers": b"[1, 2]",
    "an empty object": b"{}",
    "wrong types": b'{"success": {}, "response": 1, "logs": [], "block_number": "x", "balance_cents": null}',
    "deeply nested": b"[" * 100_000,
    "a deeply nested object": b'{"a":' * 100_000,
    "a huge number": b'{"block_number": ' + b"9" * 5_000 + b"}",
    "lone surrogates": b'{"wallet_address": "\\ud800", "api_key": "\\ud800"}',
    "a name twice": b'{"success": true, "success": false}',
    "an error that is none": b'{"has_error": true, "error": 5, "logs": {}, "charged_cents": "x"}',
}
METHODS: dict[str, Callable[[AsyncClient], Any]] = {
    "account.create": lambda svc: svc.account.create("a"),
    "account.exists": lambda svc: svc.account.exists(),
    "wallets": lambda svc: svc.wallets,
    "wallets.create": lambda svc: svc.wallets.create(),
    "groups.create": lambda svc: svc.groups.create("a"),
    "groups.remove": lambda svc: svc.groups.remove(1),
    "actions.run": lambda svc: svc.actions.run("code"),
    "actions.cid": lambda svc: svc.actions.cid("code"),
    "actions.in_group": lambda svc: svc.actions.in_group("1&page_size=0"),
    "usage_keys": lambda svc: svc.usage_keys,
    "usage_keys.create": lambda svc: svc.usage_keys.create("a"),
    "billing.balance": lambda svc: svc.billing.balance(),
    "billing.usage": lambda svc: svc.billing.usage(),
    "billing.usage_csv": lambda svc: svc.billing.usage_csv(),
    "billing.token_config": lambda svc: svc.billing.token_config(),
    "billing.publishable_key": lambda svc: svc.billing.publishable_key(),
    "node.chain": lambda svc: svc.node.chain(),
    "node.health": lambda svc: svc.node.health(),
    "node.limits": lambda svc: svc.node.limits(),
    "node.payers": lambda svc: svc.node.payers(),
    "node.account_contract_abi": lambda svc: svc.node.account_contract_abi(),
    "explain": lambda svc: svc.explain(code="a"),
}


async def used(made: Any) -> Any:
    return await made if inspect.isawaitable(made) else [each async for each in made]


async def error_of(made: Any) -> SvcError | None:
    try:
        await used(made)
    except SvcError as error:
        return error
    return None


@pytest.mark.parametrize(
    "status",
    [
        200,
        400,
        *(pytest.param(each, marks=pytest.mark.exhaustive) for each in (201, 204, 206, 299, 401, 409, 418, 500, 599)),
    ],
)
async def test_no_foreign_error_comes_out(status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every method against every garbage: an answer of the promised type, or SvcError that names no value."""
    node = Replying("a")
    async with running_app(node) as app:
        Attack(app, tmp_path, monkeypatch)
        async with AsyncClient(app.origin, SECRET, trust="of the test") as svc:
            for body in GARBAGE.values():
                node.reply = says(body, status, X_Authorized_At_Block="\u00b2")
                for method in METHODS.values():
                    error = await error_of(method(svc))
                    assert SECRET not in repr(error)
                    assert len(str(error)) < 5_000
                    assert status < 300 or isinstance(error, ApiError)


async def test_a_charge_that_the_node_does_not_know_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node = Replying("a", reply=says(b'{"error": "told", "message": "m", "details": {"charged_cents": null}}', 503))
    async with running_app(node) as app:
        Attack(app, tmp_path, monkeypatch)
        async with AsyncClient(app.origin, SECRET, trust="of the test") as svc:
            with pytest.raises(Unavailable) as told:
                await svc.actions.run("code")
    assert told.value.details == {"charged_cents": None}


async def test_a_list_without_an_end_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("svc_client.aio._PAGES", 5)
    item = {"id": "1", "hashed_cid": "0x", "name": "", "description": "", "action_ipfs_cid": None}
    node = Replying("a", reply=says(json.dumps([item] * 100).encode()))
    async with running_app(node) as app:
        Attack(app, tmp_path, monkeypatch)
        async with AsyncClient(app.origin, SECRET, trust="of the test") as svc:
            with pytest.raises(InvalidAnswer, match="no end"):
                await used(svc.actions.in_group("1&page_number=9#x"))
        assert [path for _, path, _ in node.told] == [
            f"/core/v1/list_actions?group_id=1%26page_number%3D9%23x&page_number={page}&page_size=100"
            for page in range(5)
        ]


async def test_no_tls_session_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node = Replying("a", reply=says(b"true"), last_on_connection="/core/v1/account_exists")
    async with running_app(node) as app:
        Attack(app, tmp_path, monkeypatch)
        async with AsyncClient(app.origin, SECRET, trust="of the test") as svc:
            for _ in range(5):
                assert await svc.account.exists()
    assert len(node.resumed) >= 6
    assert not any(node.resumed)


@dataclass
class Failing:
    """Fails so many times with a status, then answers. `keys` are the Idempotency-Keys it saw."""

    times: int
    status: int
    headers: dict[str, str] = field(default_factory=dict)
    error: str = "busy"
    details: dict[str, object] = field(default_factory=dict)
    keys: Counter[str] = field(default_factory=Counter)

    def __call__(self, request: web.BaseRequest) -> web.Response:
        self.keys[request.headers.get("Idempotency-Key", "")] += 1
        if sum(self.keys.values()) <= self.times:
            body = json.dumps({"error": self.error, "details": self.details}).encode()
            return web.Response(status=self.status, body=body, headers=self.headers)
        body = b'{"success": true, "wallet_address": "0x0", "response": 1, "logs": "", "duration_ms": 1, "charged_cents": 1}'
        return web.Response(body=body, content_type="application/json")


def keyed(svc: AsyncClient) -> Any:
    return svc.actions.run("c", idempotent=True)


RETRIES = [
    ("a write that is limited", METHODS["wallets.create"], Failing(2, 429, {"Retry-After": "0"}), None, 3),
    ("a write without its database", METHODS["wallets.create"], Failing(1, 503), None, 2),
    ("a write that is not confirmed", METHODS["wallets.create"], Failing(1, 504), None, 2),
    ("a key that another node works on", METHODS["wallets.create"], Failing(1, 409, {"Retry-After": "0"}), None, 2),
    ("a true conflict", METHODS["wallets.create"], Failing(9, 409), Conflict, 1),
    ("credit that is not sold", METHODS["billing.balance"], Failing(9, 503, error="billing_disabled"), Unavailable, 1),
    ("a fault", METHODS["wallets.create"], Failing(9, 500), ApiError, 1),
    ("a run that is limited", METHODS["actions.run"], Failing(1, 429), None, 2),
    ("a run at a node that fails", METHODS["actions.run"], Failing(9, 503), Unavailable, 1),
    ("a run in time-out", METHODS["actions.run"], Failing(9, 504), ApiError, 1),
    ("an idempotent run", keyed, Failing(1, 503), None, 2),
    ("a kept fault of one", keyed, Failing(9, 503, {"Idempotency-Replayed": "true"}), Unavailable, 1),
    (
        "one whose node is gone",
        keyed,
        Failing(9, 409, details={"reason": "outcome_unknown", "charged_cents": 0}),
        Unanswered,
        1,
    ),
    ("later than the deadline", METHODS["wallets.create"], Failing(9, 429, {"Retry-After": "9999"}), RateLimited, 1),
    ("never", METHODS["wallets.create"], Failing(9, 429, {"Retry-After": "9" * 5_000}), RateLimited, 1),
]


@pytest.mark.parametrize(
    ("method", "failing", "error", "times"), [each[1:] for each in RETRIES], ids=[each[0] for each in RETRIES]
)
async def test_what_is_repeated_carries_the_same_key(
    method: Callable[[AsyncClient], Any],
    failing: Failing,
    error: type[SvcError] | None,
    times: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = replace(failing, keys=Counter())
    async with running_app(Replying("a", reply=made)) as app:
        Attack(app, tmp_path, monkeypatch)
        async with AsyncClient(app.origin, SECRET, trust="of the test") as svc:
            if error is None:
                await used(method(svc))
            else:
                with pytest.raises(error):
                    await used(method(svc))
    assert list(made.keys.values()) == [times]
    assert all(re.fullmatch("[A-Za-z0-9_-]{43,255}", key) for key in made.keys if key), "a secret of 256 bits"


@pytest.mark.parametrize(
    ("given", "sent"),
    [({}, 120), ({"timeout_s": 5.5}, 5), ({"timeout_s": 0.5}, 1), ({"timeout_s": 2_000}, 900), ({"max_seconds": 7}, 7)],
)
async def test_a_run_that_goes_on_without_its_client_is_bounded(
    given: dict[str, Any], sent: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node, bodies = Replying("a", reply=Failing(0, 200)), list[dict[str, Any]]()

    async def noted(request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/core/v1/svc_action":
            bodies.append(await request.json())
        return await Replying.answer(node, request)

    monkeypatch.setattr(node, "answer", noted)
    async with running_app(node) as app:
        Attack(app, tmp_path, monkeypatch)
        async with AsyncClient(app.origin, SECRET, trust="of the test") as svc:
            await svc.verify()
            await svc.actions.run("c", idempotent=True, **given)
    assert [body["max_seconds"] for body in bodies] == [sent]


async def test_a_deadline_is_total_and_a_run_without_an_answer_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = Replying("a")
    unanswered = asyncio.Event()

    async def never(request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/core/v1/svc_action":
            node.requests.append((request.method, request.path_qs, {}))
            await unanswered.wait()
        return await Instance.answer(node, request)

    monkeypatch.setattr(node, "answer", never)
    async with running_app(node) as app:
        Attack(app, tmp_path, monkeypatch)
        async with AsyncClient(app.origin, SECRET, trust="of the test") as svc:
            await svc.verify()
            started = time.monotonic()
            with pytest.raises(Unanswered):
                await svc.actions.run("code", timeout_s=1.0)
            assert time.monotonic() - started < 30.0
        unanswered.set()
        assert len(node.told) == 1


async def test_a_node_that_does_not_prove_itself_is_waited_for_no_longer_than_the_call_may_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node, unanswered = Replying("a"), asyncio.Event()

    async def never(_: web.BaseRequest) -> web.StreamResponse:
        await unanswered.wait()
        return web.Response()

    monkeypatch.setattr(node, "answer", never)
    async with running_app(node) as app:
        Attack(app, tmp_path, monkeypatch)
        async with AsyncClient(app.origin, SECRET, trust="of the test", timeout_s=0.3) as svc, asyncio.timeout(20):
            with pytest.raises(Unreachable, match="not verified in time"):
                await svc.node.version()
        unanswered.set()


@pytest.mark.parametrize("key", ["", "a b", "a\r\nX-Evil: 1", "k\u00e9y", "\ud800", "a\x00"])
def test_a_key_that_is_no_header_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        Client("https://localhost:1", key, app_id="0x" + "00" * 20)
    assert not key.strip() or key not in str(refused.value)


@pytest.mark.parametrize(
    "arguments", [{"timeout_s": 0}, {"timeout_s": -1}, {"proxy_url": "socks5://a"}, {"url": "http://a"}]
)
def test_arguments_that_cannot_be_used(arguments: dict[str, Any]) -> None:
    given: dict[str, Any] = {"url": "https://localhost:1", "app_id": "0x" + "00" * 20, **arguments}
    with pytest.raises(InvalidArgument):
        Client(**given)


def test_params_without_a_json_form_are_refused() -> None:
    nested: dict[str, Any] = {}
    nested["self"] = nested
    with Client("https://localhost:1", app_id="0x" + "00" * 20) as svc:
        for params in ({"a": float("nan")}, {"a": b""}, nested):
            with pytest.raises(InvalidArgument):
                svc.actions.run("code", params)  # type: ignore[arg-type]


def test_a_closed_client_says_so() -> None:
    svc = Client("https://localhost:1", app_id="0x" + "00" * 20)
    svc.close()
    svc.close()
    with pytest.raises(InvalidArgument, match="closed"):
        svc.node.version()


async def test_a_closed_asynchronous_client_says_so() -> None:
    svc = AsyncClient("https://localhost:1", app_id="0x" + "00" * 20)
    await svc.close()
    with pytest.raises(InvalidArgument, match="closed"):
        await svc.node.version()


def test_secrets_are_in_no_text_of_an_object() -> None:
    client = Client("https://localhost:1", SECRET, app_id="0x" + "00" * 20, rpc_urls=[f"https://rpc/{SECRET}"])
    made = models.NewAccount(success=True, api_key=SECRET, wallet_address="0x0")
    key = models.NewUsageKey(success=True, usage_api_key=SECRET)
    for each in (
        client,
        client._transport,
        client._transport._transport,
        client._transport._transport._trusted,
        made,
        key,
    ):
        assert SECRET not in f"{each!r} {each}"

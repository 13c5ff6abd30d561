"""The guest agent's client against agents that are slow, broken or hostile: always an AttestError, always in time."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from attest.errors import AttestError, AttestErrorCode
from attest.guest_agent import GuestAgent
from tests.support.agents import Conversation, answering, endless, guest_agent, half, silent, with_body
from tests.support.quotes import quote_answer, quote_bytes

PATIENT = {"connect_timeout_s": 30.0, "call_timeout_s": 30.0, "quote_timeout_s": 30.0}


@pytest.fixture(autouse=True)
def _small_responses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attest.guest_agent.RESPONSE_MAX_BYTES", 100_000)


GRACE_S = 10.0
"""What a machine with other work may take beside a timeout."""

Ask = Callable[[GuestAgent], Awaitable[object]]
ASKS: dict[str, Ask] = {
    "Info": lambda agent: agent.info(),
    "Version": lambda agent: agent.version(),
    "GetKey": lambda agent: agent.get_key("p", "q"),
    "GetQuote": lambda agent: agent.get_quote(bytes(64)),
    "GetTlsKey": lambda agent: agent.get_tls_key("node.example", ["node.example"]),
}

SECRET = "5e" * 32
CHAIN = ["11" * 65, "22" * 65]

MISBEHAVIOURS: dict[str, tuple[Conversation, AttestErrorCode]] = {
    "silent": (silent, AttestErrorCode.TIMEOUT),
    "half an answer": (half, AttestErrorCode.TIMEOUT),
    "hangs up": (answering(b""), AttestErrorCode.UNREACHABLE),
    "no HTTP": (answering(b"\x00\xff garbage\r\n\r\n"), AttestErrorCode.UNREACHABLE),
    "cut off": (answering(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"), AttestErrorCode.UNREACHABLE),
    "huge head": (answering(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000 + b"\r\n\r\n"), AttestErrorCode.UNREACHABLE),
    "endless": (endless, AttestErrorCode.ANSWER_TOO_LARGE),
    "too long": (with_body(b" " * 100_001), AttestErrorCode.ANSWER_TOO_LARGE),
    "its error": (with_body(b'{"error": "no"}', "400 Bad Request"), AttestErrorCode.REFUSED),
    "internal error": (with_body(b"<html>", "500 Internal Server Error"), AttestErrorCode.REFUSED),
    "redirect": (with_body(b"", "302 Found", b"Location: http://127.0.0.1:1/\r\n"), AttestErrorCode.REFUSED),
    "no content": (answering(b"HTTP/1.1 204 No Content\r\n\r\n"), AttestErrorCode.REFUSED),
    "empty": (with_body(b""), AttestErrorCode.MALFORMED_ANSWER),
    "no JSON": (with_body(b"<html></html>"), AttestErrorCode.MALFORMED_ANSWER),
    "no UTF-8": (with_body(b'"\xff\xfe"'), AttestErrorCode.MALFORMED_ANSWER),
    "a list": (with_body(b"[]"), AttestErrorCode.MALFORMED_ANSWER),
    "null": (with_body(b"null"), AttestErrorCode.MALFORMED_ANSWER),
    "empty object": (with_body(b"{}"), AttestErrorCode.MALFORMED_ANSWER),
    "deeply nested": (with_body(b"[" * 90_000), AttestErrorCode.MALFORMED_ANSWER),
    "compressed": (with_body(b"{}", headers=b"Content-Encoding: gzip\r\n"), AttestErrorCode.MALFORMED_ANSWER),
}


@pytest.mark.parametrize("method", ASKS)
@pytest.mark.parametrize("behaviour", MISBEHAVIOURS)
async def test_a_misbehaving_agent_is_a_typed_error_in_time(sockets: Path, method: str, behaviour: str) -> None:
    converse, code = MISBEHAVIOURS[behaviour]
    # Who answers at all is given the time to on a machine with other work.
    slow = {"call_timeout_s": 0.3, "quote_timeout_s": 0.3} if code is AttestErrorCode.TIMEOUT else {}
    timeouts = PATIENT | slow
    started = time.monotonic()
    async with guest_agent(sockets / "s", converse) as endpoint, GuestAgent(endpoint, **timeouts) as agent:
        with pytest.raises(AttestError) as refused:
            await ASKS[method](agent)
    assert refused.value.code is code
    assert refused.value.message.startswith(f"{method}:")
    assert refused.value.__cause__ is None
    assert time.monotonic() - started < timeouts["quote_timeout_s"] + GRACE_S


@pytest.mark.parametrize("endpoint", ["/nonexistent/dstack.sock", "http://127.0.0.1:1", "/" + "x" * 200, "http://", ""])
async def test_an_endpoint_where_nothing_listens_is_unreachable(endpoint: str) -> None:
    async with GuestAgent(endpoint, **PATIENT) as agent:
        with pytest.raises(AttestError) as refused:
            await agent.info()
    assert refused.value.code is AttestErrorCode.UNREACHABLE


TCB_INFO: dict[str, Any] = {
    "mrtd": "00" * 48,
    **{f"rtmr{n}": "00" * 48 for n in range(4)},
    "compose_hash": "00" * 32,
    "app_compose": "{}",
    "event_log": [],
}
INFO: dict[str, Any] = {"app_id": "AA" * 20, "instance_id": "", "tcb_info": json.dumps(TCB_INFO), "added_later": 1}
QUOTE: dict[str, Any] = dict(quote_answer())
TLS_KEY: dict[str, Any] = {"key": "-----BEGIN PRIVATE KEY-----" + SECRET, "certificate_chain": ["leaf", "ca"]}
KEY: dict[str, Any] = {"key": SECRET, "signature_chain": CHAIN}


def _body(answer: object) -> Conversation:
    return with_body(json.dumps(answer).encode())


async def test_what_newer_agents_add_is_ignored_and_hex_may_be_upper_case(sockets: Path) -> None:
    async with guest_agent(sockets / "s", _body(INFO)) as endpoint, GuestAgent(endpoint, **PATIENT) as agent:
        info = await agent.info()
    assert info.app_id == b"\xaa" * 20
    assert info.tcb_info.app_compose == "{}"


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("Info", {**INFO, "app_id": "00" * 19}),
        ("Info", {**INFO, "app_id": 5}),
        ("Info", {**INFO, "tcb_info": TCB_INFO}),
        ("Info", {**INFO, "tcb_info": "{"}),
        ("Info", {**INFO, "tcb_info": "[" * 50_000}),
        ("Info", {**INFO, "tcb_info": json.dumps({**TCB_INFO, "rtmr3": "00" * 47})}),
        ("Info", {**INFO, "tcb_info": json.dumps({**TCB_INFO, "app_compose": {}})}),
        ("Info", {**INFO, "tcb_info": json.dumps({**TCB_INFO, "event_log": [{"imr": 9, "event_type": 1}]})}),
        ("Info", {**INFO, "tcb_info": json.dumps({**TCB_INFO, "event_log": [{"event_type": 1}]})}),
        ("GetQuote", {**QUOTE, "report_data": "01" + "00" * 63}),
        ("GetQuote", {**QUOTE, "report_data": "00" * 63}),
        ("GetQuote", {**QUOTE, "quote": ""}),
        ("GetQuote", {**QUOTE, "quote": "0 00"}),
        ("GetQuote", {**QUOTE, "quote": "0x00"}),
        ("GetQuote", {**QUOTE, "quote": quote_bytes(bytes(64)).hex()[:-2]}),
        ("GetQuote", {**QUOTE, "quote": quote_bytes(b"\1" * 64).hex()}),
        ("GetQuote", {**QUOTE, "quote": "03" + QUOTE["quote"][2:]}),
        ("GetQuote", {**QUOTE, "event_log": []}),
        ("GetQuote", {**QUOTE, "event_log": "{}"}),
        ("GetQuote", {**QUOTE, "event_log": "[1]"}),
        ("GetQuote", {**QUOTE, "event_log": '[{"imr": 4, "event_type": 1}]'}),
        ("GetQuote", {**QUOTE, "vm_config": "[]"}),
        ("GetTlsKey", {**TLS_KEY, "certificate_chain": []}),
        ("GetTlsKey", {"key": SECRET}),
        ("GetKey", {**KEY, "key": SECRET + "00"}),
        ("GetKey", {**KEY, "key": SECRET[:-1] + "z"}),
        ("GetKey", {**KEY, "signature_chain": CHAIN[:1]}),
        ("GetKey", {**KEY, "signature_chain": [*CHAIN, CHAIN[0]]}),
        ("GetKey", {**KEY, "signature_chain": ["11" * 64, CHAIN[1]]}),
        ("GetKey", {"key": SECRET}),
    ],
)
async def test_an_answer_of_another_shape_is_malformed_and_never_quoted(
    sockets: Path, method: str, answer: object
) -> None:
    async with guest_agent(sockets / "s", _body(answer)) as endpoint, GuestAgent(endpoint, **PATIENT) as agent:
        with pytest.raises(AttestError) as refused:
            await ASKS[method](agent)
    assert refused.value.code is AttestErrorCode.MALFORMED_ANSWER
    assert SECRET[:16] not in str(refused.value) + repr(vars(refused.value))
    assert refused.value.__cause__ is None


async def test_a_quote_is_kept_as_the_agent_gave_it(sockets: Path) -> None:
    async with guest_agent(sockets / "s", _body(QUOTE)) as endpoint, GuestAgent(endpoint, **PATIENT) as agent:
        quote = await agent.get_quote(bytes(64))
    assert (quote.event_log, quote.vm_config) == (QUOTE["event_log"], QUOTE["vm_config"])
    assert quote.quote == quote_bytes(bytes(64))


async def test_a_tls_key_does_not_print(sockets: Path) -> None:
    async with guest_agent(sockets / "s", _body(TLS_KEY)) as endpoint, GuestAgent(endpoint, **PATIENT) as agent:
        answer = await agent.get_tls_key("node.example")
    assert SECRET not in f"{answer!r} {answer} {vars(answer)} {answer.model_dump()} {answer.model_dump_json()}"
    assert answer.certificate_chain == ("leaf", "ca")
    assert answer.key.get_secret_value() == TLS_KEY["key"]


async def test_a_derived_key_does_not_print(sockets: Path) -> None:
    async with guest_agent(sockets / "s", _body(KEY)) as endpoint, GuestAgent(endpoint, **PATIENT) as agent:
        answer = await agent.get_key("p", "q")
    shown = f"{answer!r} {answer} {vars(answer)} {answer.model_dump()} {answer.model_dump_json()}"
    assert SECRET not in shown
    assert repr(bytes.fromhex(SECRET))[2:-1] not in shown
    assert answer.key.get_secret_value().hex() == SECRET


@pytest.mark.parametrize("length", [0, 32, 63, 65])
async def test_report_data_is_exactly_64_bytes(length: int) -> None:
    async with GuestAgent("/nowhere", **PATIENT) as agent:
        with pytest.raises(AttestError) as refused:
            await agent.get_quote(bytes(length))
    assert refused.value.code is AttestErrorCode.BAD_REQUEST


def _breaking(asked: list[int], times: int, then: Conversation) -> Conversation:
    """Closes the first `times` connections. Later ones are served by `then`."""

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(1)
        await (answering(b"") if len(asked) <= times else then)(reader, writer)

    return converse


async def test_a_broken_connection_is_tried_again_within_the_deadline(sockets: Path) -> None:
    asked: list[int] = []
    converse = _breaking(asked, 2, _body(INFO))
    async with guest_agent(sockets / "s", converse) as endpoint, GuestAgent(endpoint, **PATIENT) as agent:
        assert (await agent.info()).app_id == b"\xaa" * 20
    assert len(asked) == 3


@pytest.mark.parametrize("method", ["GetQuote", "GetTlsKey"])
async def test_what_must_not_be_done_twice_is_asked_once(sockets: Path, method: str) -> None:
    asked: list[int] = []
    converse = _breaking(asked, 1, _body(QUOTE))
    async with guest_agent(sockets / "s", converse) as endpoint, GuestAgent(endpoint, **PATIENT) as agent:
        with pytest.raises(AttestError) as refused:
            await ASKS[method](agent)
    assert refused.value.code is AttestErrorCode.UNREACHABLE
    assert len(asked) == 1


async def test_an_agent_that_is_gone_is_not_hammered(sockets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr("attest.guest_agent.RETRY_PAUSE_MAX_S", 0.001)
    monkeypatch.setattr("attest.guest_agent.RETRY_BUDGET", 4)
    converse = _breaking(asked, 1000, silent)
    async with guest_agent(sockets / "s", converse) as endpoint, GuestAgent(endpoint) as agent:
        for _ in range(20):
            with pytest.raises(AttestError):
                await agent.info()
    assert len(asked) == 20 + 4, "each call once, and the budget of repetitions"


async def test_it_recovers_when_the_agent_comes_back(sockets: Path) -> None:
    async with GuestAgent(str(sockets / "s"), **PATIENT) as agent:
        with pytest.raises(AttestError):
            await agent.info()
        async with guest_agent(sockets / "s", _body(INFO)):
            assert (await agent.info()).instance_id == b""


async def test_it_speaks_to_a_url_as_well(aiohttp_server: Any) -> None:
    asked: list[object] = []

    async def get_key(request: web.Request) -> web.Response:
        asked.append(await request.json())
        return web.json_response(KEY)

    application = web.Application()
    application.router.add_post("/base/GetKey", get_key)
    server = await aiohttp_server(application)
    async with GuestAgent(str(server.make_url("/base/")), **PATIENT) as agent:
        await agent.get_key("svc/v1/root", "why")
    assert asked == [{"path": "svc/v1/root", "purpose": "why", "algorithm": "secp256k1"}]

"""The JSON-RPC client against servers that misbehave: typed errors, fallbacks, deadlines, and no credential anywhere."""

import asyncio
import base64
import contextlib
import traceback
from collections.abc import AsyncIterator, Sequence
from typing import Any

import aiohttp
import pytest
import structlog
from aiohttp import web
from pydantic import SecretStr

from node.chain.rpc import (
    BatchRefusedError,
    CallRevertedError,
    JsonRpc,
    Provider,
    RpcCall,
    RpcError,
    RpcOutcome,
    RpcRefusedError,
    RpcUnavailableError,
    chain_unavailable,
    eth_call_of,
    returned_bytes,
)
from node.errors import StartupRefusedError
from node.settings.chain import RpcSettings
from tests.support import rpc_proxy
from tests.support.constants import replace_constants
from tests.support.ports import free_port
from tests.support.rpc_proxy import Behaviour, Forward, RpcProxy, changing, refusing, saying

RPC = RpcSettings(rpc_attempt_timeout_s=30, rpc_call_timeout_s=60)
SILENT = {"hangs", "hangs midway", "drips for ever"}
"""Faults that end by a timeout alone."""
SECRETS = ("s3cretuser", "s3cretpassword", "APIKEY0123456789", "QUERYKEY987654")


@pytest.fixture(autouse=True)
def _small_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_constants(monkeypatch, "node.chain.rpc", RESPONSE_MAX_BYTES=100_000)


def with_credentials(proxy_url: str) -> str:
    host = proxy_url.removeprefix("http://")
    return f"http://{SECRETS[0]}:{SECRETS[1]}@{host}/v2/{SECRETS[2]}?token={SECRETS[3]}"


async def batch(rpc: JsonRpc, calls: Sequence[RpcCall]) -> list[RpcOutcome]:
    return await rpc.first(lambda provider, timeout_s: provider.send(calls, timeout_s))


async def eth_call(rpc: JsonRpc) -> bytes:
    async def ask(provider: Provider, timeout_s: float) -> bytes:
        (outcome,) = await provider.send([eth_call_of("0x" + "11" * 20, b"\x01\x02\x03\x04")], timeout_s)
        return returned_bytes(provider, outcome)

    return await rpc.first(ask)


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as opened:
        yield opened


@pytest.fixture
async def proxy() -> AsyncIterator[RpcProxy]:
    async with RpcProxy(None).running() as running:
        yield running


@pytest.fixture
async def second() -> AsyncIterator[RpcProxy]:
    async with RpcProxy(None).running() as running:
        yield running


def drop_last(answer: Any) -> Any:
    return answer[:-1] if isinstance(answer, list) else []


def other_id(answer: Any) -> Any:
    if isinstance(answer, list):
        return [{**each, "id": each["id"] + 7} for each in answer]
    return {**answer, "id": answer["id"] + 7}


def text_id(answer: Any) -> Any:
    if isinstance(answer, list):
        return [{**each, "id": str(each["id"])} for each in answer]
    return {**answer, "id": str(answer["id"])}


def doubled(answer: Any) -> Any:
    return [*answer, answer[0]] if isinstance(answer, list) else [answer, answer]


def first_twice(answer: Any) -> Any:
    return [answer[0]] * len(answer) if isinstance(answer, list) else [answer, answer]


def without_version(answer: Any) -> Any:
    if isinstance(answer, list):
        return [without_version(each) for each in answer]
    return {name: value for name, value in answer.items() if name != "jsonrpc"}


def without_result(answer: Any) -> Any:
    if isinstance(answer, list):
        return [without_result(each) for each in answer]
    return {name: value for name, value in answer.items() if name != "result"}


def both(answer: Any) -> Any:
    if isinstance(answer, list):
        return [both(each) for each in answer]
    return {**answer, "result": 1, "error": {"code": -32000, "message": "no"}}


TRANSPORT_FAULTS: dict[str, Behaviour] = {
    "hangs": rpc_proxy.hang,
    "hangs midway": rpc_proxy.hang_midway,
    "drips for ever": rpc_proxy.drip,
    "floods": rpc_proxy.flood,
    "drops the connection": rpc_proxy.drop,
    "resets the connection": rpc_proxy.reset,
    "truncates": rpc_proxy.truncate,
    "speaks no HTTP": rpc_proxy.speak_no_http,
    "HTTP 500": saying(b"<html>no</html>", 500),
    "HTTP 401": saying(b"{}", 401),
    "HTTP 429": saying(b"{}", 429),
    "redirects": saying(b"", 307, {"Location": "http://127.0.0.1:9/elsewhere"}),
    "empty": saying(b""),
    "HTML": saying(b"<html>hello</html>"),
    "not UTF-8": saying(b'{"jsonrpc":"2.0","id":1,"result":"\xff\xfe"}'),
    "deep": saying(b"[" * 50_000),
    "NaN": saying(b'{"jsonrpc":"2.0","id":1,"result":NaN}'),
    "huge number": saying(b'{"jsonrpc":"2.0","id":1,"result":' + b"9" * 90_000 + b"}"),
    "too large": saying(b'{"jsonrpc":"2.0","id":1,"result":"' + b"0" * 100_001 + b'"}'),
    "no gzip": saying(b"this is no gzip", 200, {"Content-Encoding": "gzip"}),
    "null": saying(b"null"),
    "a string": saying(b'"0x1"'),
    "other id": changing(other_id),
    "id as text": changing(text_id),
    "answers twice": changing(doubled),
    "one answer for all": changing(first_twice),
    "no version": changing(without_version),
    "neither result nor error": changing(without_result),
    "result and error": changing(both),
    "leaves one out": changing(drop_last),
    "error without code": saying(b'{"jsonrpc":"2.0","id":1,"error":{"message":"no"}}'),
    "error as text": saying(b'{"jsonrpc":"2.0","id":1,"error":"no"}'),
    "rate limited": refusing(-32005, "limit exceeded"),
    "internal error": refusing(-32603, "internal error"),
    "method missing": refusing(-32601, "the method does not exist"),
    "header missing": refusing(-32000, "header not found"),
}


def settings_with(fault: str, silence_s: float) -> RpcSettings:
    """A provider that says nothing is given up after so many seconds, no other answer is hurried."""
    return RPC.model_copy(update={"rpc_attempt_timeout_s": silence_s}) if fault in SILENT else RPC


@pytest.mark.parametrize("fault", TRANSPORT_FAULTS)
@pytest.mark.parametrize("count", [1, 3])
async def test_a_transport_fault_goes_to_the_next_endpoint_and_alone_is_unavailable(
    session: aiohttp.ClientSession, proxy: RpcProxy, second: RpcProxy, fault: str, count: int
) -> None:
    proxy.behaviour = TRANSPORT_FAULTS[fault]
    calls = [RpcCall("m", [index]) for index in range(count)]
    alone = JsonRpc(session, [proxy.url], settings_with(fault, 0.3))
    with pytest.raises(RpcUnavailableError) as caught:
        await batch(alone, calls)
    assert caught.value.host == f"127.0.0.1:{proxy.port}"
    assert (alone.health()[0].healthy, alone.health()[0].faults) == (False, 1)

    both_endpoints = JsonRpc(session, [proxy.url, second.url], settings_with(fault, 2))
    assert await batch(both_endpoints, calls) == [[index] for index in range(count)]
    assert [each.healthy for each in both_endpoints.health()] == [False, True]


@pytest.mark.parametrize("fault", [*TRANSPORT_FAULTS, "refused", "definitive", "revert"])
async def test_no_credential_of_an_endpoint_shows_anywhere(
    session: aiohttp.ClientSession, proxy: RpcProxy, fault: str
) -> None:
    url = with_credentials(proxy.url)
    echo = f"bad key {SECRETS[2]} of {SECRETS[0]} at {url}"
    extra = {
        "definitive": refusing(-32000, echo),
        "revert": refusing(3, f"execution reverted {echo}", "0x1234"),
    }
    proxy.behaviour = {**TRANSPORT_FAULTS, **extra}.get(fault, rpc_proxy.honest)
    if fault == "refused":
        url = with_credentials(f"http://127.0.0.1:{free_port()}")
    rpc = JsonRpc(session, [url], settings_with(fault, 0.3))
    with structlog.testing.capture_logs() as logs, pytest.raises(RpcError) as caught:
        await eth_call(rpc)
    error = caught.value
    shown = [
        str(error),
        repr(error),
        repr(vars(error)),
        repr(rpc),
        repr(rpc.providers),
        repr(rpc.health()),
        repr(logs),
        "".join(traceback.format_exception(error)),
        str(chain_unavailable(error)),
        repr(_chain_of(error)),
    ]
    assert not [text for text in shown for secret in SECRETS if secret in text]
    assert "127.0.0.1" not in chain_unavailable(error).message


def _chain_of(error: BaseException) -> list[object]:
    """Every exception a debugger or log formatter could walk to from `error`."""
    found: list[object] = []
    queue: list[BaseException | None] = [error]
    while queue:
        each = queue.pop()
        if each is not None:
            found += [each, each.args, getattr(each, "request_info", None)]
            queue += [each.__cause__, each.__context__]
    return found


async def test_the_credentials_are_used(session: aiohttp.ClientSession, proxy: RpcProxy) -> None:
    await JsonRpc(session, [with_credentials(proxy.url)], RPC).call("m")
    (headers,) = proxy.headers
    assert headers["path"] == f"/v2/{SECRETS[2]}?token={SECRETS[3]}"
    assert headers["Authorization"] == "Basic " + base64.b64encode(f"{SECRETS[0]}:{SECRETS[1]}".encode()).decode()


async def test_each_endpoint_is_sent_its_own_secret_and_no_other(
    session: aiohttp.ClientSession, proxy: RpcProxy, second: RpcProxy
) -> None:
    settings = RpcSettings(
        rpc_endpoints=(f"a={proxy.url}", second.url), rpc_authorizations={"a": SecretStr("Bearer of-a-alone")}
    )
    rpc = JsonRpc(session, settings.rpc_urls, settings)
    for provider in rpc.providers:
        await provider.send([RpcCall("m", [])], 30)
    assert [headers["Authorization"] for headers in proxy.headers] == ["Bearer of-a-alone"]
    assert ["Authorization" in headers for headers in second.headers] == [False]


async def test_an_endpoints_words_do_not_repeat_its_secret(session: aiohttp.ClientSession, proxy: RpcProxy) -> None:
    settings = RpcSettings(rpc_endpoints=(proxy.url,), rpc_authorization=SecretStr("Bearer of-a-alone"))
    proxy.behaviour = refusing(3, "bad key of-a-alone")
    with pytest.raises(RpcRefusedError) as refused:
        await JsonRpc(session, settings.rpc_urls, settings).call("m")
    assert refused.value.message == "bad key ***"


async def test_a_redirect_is_not_followed(session: aiohttp.ClientSession, proxy: RpcProxy, second: RpcProxy) -> None:
    proxy.behaviour = saying(b"", 308, {"Location": second.url})
    with pytest.raises(RpcUnavailableError):
        await JsonRpc(session, [proxy.url], RPC).call("m")
    assert second.seen == []


DEFINITIVE = {
    "nonce too low": (-32003, "nonce too low", 200),
    "already known": (-32000, "already known", 200),
    "insufficient funds": (-32000, "insufficient funds for gas * price + value", 200),
    "invalid params": (-32602, "invalid params", 400),
}


@pytest.mark.parametrize("case", DEFINITIVE)
async def test_a_definitive_error_is_raised_at_once_with_the_endpoints_words(
    session: aiohttp.ClientSession, proxy: RpcProxy, second: RpcProxy, case: str
) -> None:
    code, message, status = DEFINITIVE[case]
    proxy.behaviour = refusing(code, message, {"more": 1}, status)
    with pytest.raises(RpcRefusedError) as caught:
        await JsonRpc(session, [proxy.url, second.url], RPC).call("eth_sendRawTransaction", ["0x00"])
    assert (caught.value.code, caught.value.message, caught.value.data) == (code, message, {"more": 1})
    assert caught.value.revert_data is None
    assert second.seen == []


REVERTS = {
    "geth": (3, "execution reverted: no", "0xdeadbeef"),
    "Nethermind": (-32015, "VM execution error: revert", "Reverted 0xdeadbeef"),
    "Hardhat": (-32603, "VM Exception: reverted with custom error", {"message": "x", "data": "0xdeadbeef"}),
    "a proxy": (-32000, "execution reverted", "0xdeadbeef"),
}


@pytest.mark.parametrize("client", REVERTS)
async def test_reverts_are_told_from_other_errors_whatever_the_client(
    session: aiohttp.ClientSession, proxy: RpcProxy, second: RpcProxy, client: str
) -> None:
    proxy.behaviour = refusing(*REVERTS[client])
    with pytest.raises(CallRevertedError) as caught:
        await eth_call(JsonRpc(session, [proxy.url, second.url], RPC))
    assert caught.value.data == bytes.fromhex("deadbeef")
    assert second.seen == []


async def test_a_bare_revert_has_no_data(session: aiohttp.ClientSession, proxy: RpcProxy) -> None:
    proxy.behaviour = refusing(3, "execution reverted")
    with pytest.raises(CallRevertedError) as caught:
        await eth_call(JsonRpc(session, [proxy.url], RPC))
    assert caught.value.data == b""


@pytest.mark.parametrize("answer", ['"0x1"', '"0xzz"', '"12"', "12", "null", '{"a":1}', '"0x 12 34"', '"0x\u0661"'])
async def test_an_eth_call_answer_that_is_no_bytes_is_the_endpoints_fault(
    session: aiohttp.ClientSession, proxy: RpcProxy, answer: str
) -> None:
    proxy.behaviour = saying(b'{"jsonrpc":"2.0","id":1,"result":' + answer.encode() + b"}")
    with pytest.raises(RpcUnavailableError):
        await eth_call(JsonRpc(session, [proxy.url], RPC))


async def test_a_batch_is_one_exchange_and_may_be_answered_in_any_order(
    session: aiohttp.ClientSession, proxy: RpcProxy
) -> None:
    proxy.behaviour = changing(lambda answers: list(reversed(answers)))
    outcomes = await batch(JsonRpc(session, [proxy.url], RPC), [RpcCall("m", [n]) for n in range(50)])
    assert outcomes == [[n] for n in range(50)]
    assert len(proxy.seen) == 1


async def test_one_refused_call_of_a_batch_does_not_hide_the_others(
    session: aiohttp.ClientSession, proxy: RpcProxy
) -> None:
    def refuse_second(answers: Any) -> Any:
        return [answers[0], {"jsonrpc": "2.0", "id": answers[1]["id"], "error": {"code": -32000, "message": "no"}}]

    proxy.behaviour = changing(refuse_second)
    good, bad = await batch(JsonRpc(session, [proxy.url], RPC), [RpcCall("m", [1]), RpcCall("m", [2])])
    assert good == [1]
    assert isinstance(bad, RpcRefusedError)


async def test_an_endpoint_that_takes_no_batches_is_at_fault_by_its_settings_name(
    session: aiohttp.ClientSession, proxy: RpcProxy
) -> None:
    proxy.behaviour = rpc_proxy.taking_no_batches(-32600, f"no batches for {SECRETS[2]}")
    rpc, calls = JsonRpc(session, [with_credentials(proxy.url)], RPC), [RpcCall("m", [1]), RpcCall("m", [2])]
    with structlog.testing.capture_logs() as logs, pytest.raises(BatchRefusedError) as caught:
        await batch(rpc, calls)
    assert (rpc.health()[0].healthy, rpc.health()[0].faults) == (False, 1)
    (line,) = logs
    for said in (caught.value.why, line["why"]):
        assert "answers a batch of requests with error -32600" in said
        assert "rpc_endpoints" in said
        assert SECRETS[2] not in said
    assert await rpc.call("m", [3]) == [3]


@pytest.mark.parametrize("code", [-32601, -32004])
async def test_a_method_that_a_chain_may_lack_is_refused_without_a_fault(
    session: aiohttp.ClientSession, proxy: RpcProxy, code: int
) -> None:
    def refuse_second(answers: Any) -> Any:
        return [answers[0], {"jsonrpc": "2.0", "id": answers[1]["id"], "error": {"code": code, "message": "no"}}]

    proxy.behaviour = changing(refuse_second)
    rpc = JsonRpc(session, [proxy.url], RPC)
    good, lacking = await batch(rpc, [RpcCall("m", [1]), RpcCall("m", optional=True)])
    assert good == [1]
    assert isinstance(lacking, RpcRefusedError)
    assert rpc.health()[0].healthy
    with pytest.raises(RpcUnavailableError):
        await batch(rpc, [RpcCall("m", [1]), RpcCall("m")])


async def test_an_endpoint_that_failed_is_asked_last_until_it_has_rested(
    session: aiohttp.ClientSession, proxy: RpcProxy, second: RpcProxy
) -> None:
    now = 1000.0
    rpc = JsonRpc(session, [proxy.url, second.url], clock=lambda: now)
    proxy.behaviour = saying(b"", 500)
    await rpc.call("m")
    await rpc.call("m")
    assert (len(proxy.seen), len(second.seen)) == (1, 2)
    proxy.behaviour = rpc_proxy.honest
    now += 5
    await rpc.call("m")
    assert (len(proxy.seen), len(second.seen)) == (2, 2)
    assert rpc.health()[0].healthy


async def test_an_endpoint_that_comes_and_goes_does_not_fill_the_log(
    session: aiohttp.ClientSession, proxy: RpcProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_constants(monkeypatch, "node.chain.rpc", ENDPOINT_REST_S=0)
    now = 1000.0
    rpc = JsonRpc(session, [proxy.url], clock=lambda: now)

    with structlog.testing.capture_logs() as logged:
        for passed_s in (0, 1, 1, 10):
            now += passed_s
            for proxy.behaviour in (saying(b"", 500), rpc_proxy.honest):
                with contextlib.suppress(RpcUnavailableError):
                    await rpc.call("m")
    assert [entry["event"] for entry in logged] == ["rpc_endpoint_failed", "rpc_endpoint_recovered"] * 2


async def test_a_resting_endpoint_is_still_asked_when_all_others_fail(
    session: aiohttp.ClientSession, proxy: RpcProxy, second: RpcProxy
) -> None:
    rpc = JsonRpc(session, [proxy.url, second.url], RPC)
    proxy.behaviour = saying(b"", 500)
    await rpc.call("m")
    proxy.behaviour, second.behaviour = rpc_proxy.honest, saying(b"", 500)
    assert await rpc.call("m", [1]) == [1]


async def test_a_call_ends_at_its_deadline_however_many_endpoints_hang(
    session: aiohttp.ClientSession, proxy: RpcProxy
) -> None:
    proxy.behaviour = rpc_proxy.hang
    rpc = JsonRpc(session, [proxy.url] * 20, RpcSettings(rpc_attempt_timeout_s=0.1, rpc_call_timeout_s=0.25))
    async with asyncio.timeout(30):
        with pytest.raises(RpcUnavailableError, match="did not answer in time"):
            await rpc.call("m")
    assert len(proxy.seen) <= 3


@pytest.mark.parametrize("drop", [rpc_proxy.drop, rpc_proxy.reset])
async def test_a_connection_the_server_dropped_is_replaced_without_a_fault(
    session: aiohttp.ClientSession, proxy: RpcProxy, drop: Behaviour
) -> None:
    async def drop_first(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        proxy.behaviour = rpc_proxy.honest
        return await drop(request, asked, forward)

    rpc = JsonRpc(session, [proxy.url], RPC)
    await rpc.call("m")
    proxy.behaviour = drop_first
    assert await rpc.call("m", [1]) == [1]
    assert (len(proxy.seen), rpc.health()[0].faults) == (3, 0)


async def test_cancelling_a_call_leaves_the_client_usable(session: aiohttp.ClientSession, proxy: RpcProxy) -> None:
    rpc = JsonRpc(session, [proxy.url])
    proxy.behaviour = rpc_proxy.hang
    task = asyncio.create_task(rpc.call("m"))
    await proxy.arrived.wait()
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert task.cancelled()
    proxy.behaviour = rpc_proxy.honest
    assert await rpc.call("m", [2]) == [2]
    assert rpc.health()[0].faults == 0


async def test_a_closed_session_is_an_error_of_the_endpoint(proxy: RpcProxy) -> None:
    async with aiohttp.ClientSession() as session:
        rpc = JsonRpc(session, [proxy.url], RPC)
    with pytest.raises(RpcUnavailableError):
        await rpc.call("m")


BAD_ENDPOINTS: list[Sequence[str]] = [
    [],
    [""],
    ["ws://127.0.0.1:1/s3cretuser"],
    ["ftp://s3cretuser:s3cretpassword@host/"],
    ["http://"],
    ["http://[s3cretuser"],
    ["http://host:s3cretpassword"],
]


@pytest.mark.parametrize("providers", BAD_ENDPOINTS)
async def test_an_endpoint_that_is_no_http_url_refuses_the_start_without_showing_it(
    session: aiohttp.ClientSession, providers: Sequence[str]
) -> None:
    with pytest.raises(StartupRefusedError) as caught:
        JsonRpc(session, providers, RPC)
    assert caught.value.setting == "rpc_endpoints"
    assert not any(secret in "".join(traceback.format_exception(caught.value)) for secret in SECRETS)


async def test_hosts_are_named_with_their_port_only_where_it_is_not_the_usual_one(
    session: aiohttp.ClientSession,
) -> None:
    urls = ["https://rpc.example/KEY", "http://[::1]:8545", "http://node.example:8545/x", "http://u:p@node.example"]
    rpc = JsonRpc(session, urls)
    assert [each.host for each in rpc.providers] == ["rpc.example", "[::1]:8545", "node.example:8545", "node.example"]

"""The whole listener: followed for ever, woken by a websocket, its lag told, and nothing left behind when it closes."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from node.chain.listener import Listener
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.reader import MinimumBlock, QuorumReader
from node.chain.rpc import JsonRpc
from node.errors import StartupRefusedError
from node.settings.chain import RpcSettings
from tests.chain.listener.bench import CHAIN_ID, PATIENCE_S, Bench, answering
from tests.support import rpc_proxy
from tests.support.rpc_proxy import RpcProxy, changing, honest

SLOW_POLL_S = 3600.0


async def subscribed(listener: Listener, bench: Bench) -> None:
    """Until the first provider announces heads."""
    await until(lambda: listener.status()[0].websocket)
    await bench.told.until(lambda: len(bench.told.heads) > 0)


async def until(happened: Callable[[], bool]) -> None:
    """For what nothing announces."""
    async with asyncio.timeout(PATIENCE_S):
        while not happened():  # noqa: ASYNC110 - nothing sets an event for it
            await asyncio.sleep(0.001)


async def polled(listener: Listener, bench: Bench, rounds: int = 2) -> None:
    """Until so many more polls have begun."""
    seen = len(bench.told.heads)
    await bench.told.until(lambda: len(bench.told.heads) >= seen + rounds)


async def test_a_change_is_told_within_a_poll(bench: Bench, proxy: RpcProxy) -> None:
    async with bench.listener([proxy.url]).running():
        await bench.told.until(lambda: len(bench.told.heads) > 1)
        change = await bench.touch()
        await bench.told.until(lambda: change in bench.told.changes)


async def test_with_a_websocket_a_change_is_told_long_before_the_next_poll(bench: Bench) -> None:
    listener = bench.listener([bench.chain.url], listener_poll_s=SLOW_POLL_S, WAKE_MIN_S=0.1)
    async with listener.running():
        await subscribed(listener, bench)
        for number in range(5):
            change = await bench.touch(f"account {number}")
            await bench.told.until(lambda change=change: change in bench.told.changes)  # type: ignore[misc]


async def test_one_dead_endpoint_holds_up_no_other(bench: Bench, proxy: RpcProxy) -> None:
    proxy.behaviour = rpc_proxy.hang
    listener = bench.listener(["http://127.0.0.1:1", proxy.url, bench.chain.url], quorum=1, EXCHANGE_TIMEOUT_S=3)
    async with listener.running():
        await bench.told.until(lambda: len(bench.told.heads) > 1)
        change = await bench.touch()
        await bench.told.until(lambda: change in bench.told.changes)
        assert [each.head_number is not None for each in listener.status()] == [False, False, True]


@pytest.mark.parametrize("trouble", [rpc_proxy.drop, rpc_proxy.reset, rpc_proxy.speak_no_http, changing(lambda _: 7)])
async def test_an_endpoint_that_dies_and_comes_back_is_followed_on(
    bench: Bench, proxy: RpcProxy, trouble: rpc_proxy.Behaviour
) -> None:
    listener = bench.listener([proxy.url])
    async with listener.running():
        await polled(listener, bench)
        proxy.behaviour = trouble
        proxy.seen.clear()
        await until(lambda: len(proxy.seen) > 3)
        change = await bench.touch()
        proxy.behaviour = honest
        await bench.told.until(lambda: change in bench.told.changes)


async def test_an_endpoint_one_of_whose_servers_is_behind_is_asked_again_soon(bench: Bench, proxy: RpcProxy) -> None:
    """Else each poll that meets that server would cost a whole pause more, in which no change is known."""
    proxy.socket_behaviour = None
    behind = await bench.chain.rpc.ask("eth_getBlockByNumber", "latest", False)
    await bench.touch()
    listener = bench.listener([proxy.url], listener_poll_s=SLOW_POLL_S)
    async with listener.running():
        await until(lambda: listener.lag_s() is not None)
        change = await bench.touch("meanwhile")
        proxy.behaviour = answering(
            "eth_getBlockByNumber",
            lambda call, block: {"latest": behind, behind["number"]: block}.get(call["params"][0]),
        )
        seen = len(bench.told.heads)
        listener._watches[0]._woken.set()
        await bench.told.until(lambda: len(bench.told.heads) > seen)
        proxy.behaviour = honest
        await bench.told.until(lambda: change in bench.told.changes)


async def test_a_fault_of_whoever_is_told_stops_nothing(bench: Bench) -> None:
    listener = bench.listener([bench.chain.url])
    async with listener.running():
        await polled(listener, bench)
        bench.told.raising = RuntimeError("a fault of the cache")
        change = await bench.touch()
        await polled(listener, bench)
        bench.told.raising = None
        await bench.told.until(lambda: change in bench.told.changes)


@pytest.mark.exhaustive
async def test_a_failing_endpoint_is_asked_less_and_less(bench: Bench, proxy: RpcProxy) -> None:
    """A head announced meanwhile shortens no pause: else a provider could make its follower spin."""
    proxy.behaviour = rpc_proxy.drop
    async with announcing(bench, endlessly) as url:
        listener = bench.listener([proxy.url], websockets=[url], BACKOFF_MIN_S=SLOW_POLL_S, BACKOFF_MAX_S=SLOW_POLL_S)
        async with listener.running():
            await until(lambda: bool(proxy.seen))
            asked = len(proxy.seen)
            await bench.told.until(lambda: len(bench.told.heads) > 20)
            assert len(proxy.seen) <= asked + 1  # a dropped connection is tried once more by the client


async def test_the_lag_is_none_until_a_quorum_was_read_and_then_that_of_the_quorum(
    bench: Bench, proxy: RpcProxy
) -> None:
    proxy.behaviour = rpc_proxy.drop
    listener = bench.listener([bench.chain.url, proxy.url], quorum=2)
    assert listener.lag_s() is None
    async with listener.running():
        await polled(listener, bench, 3)
        assert listener.lag_s() is None
        proxy.behaviour = honest
        await until(lambda: listener.lag_s() is not None)
        assert listener.lag_s() == 0
        proxy.behaviour = rpc_proxy.drop
        proxy.seen.clear()
        await until(lambda: len(proxy.seen) > 2)
        bench.clock.advance(31)
        await polled(listener, bench, 3)
        assert listener.lag_s() == 31
        assert [each.lag_s for each in listener.status()] == [0, 31]
        proxy.behaviour = honest
        await until(lambda: listener.lag_s() == 0)


async def test_the_lag_counts_from_the_begin_of_a_poll(bench: Bench, proxy: RpcProxy) -> None:
    """A change after the begin of a poll may not be in it."""
    follower = await bench.followed(proxy.url)

    async def slow(request: web.Request, asked: Any, forward: rpc_proxy.Forward) -> web.StreamResponse:
        bench.clock.advance(5)
        return await honest(request, asked, forward)

    await bench.touch()
    proxy.behaviour = slow
    await follower.poll()
    assert follower.lag_s() == 10


async def test_an_old_head_is_no_fresh_news(bench: Bench) -> None:
    bench.unix.now = (await bench.head()).timestamp + 61
    rpc = JsonRpc(bench.session, [bench.chain.url], RpcSettings(chain_max_head_age_s=60))
    bench.told.believed = QuorumReader(QuorumClient(rpc), MinimumBlock(), bench.unix).is_fresh
    listener = bench.listener([bench.chain.url])
    async with listener.running():
        await polled(listener, bench, 3)
        assert listener.lag_s() is None
        bench.unix.now -= 1
        await until(lambda: listener.lag_s() == 0)
        bench.unix.now += 1
        bench.clock.advance(100)
        await polled(listener, bench, 3)
        assert listener.lag_s() == 100


def own_tasks() -> set[str]:
    """What runs of the listener's (the servers of the test have tasks too)."""
    return {name for task in asyncio.all_tasks() if "_Watch" in (name := task.get_coro().__qualname__)}  # type: ignore[union-attr]


async def test_nothing_is_left_when_it_closes(bench: Bench, proxy: RpcProxy) -> None:
    proxy.behaviour = rpc_proxy.hang
    async with asyncio.timeout(PATIENCE_S), bench.listener([bench.chain.url, proxy.url], quorum=2).running():
        await bench.told.until(lambda: bool(bench.told.heads))
        await until(lambda: bool(proxy.seen))
        assert own_tasks() == {"_Watch.poll", "_Watch.listen"}
    assert own_tasks() == set()


async def test_it_stops_also_when_it_is_woken_while_it_stops(bench: Bench) -> None:
    head = await bench.head()
    for turns in range(6):
        listener = bench.listener([bench.chain.url], listener_poll_s=SLOW_POLL_S)
        (watch,) = listener._watches
        async with asyncio.timeout(PATIENCE_S), listener.running():
            await until(lambda watch=watch: bool(watch._woken._waiters))  # type: ignore[misc]
            watch._announced(head)
            for _ in range(turns):
                await asyncio.sleep(0)


async def test_as_many_websockets_as_endpoints_or_none(bench: Bench) -> None:
    for websockets in (["ws://127.0.0.1:1"], ["ws://127.0.0.1:1", "http://127.0.0.1:1"], ["ws://", ""]):
        with pytest.raises(StartupRefusedError) as refused:
            bench.listener([bench.chain.url, bench.chain.url], websockets=websockets)
        assert refused.value.setting == "rpc_websocket_endpoints"
        assert "127.0.0.1" not in str(refused.value)


Speech = Callable[[web.WebSocketResponse, Any], Awaitable[None]]


@contextlib.asynccontextmanager
async def announcing(bench: Bench, speech: Speech) -> AsyncIterator[str]:
    """A websocket that answers honestly to what the node asks at first and then says what `speech` says."""
    opened: list[web.WebSocketResponse] = []

    async def serve(request: web.Request) -> web.WebSocketResponse:
        websocket = web.WebSocketResponse()
        await websocket.prepare(request)
        opened.append(websocket)
        for result in (hex(CHAIN_ID), "0xabc"):
            asked = json.loads(await websocket.receive_str())
            await websocket.send_json({"jsonrpc": "2.0", "id": asked["id"], "result": result})
        block = await bench.chain.rpc.ask("eth_getBlockByNumber", "latest", False)
        with contextlib.suppress(ConnectionError, aiohttp.ClientError):
            await speech(websocket, block)
        return websocket

    application = web.Application()
    application.router.add_get("/", serve)
    server = TestServer(application, skip_url_asserts=True)
    await server.start_server()
    try:
        yield f"ws://127.0.0.1:{server.port}/"
    finally:
        for websocket in opened:
            await websocket.close()
        await server.close()


def announcement(head: Any, subscription: str = "0xabc") -> Any:
    params = {"subscription": subscription, "result": head}
    return {"jsonrpc": "2.0", "method": "eth_subscription", "params": params}


async def endlessly(websocket: web.WebSocketResponse, block: Any) -> None:
    while not websocket.closed:
        await websocket.send_json(announcement(block))


async def hang_up(websocket: web.WebSocketResponse, block: Any) -> None:
    await websocket.close()


async def say_nothing(websocket: web.WebSocketResponse, block: Any) -> None:
    await websocket.receive()


async def say_garbage(websocket: web.WebSocketResponse, block: Any) -> None:
    await websocket.send_str("[" * 10_000)
    await websocket.receive()


async def say_bytes(websocket: web.WebSocketResponse, block: Any) -> None:
    await websocket.send_bytes(b"\x00")
    await websocket.receive()


async def say_too_much(websocket: web.WebSocketResponse, block: Any) -> None:
    await websocket.send_str(json.dumps(announcement(block | {"extraData": "0x" + "00" * 10**6})))
    await websocket.receive()


async def say_no_head(websocket: web.WebSocketResponse, block: Any) -> None:
    await websocket.send_json(announcement({"number": "0x1"}))
    await websocket.receive()


async def speak_for_others(websocket: web.WebSocketResponse, block: Any) -> None:
    await websocket.send_json(announcement(block, "0xdef"))
    await websocket.receive()


@pytest.mark.parametrize(
    "speech", [hang_up, say_nothing, say_garbage, say_bytes, say_too_much, say_no_head, speak_for_others, endlessly]
)
async def test_polls_go_on_whatever_a_websocket_says(bench: Bench, speech: Speech) -> None:
    async with announcing(bench, speech) as url:
        listener = bench.listener([bench.chain.url], websockets=[url])
        async with listener.running():
            await polled(listener, bench, 3)
            change = await bench.touch()
            await bench.told.until(lambda: change in bench.told.changes)


@pytest.mark.exhaustive
@pytest.mark.parametrize("speech", [hang_up, say_garbage, say_too_much, say_nothing])
async def test_a_websocket_that_ends_or_is_silent_is_opened_again(bench: Bench, speech: Speech) -> None:
    times = 0

    async def then_honest(websocket: web.WebSocketResponse, block: Any) -> None:
        nonlocal times
        times += 1
        await (speech if times < 3 else endlessly)(websocket, block)

    silence_s = 3 if speech is say_nothing else SLOW_POLL_S
    async with announcing(bench, then_honest) as url:
        listener = bench.listener(
            [bench.chain.url], 1, [url], listener_poll_s=SLOW_POLL_S, WEBSOCKET_SILENCE_S=silence_s
        )
        async with listener.running():
            await bench.told.until(lambda: len(bench.told.heads) > 5)
            assert listener.status()[0].websocket
    assert times == 3


async def test_a_websocket_of_another_chain_announces_nothing(bench: Bench) -> None:
    asked: list[str] = []

    async def serve(request: web.Request) -> web.WebSocketResponse:
        websocket = web.WebSocketResponse()
        await websocket.prepare(request)
        call = json.loads(await websocket.receive_str())
        asked.append(call["method"])
        await websocket.send_json({"jsonrpc": "2.0", "id": call["id"], "result": "0x1"})
        asked.extend([json.loads(message.data)["method"] async for message in websocket])
        return websocket

    application = web.Application()
    application.router.add_get("/", serve)
    server = TestServer(application, skip_url_asserts=True)
    await server.start_server()
    try:
        listener = bench.listener([bench.chain.url], websockets=[f"ws://127.0.0.1:{server.port}/"])
        async with listener.running():
            await until(lambda: len(asked) > 2)
            assert not listener.status()[0].websocket
    finally:
        await server.close()
    assert set(asked) == {"eth_chainId"}


async def test_a_websocket_follows_no_redirect(bench: Bench) -> None:
    """A hosted provider must not make the node knock at addresses of its choice."""
    knocked: list[str] = []

    async def redirect(request: web.Request) -> web.StreamResponse:
        knocked.append(request.path)
        raise web.HTTPFound("/elsewhere")

    application = web.Application()
    application.router.add_get("/{path:.*}", redirect)
    server = TestServer(application, skip_url_asserts=True)
    await server.start_server()
    try:
        listener = bench.listener([bench.chain.url], websockets=[f"ws://127.0.0.1:{server.port}/secret"])
        async with listener.running():
            await until(lambda: len(knocked) > 2)
    finally:
        await server.close()
    assert set(knocked) == {"/secret"}


async def test_no_credential_of_a_url_is_logged(
    bench: Bench, proxy: RpcProxy, capsys: pytest.CaptureFixture[str]
) -> None:
    lines: list[str] = []
    secrets = ("s3cretuser", "s3cretpassword", "APIKEY0123456789", "QUERYKEY987654")
    host = proxy.url.removeprefix("http://")
    url = f"http://{secrets[0]}:{secrets[1]}@{host}/v2/{secrets[2]}?token={secrets[3]}"
    async with announcing(bench, hang_up) as other:
        websocket = f"{other}?token={secrets[3]}"
        listener = bench.listener([url, url], websockets=[websocket, ""])
        async with listener.running():
            await polled(listener, bench, 3)
            proxy.behaviour = rpc_proxy.drop
            await until(
                lambda: all(each in said(capsys, lines) for each in ("listener_poll_failed", "new_heads_ended"))
            )
    for secret in secrets:
        assert secret not in said(capsys, lines) + repr(listener.status())


def said(capsys: pytest.CaptureFixture[str], lines: list[str]) -> str:
    """All that was written so far."""
    lines.extend(capsys.readouterr())
    return "".join(lines)

"""The order of checks (spec 2.1): what is wrong first is what is answered."""

import asyncio
import json

import aiohttp
import pytest

from node.api.errors import ErrorCode, NodeError
from node.settings.http import HttpSettings
from tests.http.conftest import Keys
from tests.http.endpoints import Desk
from tests.support.http_server import Server, World, serving

NOTE = {"name": "n"}


async def test_success_carries_the_answer_and_the_common_headers(server: Server, keys: Keys) -> None:
    reply = await server.call("POST", "/note", body={"name": "n", "group_id": "0x10"}, key=keys.usage)
    assert (reply.status, reply.body["group_id"]) == (200, "16")
    assert reply.headers["Cache-Control"] == "no-store"
    assert "aiohttp" not in reply.headers["Server"]


async def test_unknown_path_is_404_even_with_everything_else_wrong(server: Server) -> None:
    reply = await server.call("POST", "/nowhere", data=b"{", headers={"X-Api-Key": "garbage"})
    assert (reply.status, reply.body["error"]) == (404, "not_found")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "GET", "PROPFIND", "TRACE"])
async def test_wrong_method_is_405_with_allow(server: Server, method: str) -> None:
    reply = await server.call(method, "/note")
    assert (reply.status, reply.body["error"]) == (405, "method_not_allowed")
    assert reply.headers["Allow"] == "OPTIONS, POST"


async def test_announced_length_is_refused_before_the_key_is_read(server: Server) -> None:
    answer = await server.raw(
        b"POST /core/v1/note HTTP/1.1\r\nHost: x\r\nX-Api-Key: garbage\r\nConnection: close\r\n"
        b"Content-Length: 99999999999\r\n\r\n"
    )
    assert answer.startswith(b"HTTP/1.1 413")


async def test_key_comes_before_the_body(server: Server, keys: Keys) -> None:
    reply = await server.call("POST", "/note", data=b"{", headers={"X-Api-Key": keys.unknown})
    assert (reply.status, reply.body["error"]) == (401, "unauthorized")


@pytest.mark.parametrize("kind", ["usage", "converted_usage", "converted_account"])
async def test_kind_of_key_is_a_permission_and_comes_after_the_body(server: Server, keys: Keys, kind: str) -> None:
    key = getattr(keys, kind)
    assert (await server.call("POST", "/owner", data=b"{", key=key)).status == 400
    assert (await server.call("POST", "/owner", body={"unknown": 1}, key=key)).status == 400
    reply = await server.call("POST", "/owner", key=key)
    missing = "account_key" if kind == "usage" else "admin_wallet"
    assert (reply.status, reply.body["details"]) == (403, {"missing": missing})


async def test_malformed_idempotency_key_comes_before_the_body(server: Server, keys: Keys) -> None:
    reply = await server.call("POST", "/note", data=b"{", key=keys.usage, headers={"Idempotency-Key": "short"})
    assert (reply.status, "Idempotency-Key" in reply.body["message"]) == (400, True)


async def test_content_type_comes_before_the_schema(server: Server, keys: Keys) -> None:
    reply = await server.call("POST", "/note", data=b"{", key=keys.usage, headers={"Content-Type": "text/plain"})
    assert (reply.status, reply.body["error"]) == (415, "unsupported_media_type")


async def test_handler_errors_keep_fix_details_and_retry_after(server: Server, keys: Keys, desk: Desk) -> None:
    desk.fail_with = NodeError(ErrorCode.CHAIN_UNAVAILABLE, "Out.", fix="Wait.", details={"host": "h"}, retry_after_s=7)
    reply = await server.call("POST", "/note", body=NOTE, key=keys.usage)
    assert reply.status == 503
    assert reply.headers["Retry-After"] == "7"
    assert reply.body == {
        "error": "chain_unavailable",
        "message": "Out.",
        "fix": "Wait.",
        "request_id": reply.headers["X-Request-Id"],
        "details": {"host": "h"},
    }


async def test_a_bug_is_500_and_shows_nothing_of_itself(server: Server, keys: Keys, desk: Desk, world: World) -> None:
    desk.fail_with = RuntimeError("the secret is 0xdeadbeef")
    reply = await server.call("POST", "/note", body=NOTE, key=keys.usage)
    assert (reply.status, reply.body["error"]) == (500, "internal_error")
    assert b"deadbeef" not in reply.raw
    assert b"Traceback" not in reply.raw
    (line,) = world.logs.named("internal_error")
    assert line["request_id"] == reply.headers["X-Request-Id"]
    assert line["exception"] == "RuntimeError"
    assert "deadbeef" not in json.dumps(world.logs.lines)


async def test_a_failure_outside_the_application_shows_nothing_of_itself_either(
    server: Server, keys: Keys, world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the secret is 0xdeadbeef")

    monkeypatch.setattr(world.logs, "info", broken)
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await server.call("POST", "/note", body=NOTE, key=keys.usage)
    (line,) = world.logs.named("connection_failed")
    assert line["exception"] == "RuntimeError"
    assert "deadbeef" not in json.dumps(world.logs.lines)
    assert not caplog.records


async def test_full_node_is_429_before_the_key(world: World, desk: Desk, keys: Keys) -> None:
    async with serving(desk.endpoints(), world, HttpSettings(http_max_concurrent_requests=1)) as server:
        slow = asyncio.create_task(server.call("POST", "/slow", key=keys.usage))
        await desk.started.acquire()
        reply = await server.call("POST", "/note", data=b"{", key="garbage")
        assert (reply.status, reply.headers["Retry-After"]) == (429, "1")
        desk.go_on.set()
        assert (await slow).status == 200
        assert (await server.call("POST", "/note", body=NOTE, key=keys.usage)).status == 200


async def test_one_account_runs_so_many_and_another_is_not_hindered(server: Server, keys: Keys, desk: Desk) -> None:
    running = [asyncio.create_task(server.call("POST", "/slow", key=keys.usage)) for _ in range(2)]
    for _ in running:
        await desk.started.acquire()
    refused = await server.call("POST", "/slow", key=keys.account, data=b"junk")
    assert refused.status == 429
    other = asyncio.create_task(server.call("POST", "/slow", key=keys.converted_usage))
    desk.go_on.set()
    assert [reply.status for reply in await asyncio.gather(*running, other)] == [200, 200, 200]
    assert (await server.call("POST", "/slow", key=keys.usage)).status == 200

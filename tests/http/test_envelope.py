"""What every answer carries: ids, CORS, security headers; what is logged and counted."""

import asyncio
import uuid

import pytest
from prometheus_client import generate_latest

from tests.http.conftest import Keys
from tests.http.endpoints import Desk
from tests.http.test_request_heads import KINDS, LAST, connected, port_of, rest_of, send
from tests.support.http_server import Server, World


async def test_request_ids_are_fresh_and_the_clients_own_is_ignored(server: Server) -> None:
    own = str(uuid.uuid4())
    seen = {
        (await server.call("GET", "/noop", headers={"X-Request-Id": own})).headers["X-Request-Id"] for _ in range(9)
    }
    assert len(seen - {own}) == 9
    assert {uuid.UUID(value).version for value in seen} == {4}


@pytest.mark.parametrize("sent", ["a", "x" * 128, "trace 7/8 ~!"])
async def test_a_correlation_id_is_echoed(server: Server, sent: str) -> None:
    for path in ("/noop", "/nowhere"):
        reply = await server.call("GET", path, headers={"X-Correlation-Id": sent})
        assert reply.headers["X-Correlation-Id"] == sent


@pytest.mark.parametrize("sent", ["", "x" * 129, "tab\there", "é"])
async def test_any_other_correlation_id_is_absent(server: Server, sent: str) -> None:
    reply = await server.call("GET", "/noop", headers={"X-Correlation-Id": sent})
    assert "X-Correlation-Id" not in reply.headers


async def test_preflight_of_any_origin(server: Server) -> None:
    headers = {
        "Origin": "https://app.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,x-api-key,idempotency-key",
    }
    reply = await server.call("OPTIONS", "/note", headers=headers)
    assert (reply.status, reply.raw) == (204, b"")
    assert reply.headers["Access-Control-Allow-Origin"] == "*"
    assert reply.headers["Access-Control-Allow-Methods"] == "OPTIONS, POST"
    allowed = reply.headers["Access-Control-Allow-Headers"].lower()
    for name in ("authorization", "x-api-key", "x-wallet-auth", "idempotency-key", "x-correlation-id", "content-type"):
        assert name in allowed
    assert "Access-Control-Allow-Credentials" not in reply.headers
    assert (await server.call("OPTIONS", "/nowhere")).status == 404


async def test_errors_are_readable_across_origins(server: Server) -> None:
    reply = await server.call("POST", "/note", headers={"Origin": "https://app.example"})
    assert reply.status == 401
    for name in (
        "X-Request-Id",
        "X-Total-Count",
        "Link",
        "Retry-After",
        "X-Authorized-At-Block",
        "Idempotency-Replayed",
    ):
        assert name in reply.headers["Access-Control-Expose-Headers"]


async def test_a_deprecated_get_says_so_and_has_no_head(server: Server, keys: Keys, desk: Desk) -> None:
    reply = await server.call("GET", "/mint", key=keys.usage)
    assert reply.headers["Link"] == '</core/v1/count>; rel="successor-version"'
    assert reply.headers["Cache-Control"] == "no-store"
    assert reply.headers["Deprecation"].startswith("@")
    assert (await server.call("HEAD", "/mint", key=keys.usage)).status == 405
    assert desk.count == 1


async def test_aliases_serve_the_same(server: Server, desk: Desk) -> None:
    desk.fail_with = RuntimeError()
    assert (await server.call("GET", "/noop")).status == 503
    async with server.session.get(f"http://127.0.0.1:{server.port}/noop") as response:
        assert (response.status, await response.json()) == (503, {"count": 0})


async def test_one_line_and_one_count_a_request_by_template(server: Server, world: World, keys: Keys) -> None:
    world.logs.lines.clear()
    reply = await server.call("GET", "/things?page_size=3", key=keys.usage)
    await server.call("GET", "/no/such/path", key=keys.usage)
    matched, unmatched = world.logs.named("request")
    assert matched["route"] == "/core/v1/things"
    assert matched["request_id"] == reply.headers["X-Request-Id"]
    assert (matched["method"], matched["status"], matched["client_address"]) == ("GET", 200, "127.0.0.1")
    assert (unmatched["route"], unmatched["status"]) == ("unmatched", 404)
    exposed = generate_latest(world.registry).decode()
    assert 'svc_http_requests_total{method="GET",route="/core/v1/things",status="200"} 1.0' in exposed
    assert 'route="unmatched",status="404"} 1.0' in exposed
    assert "no/such" not in exposed


async def test_odd_methods_do_not_grow_the_metrics(server: Server, world: World) -> None:
    for method in ("BREW", "STEEP"):
        await server.call(method, "/noop")
    exposed = generate_latest(world.registry).decode()
    assert 'method="other"' in exposed
    assert "BREW" not in exposed


async def hang_up(server: Server, path: str, key: str, desk: Desk) -> None:
    """Send a request, wait until its handler runs, and close the connection."""
    _, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(f"POST /core/v1{path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: {key}\r\nContent-Length: 0\r\n\r\n".encode())
    await desk.started.acquire()
    writer.close()
    await writer.wait_closed()


async def test_work_nobody_waits_for_is_cancelled_where_the_endpoint_says_so(
    server: Server, keys: Keys, desk: Desk
) -> None:
    await hang_up(server, "/abandoned", keys.usage, desk)
    assert await desk.ended.get() == "cancelled"
    await server.world.logs.wait_for("request", 2)
    assert server.world.logs.named("request")[-1]["status"] == 499


async def test_other_work_goes_on_when_the_client_is_gone(server: Server, keys: Keys, desk: Desk) -> None:
    await hang_up(server, "/slow", keys.usage, desk)
    assert (await server.call("GET", "/noop")).status == 200
    desk.go_on.set()
    assert await desk.ended.get() == "finished"


async def test_stopping_lets_running_requests_end(server: Server, keys: Keys, desk: Desk) -> None:
    running = asyncio.create_task(server.call("POST", "/slow", key=keys.usage))
    await desk.started.acquire()
    stopping = asyncio.create_task(server.runner.cleanup())
    asyncio.get_running_loop().call_later(0.05, desk.go_on.set)
    assert (await running).status == 200
    await stopping


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("asked", [LAST, LAST.replace(b"noop", b"nowhere"), b"no HTTP\r\n\r\n"])
async def test_strict_transport_security_is_told_over_tls_alone(server: Server, kind: str, asked: bytes) -> None:
    """RFC 6797, 7.2."""
    async with port_of(kind, server) as port, connected(kind, port) as (reader, writer):
        await send(writer, asked)
        told = await rest_of(reader)
    assert (b"\r\nStrict-Transport-Security: max-age=31536000\r\n" in told) == (kind == "tls")

"""The metrics port, and the API page where its files were never installed."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from pytest_aiohttp.plugin import AiohttpClient

from node.http.api_page import PAGE_PATH, add_api_page
from node.http.plain_port import METRICS_CONNECTIONS_MAX, create_metrics_application
from node.http.server import create_runner
from tests.http.endpoints import Desk
from tests.http.test_malformed_http import HOST, assert_error, parts
from tests.support.http_server import Server, World, serving

SCRAPE = b"GET /metrics HTTP/1.1\r\n" + HOST + b"\r\n"


@contextlib.asynccontextmanager
async def metrics_port(world: World, desk: Desk) -> AsyncIterator[Server]:
    """The metrics port beside a server."""
    async with serving(desk.endpoints(), world) as api:
        await api.call("GET", "/noop")
        assert api.runner.app is not None
        runner = create_runner(create_metrics_application(api.runner.app, world.registry))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        try:
            yield Server(runner.addresses[0][1], api.session, world, runner, api.checker)
        finally:
            await runner.cleanup()


async def test_metrics_show_the_registry_and_nothing_else(world: World, desk: Desk) -> None:
    async with metrics_port(world, desk) as port:
        status, headers, body = parts(await port.raw(SCRAPE))
        assert_error(await port.raw(SCRAPE.replace(b"/metrics", b"/core/v1/noop")), 404, "not_found")
    assert (status, headers["content-type"].startswith("text/plain")) == (200, True)
    assert b'svc_http_requests_total{method="GET",route="/core/v1/noop",status="200"} 1.0' in body
    assert b"python_info" not in body
    assert len([line for line in world.logs.named("request") if line["route"] == "/metrics"]) == 0


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        pytest.param(SCRAPE[:-2] + (b"X-A: " + b"a" * 8000 + b"\r\n") * 2 + b"\r\n", None, id="taken"),
        pytest.param(
            SCRAPE[:-2] + (b"X-A: " + b"a" * 8000 + b"\r\n") * 5 + b"\r\n",
            (431, "headers_too_large"),
            id="a head of 40 kB",
        ),
        pytest.param(
            SCRAPE.replace(b" /", b" http://" + b"a" * 300 + b"/"), (400, "bad_request"), id="a long authority"
        ),
        pytest.param(
            SCRAPE.replace(b"HTTP/1.1", b"HTTP/9.7"), (505, "http_version_not_supported"), id="another version"
        ),
    ],
)
async def test_the_metrics_port_has_the_bounds_of_heads(
    world: World, desk: Desk, sent: bytes, told: tuple[int, str] | None
) -> None:
    async with metrics_port(world, desk) as port:
        answer = await port.raw(sent)
    if told is None:
        assert parts(answer)[0] == 200
    else:
        assert_error(answer, *told)


async def test_the_metrics_port_gives_slow_heads_and_many_connections_up(
    world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.http.reading.HEAD_TIMEOUT_S", 0.2)
    async with metrics_port(world, desk) as port, contextlib.AsyncExitStack() as held:
        assert await port.raw(SCRAPE[:-2]) == b""
        for _ in range(METRICS_CONNECTIONS_MAX // 2):
            _, writer = await asyncio.open_connection("127.0.0.1", port.port)
            held.push_async_callback(writer.wait_closed)
            held.callback(writer.close)
        with contextlib.suppress(ConnectionError):
            assert await port.raw(SCRAPE) == b""


async def test_without_its_files_the_page_says_what_to_run(aiohttp_client: AiohttpClient, tmp_path: Path) -> None:
    application = web.Application()
    add_api_page(application, b"{}", tmp_path)
    client = await aiohttp_client(application)
    async with client.get(PAGE_PATH) as response:
        assert (response.status, "make setup" in await response.text()) == (200, True)
    async with client.get(f"{PAGE_PATH}/swagger-ui-bundle.js") as response:
        assert response.status == 404

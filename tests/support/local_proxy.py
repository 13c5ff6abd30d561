"""`svc proxy` between a test and an instance that is proven."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from aiohttp import web

from svc_client.loopback import Listen, server_of
from svc_client.proxy import Proxy
from svc_client.transport import Transport, TrustIn
from tests.support.client_attacks import Attack
from tests.support.instances import Instance, running_app
from tests.support.tls import LOOPBACK

KEY = "the-profile-key"
ANYWHERE = Listen(LOOPBACK, 0)


@dataclass
class Speaking(Instance):
    """A node whose answers carry headers that must not pass."""

    def _response(self, request: web.BaseRequest) -> web.Response:
        response = super()._response(request)
        response.headers.update(
            {
                "Access-Control-Allow-Origin": "*",
                "Access-Control-Allow-Credentials": "true",
                "Strict-Transport-Security": "max-age=1",
                "Set-Cookie": "a=b",
                "Keep-Alive": "timeout=5",
                "X-Request-Id": "r1",
            }
        )
        return response


@dataclass
class Around:
    """A proxy under test: its URL, its token and the node behind it."""

    url: str
    token: str
    node: Instance
    port: int


@asynccontextmanager
async def around(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, node: Instance | None = None, listen: Listen = ANYWHERE
) -> AsyncIterator[Around]:
    node = node or Speaking("a")
    async with running_app(node) as app:
        Attack(app, tmp_path, monkeypatch)
        transport = Transport(app.origin, None, TrustIn())
        proxy = Proxy(transport, KEY)
        runner = web.ServerRunner(server_of(proxy.answer), shutdown_timeout=1.0)
        await runner.setup()
        await web.TCPSite(runner, listen.host, listen.port).start()
        port = runner.addresses[0][1]
        proxy.origin = listen.url(port)
        try:
            yield Around(proxy.origin, proxy.token, node, port)
        finally:
            await runner.cleanup()
            await transport.close()


async def raw(port: int, text: str, host: str = LOOPBACK) -> bytes:
    """Everything that comes back for these very bytes."""
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(text.encode())
    async with asyncio.timeout(30):
        answer = await reader.read()
    writer.close()
    return answer

"""The environment, which the host can forge, names no authority and no proxy for the providers, and gets no keys."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from tests.engine.egress.certificates import tls_for
from tests.engine.egress.servers import answer, server

# In a process of its own: the library reads the environment when it is imported.
ASK = """
import asyncio, contextlib, sys
import aiohttp
from yarl import URL
from node.runtime.http_client import plain_session
from node.chain.rpc.wire import RpcUnavailableError
from node.chain.rpc.websocket import WebsocketAddress
from node.settings import Settings

async def main(how, url):
    if how == "websocket":
        with contextlib.suppress(RpcUnavailableError):
            async with WebsocketAddress(URL(url), "localhost").open():
                pass
        return
    async with plain_session() if how == "requests" else aiohttp.ClientSession(trust_env=True) as session:
        with contextlib.suppress(aiohttp.ClientError):
            await session.post(url, json={})

asyncio.run(main(*sys.argv[1:]))
"""


async def ask(how: str, url: str, environment: dict[str, str]) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.upper().endswith("_PROXY")}
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", ASK, how, url, env=clean | environment)
    assert await process.wait() == 0


@pytest.mark.parametrize(("how", "reached"), [("the library alone", True), ("requests", False), ("websocket", False)])
async def test_an_authority_of_the_environment_is_not_trusted(how: str, reached: bool, tmp_path: Path) -> None:
    serving, _ = tls_for(["localhost"], tmp_path)
    keys = tmp_path / "keys"
    forged = {"SSL_CERT_FILE": str(tmp_path / "certificate.pem"), "SSLKEYLOGFILE": str(keys)}
    async with server(serving) as origin:
        origin.by_path["/"] = answer()
        await ask(how, f"https://localhost:{origin.port}/", forged)
        assert bool(origin.asked) is reached
        assert (keys.exists() and "CLIENT" in keys.read_text()) is reached


@pytest.mark.exhaustive
@pytest.mark.parametrize(("how", "reached"), [("the library alone", True), ("requests", False), ("websocket", False)])
async def test_a_proxy_of_the_environment_is_not_asked(how: str, reached: bool) -> None:
    async with server() as proxy, server() as origin:
        origin.by_path["/"] = answer()
        forged = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), f"http://127.0.0.1:{proxy.port}")
        await ask(how, f"http://localhost:{origin.port}/", forged)
        assert bool(proxy.asked) is reached
        assert bool(origin.asked) is not reached

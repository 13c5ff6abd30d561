"""Headless Chromium, one page of it, over the DevTools protocol.

Installed by apt when the tests run as root and it is not there; where it cannot be had, tests skip and say so.
"""

import asyncio
import contextlib
import os
import shutil
import signal
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator
from functools import cache
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.support.apt import install

NO_CHROMIUM = "Chromium is not installed"
START_TIMEOUT_S = 60.0
WAIT_TIMEOUT_S = 60.0
POLL_S = 0.1
OPTIONS = (
    "--headless=new",
    "--no-sandbox",  # the tests may run as root, which Chromium's own sandbox refuses
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--remote-debugging-port=0",
)


@cache
def installed() -> bool:
    """Whether Chromium is here, after an attempt to install it when this is root (announced)."""
    if shutil.which("chromium") is None:
        install("chromium", "the test of the API page")
    return shutil.which("chromium") is not None


class BrowserPage:
    """One page: what it shows is asked for in JavaScript."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._calls = 0

    async def command(self, method: str, **parameters: object) -> Any:
        """The result of a DevTools command."""
        self._calls += 1
        await self._socket.send_json({"id": self._calls, "method": method, "params": parameters})
        while True:
            message = await self._socket.receive_json(timeout=WAIT_TIMEOUT_S)
            if message.get("id") == self._calls:
                assert "error" not in message, message
                return message["result"]

    async def value(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        found = await self.command("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    async def until(self, expression: str) -> None:
        """Wait until an expression is true."""
        async with asyncio.timeout(WAIT_TIMEOUT_S):
            while not await self.value(f"Boolean({expression})"):  # noqa: ASYNC110 - the page tells nobody
                await asyncio.sleep(POLL_S)

    async def show(self, url: str, width: int, height: int) -> None:
        """Open a page on the screen of a telephone."""
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True}
        await self.command("Emulation.setDeviceMetricsOverride", **screen)
        await self.command("Page.navigate", url=url)


@contextlib.asynccontextmanager
async def browser_page(profile: Path) -> AsyncIterator[BrowserPage]:
    """A page of a fresh browser with its profile in an empty directory; skips the test where there is no Chromium."""
    if not installed():
        pytest.skip(f"{NO_CHROMIUM}, and installing it needs root and a package source")
    command = ("chromium", *OPTIONS, f"--user-data-dir={profile}", "about:blank")
    process = await asyncio.create_subprocess_exec(*command, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True)
    try:
        port = await _port(profile / "DevToolsActivePort")
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json/list") as response:
                target = next(each for each in await response.json() if each["type"] == "page")
            async with session.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                yield BrowserPage(socket)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _port(announced: Path) -> int:
    async with asyncio.timeout(START_TIMEOUT_S):
        while not _complete(announced):  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(POLL_S)
    return int(announced.read_text().splitlines()[0])


def _complete(announced: Path) -> bool:
    """Chromium writes the port, a line feed and the path of its own endpoint."""
    return announced.exists() and len(announced.read_text().splitlines()) > 1

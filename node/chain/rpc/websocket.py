"""Websocket to one provider: bounded messages, errors by kind, and a URL that is never shown."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final, NoReturn

import aiohttp
from yarl import URL

from node.chain.rpc.wire import RpcUnavailableError
from node.errors import StartupRefusedError
from node.runtime import http_client

FAILURES: Final = (*http_client.FAILURES, RuntimeError)
"""Library errors when a websocket cannot be opened, breaks, or is used after its end."""

OPEN_TIMEOUT_S: Final = 5.0
"""Time-out of connecting, TLS and handshake together."""

CLOSE_TIMEOUT_S: Final = 1.0
"""Time for the other side to close, after which the connection is dropped."""

HEARTBEAT_S: Final = 20.0
"""Interval of pings, below proxies' usual idle time-out (60 s). A late pong ends the connection."""

MESSAGE_MAX_BYTES: Final = 256 * 1024
"""Largest message that is read, decompressed: a block header with its log bloom takes two KiB."""


def parse_url(text: str, plain: str, secure: str, setting: str) -> URL:
    """Returns a URL of a given scheme. Raises StartupRefusedError without the URL."""
    try:
        url = URL(text)
        valid = url.scheme in {plain, secure} and bool(url.host)
    except ValueError:
        valid = False
    if not valid:
        raise StartupRefusedError(setting, f"An entry is no {plain}:// or {secure}:// URL with a host.")
    return url


class Websocket:
    """Open connection. Every failure is an RpcUnavailableError that names the host alone."""

    def __init__(self, response: aiohttp.ClientWebSocketResponse, host: str) -> None:
        self._response = response
        self._host = host

    async def send(self, text: str) -> None:
        """Sends one text message. Raises RpcUnavailableError."""
        try:
            await self._response.send_str(text)
        except FAILURES:
            raise RpcUnavailableError(self._host, "its websocket is closed") from None

    async def receive(self, timeout_s: float) -> str:
        """Returns the next text message. Raises RpcUnavailableError if none comes in time."""
        try:
            message = await self._response.receive(timeout_s)
        except TimeoutError:
            raise RpcUnavailableError(self._host, "its websocket is silent") from None
        except FAILURES:
            raise RpcUnavailableError(self._host, "its websocket broke") from None
        if message.type is not aiohttp.WSMsgType.TEXT:
            raise RpcUnavailableError(self._host, "its websocket ended, or speaks no JSON")
        return str(message.data)


class WebsocketAddress:
    """Address of a provider's websocket. The URL may hold a credential; only `host` is shown."""

    def __init__(self, url: URL, host: str) -> None:
        self._url = url
        self.host: Final = host

    def __repr__(self) -> str:
        return f"WebsocketAddress({self.host})"

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[Websocket]:
        """Opens a connection that is closed on leaving. Raises RpcUnavailableError if it fails."""
        trace = aiohttp.TraceConfig()
        trace.on_request_redirect.append(_refuse_redirect)
        # Websockets follow redirects; only the trace of a session can refuse them.
        async with http_client.plain_session(trace_configs=[trace]) as session:
            response = await self._connected(session)
            try:
                yield Websocket(response, self.host)
            finally:
                # The library's limit is for one message; closing reads all that come before it.
                with contextlib.suppress(*FAILURES):
                    async with asyncio.timeout(CLOSE_TIMEOUT_S):
                        await response.close()

    async def _connected(self, session: aiohttp.ClientSession) -> aiohttp.ClientWebSocketResponse:
        try:
            async with asyncio.timeout(OPEN_TIMEOUT_S):
                return await session.ws_connect(
                    self._url,
                    timeout=aiohttp.ClientWSTimeout(ws_close=CLOSE_TIMEOUT_S),
                    heartbeat=HEARTBEAT_S,
                    max_msg_size=MESSAGE_MAX_BYTES,
                )
        except FAILURES:  # the library's own errors hold the URL
            raise RpcUnavailableError(self.host, "offers no websocket") from None


async def _refuse_redirect(*_: object) -> NoReturn:
    raise aiohttp.ClientError("redirected")

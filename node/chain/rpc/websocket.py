"""A websocket to one endpoint: bounded messages, errors by kind, and a URL that is never shown."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final, NoReturn

import aiohttp
from yarl import URL

from node.chain.rpc.errors import RpcUnavailableError
from node.errors import StartupRefusedError
from node.runtime.tls_trust import built_in_trust

FAILURES: Final = (aiohttp.ClientError, OSError, ValueError, RuntimeError)
"""What the library raises when a websocket cannot be opened, breaks, or is written to after its end."""


@dataclass(frozen=True, slots=True)
class WebsocketLimits:
    """How long a websocket may take and how much it may say.

    `open_timeout_s`: connecting, TLS and handshake together, in seconds.
    `close_timeout_s`: how long the other side may take to close, before the connection is dropped, in seconds.
    `heartbeat_s`: a ping goes out so often, in seconds; the connection ends when its pong is late by half of that.
    `message_max_bytes`: the largest message that is read, decompressed.
    """

    open_timeout_s: float = 5.0
    close_timeout_s: float = 1.0
    heartbeat_s: float = 20.0
    message_max_bytes: int = 256 * 1024


def parse_websocket_url(text: str) -> URL:
    """The URL of a ws or wss endpoint. Raises StartupRefusedError (`rpc_websocket_endpoints`)."""
    try:
        url = URL(text)
        valid = url.scheme in {"ws", "wss"} and bool(url.host)
    except ValueError:
        valid = False
    if not valid:
        raise StartupRefusedError("rpc_websocket_endpoints", "An entry is no ws:// or wss:// URL with a host.")
    return url


class Websocket:
    """An open connection. Whatever goes wrong with it is an RpcUnavailableError that names the host alone."""

    def __init__(self, response: aiohttp.ClientWebSocketResponse, host: str) -> None:
        self._response = response
        self._host = host

    async def send(self, text: str) -> None:
        """Send one text message. Raises RpcUnavailableError."""
        try:
            await self._response.send_str(text)
        except FAILURES:
            raise RpcUnavailableError(self._host, "its websocket is closed") from None

    async def receive(self, timeout_s: float) -> str:
        """The next text message. Raises RpcUnavailableError when none comes in time, or the connection ends."""
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
    """Where one endpoint takes websockets. The URL may hold a credential: only `host` is ever shown."""

    def __init__(self, url: URL, host: str) -> None:
        self._url = url
        self.host: Final = host

    def __repr__(self) -> str:
        return f"WebsocketAddress({self.host})"

    @contextlib.asynccontextmanager
    async def open(self, limits: WebsocketLimits) -> AsyncIterator[Websocket]:
        """A connection that is closed on leaving. Raises RpcUnavailableError when there is none to be had."""
        trace = aiohttp.TraceConfig()
        trace.on_request_redirect.append(_refuse_redirect)
        # A session of its own: the library's websockets follow redirects, and only a session's trace can refuse them.
        async with aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=built_in_trust()),
            trace_configs=[trace],
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
        ) as session:
            response = await self._connected(session, limits)
            try:
                yield Websocket(response, self.host)
            finally:
                # The library's own bound is for one message, and closing reads all that come before the end.
                with contextlib.suppress(*FAILURES):
                    async with asyncio.timeout(limits.close_timeout_s):
                        await response.close()

    async def _connected(
        self, session: aiohttp.ClientSession, limits: WebsocketLimits
    ) -> aiohttp.ClientWebSocketResponse:
        try:
            async with asyncio.timeout(limits.open_timeout_s):
                return await session.ws_connect(
                    self._url,
                    timeout=aiohttp.ClientWSTimeout(ws_close=limits.close_timeout_s),
                    heartbeat=limits.heartbeat_s,
                    max_msg_size=limits.message_max_bytes,
                )
        except FAILURES:  # the library's own errors hold the URL
            raise RpcUnavailableError(self.host, "offers no websocket") from None


async def _refuse_redirect(*_: object) -> NoReturn:
    raise aiohttp.ClientError("redirected")

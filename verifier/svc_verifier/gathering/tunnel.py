"""Connections through a proxy's tunnel (CONNECT), which aiohttp does not use for http."""

import asyncio
import base64
from typing import Final

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.client_reqrep import ClientRequest
from yarl import URL

from svc_verifier.gathering.host import shared_context

HEAD_BYTES: Final = 16_384
"""Bytes of the head of a proxy's response to CONNECT."""

_END: Final = b"\r\n\r\n"


class TunnelConnector(aiohttp.TCPConnector):
    """Connects to http services through a proxy's tunnel, to https ones as aiohttp does."""

    def __init__(self, proxy_url: str | None) -> None:
        super().__init__(ssl=shared_context())
        self._proxy_url = None if proxy_url is None else URL(proxy_url)

    async def _create_connection(
        self,
        req: ClientRequest,
        traces: "list[aiohttp.tracing.Trace]",
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - aiohttp's own signature
    ) -> ResponseHandler:
        if self._proxy_url is None or req.is_ssl():
            return await super()._create_connection(req, traces, timeout)
        return await self._through(self._proxy_url, req)

    async def _through(self, proxy: URL, req: ClientRequest) -> ResponseHandler:
        loop = asyncio.get_running_loop()
        secured = shared_context() if proxy.scheme == "https" else None
        try:
            transport, asking = await loop.create_connection(_Asking, proxy.host or "", proxy.port or 0, ssl=secured)
        except OSError as error:
            raise aiohttp.ClientProxyConnectionError(req.connection_key, error) from error
        try:
            transport.write(_connect(proxy, req.url))
            _require_tunnel(await asking.status, req)
            # From here on these are the service's bytes.
            handler: ResponseHandler = self._factory()
            transport.set_protocol(handler)
            handler.connection_made(transport)
        except BaseException:
            # The result is not awaited any more, so it must not end as an unretrieved error.
            asking.status.cancel()
            transport.abort()
            raise
        return handler


def _require_tunnel(status: int, req: ClientRequest) -> None:
    if status != 200:
        raise aiohttp.ClientHttpProxyError(req.request_info, (), status=status, message="the proxy refuses a tunnel")


def _connect(proxy: URL, service: URL) -> bytes:
    place = f"{service.host_subcomponent}:{service.port}"
    lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
    if proxy.user is not None:
        login = base64.b64encode(f"{proxy.user}:{proxy.password or ''}".encode()).decode()
        lines.append(f"Proxy-Authorization: Basic {login}")
    return ("\r\n".join(lines)).encode() + _END


class _Asking(asyncio.Protocol):
    """Reads a proxy's response to CONNECT. `status` is its HTTP status, 502 if malformed."""

    def __init__(self) -> None:
        self.status: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._head = bytearray()

    def data_received(self, data: bytes) -> None:
        self._head += data
        if self.status.done() or (_END not in self._head and len(self._head) <= HEAD_BYTES):
            return
        first, *_ = bytes(self._head).split(b"\r\n", 1)
        _, _, rest = first.partition(b" ")
        # Nothing was sent to the service yet, so bytes after the head are not its.
        is_head = first.startswith(b"HTTP/1.") and rest[:3].isdigit() and self._head.endswith(_END)
        self.status.set_result(int(rest[:3]) if is_head else 502)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.status.done():
            self.status.set_exception(error or aiohttp.ServerDisconnectedError())

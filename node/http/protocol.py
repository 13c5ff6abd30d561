"""aiohttp's connection handling with the node's manners: its error shape, and an end to work nobody waits for."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from aiohttp import web

from node.http.envelope import Envelope
from node.http.limits import HttpLimits

_LINGERING_S: Final = 2.0
"""How long the rest of a refused body is read and thrown away, so that the client gets to see the refusal."""


class NodeRequestHandler(web.RequestHandler):
    """One connection. What aiohttp itself refuses is answered in the error shape, and never logged with its content."""

    def __init__(self, server: "NodeServer", loop: asyncio.AbstractEventLoop) -> None:
        limits = server.limits
        super().__init__(
            server,
            loop=loop,
            access_log=None,  # type: ignore[arg-type]  # None is how aiohttp documents "no access log"
            keepalive_timeout=limits.keepalive_timeout_s,
            max_line_size=limits.max_header_bytes,
            max_field_size=limits.max_header_bytes,
            max_headers=limits.max_headers,
            lingering_time=_LINGERING_S,
            auto_decompress=False,
        )
        self._envelope = server.envelope
        self.unwanted_without_client: asyncio.Task[Any] | None = None

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,  # noqa: ARG002 - aiohttp's signature; the message may quote the request
    ) -> web.StreamResponse:
        """Answer malformed HTTP and failures outside the application, then close the connection."""
        error = exc if status >= 500 and exc is not None else web.HTTPBadRequest()
        if request.writer.output_size > 0:
            raise ConnectionError("The answer is already under way.")
        response = self._envelope.refuse(request, error)
        response.force_close()
        return response

    def log_exception(self, *args: object, exc_info: BaseException | None = None, **_: object) -> None:  # noqa: ARG002 - aiohttp's signature; the message may quote the request
        """Log a failure outside the application without its message and without any variable."""
        self._envelope.log_failure(exc_info or RuntimeError())

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Send the answer; one that aiohttp made itself becomes the error shape first."""
        if isinstance(resp, web.HTTPException):
            resp = self._envelope.refuse(request, resp)
        return await super().finish_response(request, resp, start_time)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Cancel what only the client that is gone wanted."""
        if self.unwanted_without_client is not None:
            self.unwanted_without_client.cancel()
        super().connection_lost(exc)


@contextmanager
def cancelled_on_disconnect(request: web.Request) -> Iterator[None]:
    """Inside, the running task is cancelled when the client hangs up."""
    protocol = request.protocol
    if not isinstance(protocol, NodeRequestHandler):
        yield
        return
    protocol.unwanted_without_client = asyncio.current_task()
    try:
        yield
    finally:
        protocol.unwanted_without_client = None


class NodeServer(web.Server):
    """Makes a NodeRequestHandler for each connection."""

    def __init__(self, application: web.Server, envelope: Envelope, limits: HttpLimits) -> None:
        super().__init__(application.request_handler, request_factory=application.request_factory)
        self.envelope = envelope
        self.limits = limits

    def __call__(self) -> NodeRequestHandler:
        """The protocol of one new connection."""
        return NodeRequestHandler(self, asyncio.get_running_loop())


class NodeRunner(web.AppRunner):
    """Runs the node's application: `setup()`, then a `web.TCPSite` on it, and `cleanup()` to stop gracefully."""

    def __init__(self, application: web.Application, envelope: Envelope, limits: HttpLimits) -> None:
        super().__init__(application, shutdown_timeout=limits.shutdown_timeout_s)
        self._envelope = envelope
        self._limits = limits

    async def _make_server(self) -> web.Server:
        return NodeServer(await super()._make_server(), self._envelope, self._limits)

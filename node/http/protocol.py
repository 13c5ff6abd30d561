"""aiohttp's connection handling with the node's manners: its error shape, and an end to work nobody waits for."""

import asyncio
import resource
from collections import Counter
from typing import Any, Final, cast

from aiohttp import web

from node.http import request_heads
from node.http.addresses import rate_limit_client
from node.http.byte_budget import ByteBudget
from node.http.envelope import Envelope
from node.http.request_heads import BoundedParser, HeadMemory, RequestParser
from node.settings.http import HttpSettings

ANSWER_TIMEOUT_S: Final = 60.0
"""A client that takes longer to read its answer is disconnected."""
HEADER_MAX_BYTES: Final = 8190
"""Longest single header and longest request line, as usual among HTTP servers; a longer one is 400."""
HEADERS_MAX: Final = 128
"""Most headers of one request; more are 400."""
_LINGERING_S: Final = 2.0
"""How long the rest of a refused body is read and thrown away, so that the client gets to see the refusal."""
_SMALL_ANSWER_BYTES: Final = 16 * 1024
"""Two of these and the headers stay below 64 KiB, from which on asyncio lets writers wait."""


class Connections:
    """Open connections: so many in all, and at most half of them of one address (IPv6 /64); what their heads may take.

    Whatever the setting says, half of the process's descriptors are left to everything else: without any left
    the node could neither accept, nor open a file, nor start an action.
    """

    def __init__(self, max_connections: int) -> None:
        self.head_budget = ByteBudget(request_heads.HEADS_MAX_BYTES_TOGETHER)
        descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._max = max_connections if descriptors < 0 else min(max_connections, descriptors // 2)
        self._open: Counter[str] = Counter()
        self._count = 0

    def admit(self, address: str) -> bool:
        """Count one more connection of an address (of `rate_limit_client`); False, and nothing counted, when it is one too many."""
        if self._count >= self._max or self._open[address] >= (self._max + 1) // 2:
            return False
        self._count += 1
        self._open[address] += 1
        return True

    def leave(self, address: str) -> None:
        """A connection that was admitted is gone."""
        self._count -= 1
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]


class NodeRequestHandler(web.RequestHandler):
    """One connection. What aiohttp itself refuses is answered in the error shape, and never logged with its content."""

    def __init__(self, server: "NodeServer", loop: asyncio.AbstractEventLoop, client: str | None = None) -> None:
        limits = server.limits
        super().__init__(
            server,
            loop=loop,
            access_log=None,  # type: ignore[arg-type]  # None is how aiohttp documents "no access log"
            keepalive_timeout=limits.http_keepalive_timeout_s,
            max_line_size=HEADER_MAX_BYTES,
            max_field_size=HEADER_MAX_BYTES,
            max_headers=HEADERS_MAX,
            lingering_time=_LINGERING_S,
            auto_decompress=False,
        )
        self._envelope = server.envelope
        self._open_connections = server.open_connections
        self._client = client
        self._admitted: str | None = None
        self._heads: BoundedParser | None = None
        self._head_deadline: asyncio.TimerHandle | None = None
        self._head_awaited = 0
        self.unwanted_without_client: asyncio.Task[Any] | None = None

    @property
    def peername(self) -> str | tuple[str, int, int, int] | tuple[str, int] | None:
        """Who is at the other end: the client that a proxy named, else the socket's peer."""
        if self._client is not None or self.transport is None:
            return self._client
        peer: str | tuple[str, int, int, int] | tuple[str, int] | None = self.transport.get_extra_info("peername")
        return peer

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
        """Send the answer; one that aiohttp made itself becomes the error shape first.

        A client that does not read it in time is disconnected: it would hold memory and its connection for ever.
        """
        if isinstance(resp, web.HTTPException):
            resp = self._envelope.refuse(request, resp)
        if self._fits(resp):  # nothing waits for the client then
            return await super().finish_response(request, resp, start_time)
        # Not asyncio.timeout, which costs each request more: who waits for a transport that is aborted is told so.
        unread = self._loop.call_later(ANSWER_TIMEOUT_S, self._disconnect)
        try:
            finished = await super().finish_response(request, resp, start_time)
            await request.writer.drain()
            return finished
        finally:
            unread.cancel()

    def _fits(self, response: web.StreamResponse) -> bool:
        """Whether the whole answer fits into the transport's buffer, however slowly the client reads."""
        if not isinstance(response, web.Response) or self.transport is None:
            return False
        body = response.body
        return (
            isinstance(body, bytes)
            and len(body) <= _SMALL_ANSWER_BYTES
            and self.transport.get_write_buffer_size() <= _SMALL_ANSWER_BYTES
        )

    def _disconnect(self) -> None:
        if self.transport is not None:
            self.transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to serve, or close at once what is one connection too many."""
        super().connection_made(transport)
        peer = self.peername
        address = rate_limit_client(str(peer[0]) if isinstance(peer, tuple) else peer or "")
        if self._open_connections.admit(address):
            self._admitted = address
            self._bound_heads(address)
        elif isinstance(transport, asyncio.Transport):
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Parse what arrived; a head that has begun must be complete in time."""
        super().data_received(data)
        self._watch_head()

    def _bound_heads(self, address: str) -> None:
        connections, parser = self._open_connections, cast("RequestParser", self._parser)
        memory = HeadMemory(connections.head_budget, address)
        self._heads = BoundedParser(parser, memory, self._disconnect)
        self._parser = self._heads  # type: ignore[assignment]  # aiohttp uses no more of it than RequestParser has

    def _watch_head(self) -> None:
        """Start the deadline with the first bytes of each head, and end it with the last."""
        unfinished = self._heads is not None and self._heads.is_unfinished
        if self._head_deadline is not None and not (unfinished and self._head_awaited == self._request_count):
            self._head_deadline.cancel()
            self._head_deadline = None
        if unfinished and self._head_deadline is None:
            self._head_awaited = self._request_count
            timeout_s = request_heads.HEAD_TIMEOUT_S
            self._head_deadline = self._loop.call_later(timeout_s, self._give_head_up)

    def _give_head_up(self) -> None:
        """Disconnect, unless an earlier request of this connection is in work: until its end nobody waits for the head."""
        self._head_deadline = None
        if self._waiter is None or self._waiter.done():
            self._watch_head()
        else:
            self._disconnect()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Cancel what only the client that is gone wanted."""
        if self._head_deadline is not None:
            self._head_deadline.cancel()
        if self._heads is not None:
            self._heads.close()
        if self._admitted is not None:
            self._open_connections.leave(self._admitted)
            self._admitted = None
        if self.unwanted_without_client is not None:
            self.unwanted_without_client.cancel()
        super().connection_lost(exc)


class cancelled_on_disconnect:  # noqa: N801 - a context manager, used as a function
    """Inside, the running task is cancelled when the client hangs up."""

    __slots__ = ("_protocol",)

    def __init__(self, request: web.Request) -> None:
        protocol = request.protocol
        self._protocol = protocol if isinstance(protocol, NodeRequestHandler) else None

    def __enter__(self) -> None:
        if self._protocol is not None:
            self._protocol.unwanted_without_client = asyncio.current_task()

    def __exit__(self, *_: object) -> None:
        if self._protocol is not None:
            self._protocol.unwanted_without_client = None


class NodeServer(web.Server):
    """Makes a NodeRequestHandler for each connection."""

    def __init__(
        self, application: web.Server, envelope: Envelope, limits: HttpSettings, connections: Connections
    ) -> None:
        super().__init__(application.request_handler, request_factory=application.request_factory)
        self.envelope = envelope
        self.limits = limits
        self.open_connections = connections

    def __call__(self) -> NodeRequestHandler:
        """The protocol of one new connection."""
        return self.protocol_for(None)

    def protocol_for(self, client: str | None) -> NodeRequestHandler:
        """The same, of a connection whose client a proxy named."""
        return NodeRequestHandler(self, asyncio.get_running_loop(), client)


class NodeRunner(web.AppRunner):
    """Runs the node's application: `setup()`, then a `web.TCPSite` on it, and `cleanup()` to stop gracefully.

    `connections` may be those of another runner of the same process, and are then counted together.
    """

    def __init__(
        self,
        application: web.Application,
        envelope: Envelope,
        limits: HttpSettings,
        connections: Connections,
    ) -> None:
        super().__init__(application, shutdown_timeout=limits.http_shutdown_timeout_s)
        self._envelope = envelope
        self._limits = limits
        self.connections = connections

    def protocol_for(self, client: str | None) -> NodeRequestHandler:
        """The HTTP side of one connection, and of its client's address where a proxy named it; after `setup()`."""
        server = self.server
        assert isinstance(server, NodeServer)  # noqa: S101 - the runner is set up
        return server.protocol_for(client)

    async def _make_server(self) -> web.Server:
        return NodeServer(await super()._make_server(), self._envelope, self._limits, self.connections)

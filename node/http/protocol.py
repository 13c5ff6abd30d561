"""Bounds on the connections of aiohttp's server, and the node's error shape for what is no request of the application."""

import asyncio
import resource
import socket
from collections import Counter
from typing import Any, Final, Self, cast

from aiohttp import web, web_protocol
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http_parser import HttpRequestParser
from aiohttp.payload import Payload

from node.http import reading
from node.http.answers import Envelope
from node.http.reading import PIPELINED_ENOUGH, PIPELINED_MAX, BoundedParser, shared_among_addresses
from node.runtime.limits import Held, rate_limit_client, take_off
from node.settings.http import HttpSettings

ANSWER_TIMEOUT_S: Final = 60.0
"""A client that reads nothing of what was written to it for so long is disconnected."""
_LINGERING_S: Final = 2.0
"""How long the rest of a refused body is read and thrown away, so that the client gets to see the refusal."""
_PIECE_BYTES: Final = 32 * 1024
"""Bytes of a larger answer that are written at a time; the next ones wait until the client has read most of them."""
_KERNEL_UNSENT_BYTES: Final = 128 * 1024
"""Bytes that the kernel takes beyond those on their way. By itself it takes 4 MiB for each client that does not read, of a
memory that all connections of the machine share."""
_BODY_BUFFER_BYTES: Final = 16 * 1024
"""Half of what is kept of a body that nobody reads yet: a request may come while the answer to the one before waits for its
client. aiohttp keeps half a megabyte, of small chunks three times as much."""
_READ_BYTES: Final = 64 * 1024
"""Bytes read from a socket at a time without TLS: a head that is too large is read whole, so that its refusal arrives."""

# aiohttp has no parameter for it, and lets 32 wait.
web_protocol.MAX_MSG_QUEUE_SIZE = PIPELINED_MAX


class Connections:
    """Open connections: so many in all, and at most half of them of one address (IPv6 /64); what their heads may take.

    Whatever the setting says, half of the process's descriptors are left to everything else: without any left
    the node could neither accept, nor open a file, nor start an action.
    """

    def __init__(self, max_connections: int) -> None:
        self.head_budget = shared_among_addresses(reading.HEADS_TOO_LARGE, reading.HEADS_MAX_BYTES_TOGETHER)
        # A negative limit is RLIM_INFINITY.
        descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._max = max_connections if descriptors < 0 else min(max_connections, descriptors // 2)
        self._open: Counter[str] = Counter()
        self._count = 0

    def admit(self, address: str) -> bool:
        """Count one more connection of an address (of `rate_limit_client`); False, and nothing counted, when it is one too many."""
        # Rounded up: with a limit of one an address must still get in.
        if self._count >= self._max or self._open[address] >= (self._max + 1) // 2:
            return False
        self._count += 1
        self._open[address] += 1
        return True

    def leave(self, address: str) -> None:
        """Count one connection less of an address that was admitted."""
        self._count -= 1
        take_off(self._open, address)


class PiecewiseBody(Payload):
    """Body of a response that is written as fast as its client reads it.

    Given the whole of it, the transport keeps a copy for each client that does not read: a thousand of them with one file
    of two megabytes would be two gigabytes.
    """

    def __init__(self, body: bytes | bytearray) -> None:
        super().__init__(body)
        self._body = body

    @property
    def size(self) -> int:
        """Return the length of the body."""
        return len(self._body)

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Return the body as text."""
        return self._body.decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        """Write the body, and wait for the client between its pieces."""
        whole = memoryview(self._body)
        for at in range(0, len(whole), _PIECE_BYTES):
            await writer.write(whole[at : at + _PIECE_BYTES])
            await writer.drain()
            # Also where the client reads fast: a hundred such responses would be one long step of the event loop.
            await asyncio.sleep(0)


class NodeRequestHandler(web.RequestHandler):
    """HTTP connection. A request that aiohttp itself refuses is answered in the error shape, and never logged with its content."""

    def __init__(self, server: "NodeServer", client: str | None) -> None:
        runner = server.runner
        limits = runner.limits
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            access_log=None,  # type: ignore[arg-type]  # None is how aiohttp documents "no access log"
            keepalive_timeout=limits.http_keepalive_timeout_s,
            max_line_size=reading.TARGET_MAX_BYTES,
            max_field_size=reading.HEADER_MAX_BYTES,
            max_headers=reading.HEADERS_MAX,
            lingering_time=_LINGERING_S,
            read_bufsize=_BODY_BUFFER_BYTES,
            auto_decompress=False,
        )
        self._max_msg_queue_size = PIPELINED_ENOUGH
        self._envelope = runner.envelope
        self._open_connections = runner.connections
        self._client = client
        self._admitted: str | None = None
        self._heads: BoundedParser | None = None
        self._head_deadline: asyncio.TimerHandle | None = None
        self._head_awaited = 0
        self._answered = 0
        self._unread: asyncio.TimerHandle | None = None
        self.unwanted_without_client: asyncio.Task[Any] | None = None

    @property
    def peername(self) -> str | tuple[str, int, int, int] | tuple[str, int] | None:
        """Return the client's address: the one that a proxy named, else the socket's peer."""
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
        # A fault of the client's is told without aiohttp's own message, which quotes the request.
        error = exc if status >= 500 and exc is not None else web.HTTPBadRequest()
        if isinstance(exc, reading.RefusedRequestError):
            error = exc.refusal
        # A second status line inside a started answer would be read as its body.
        if request.writer.output_size > 0:
            raise ConnectionError("The answer is already under way.")
        response = self._envelope.refuse(request, error)
        # After malformed bytes nobody knows where the next request begins (RFC 9112, 11.2).
        response.force_close()
        return response

    def log_exception(self, *args: object, exc_info: BaseException | None = None, **_: object) -> None:  # noqa: ARG002 - aiohttp's signature; the message may quote the request
        """Log a failure outside the application without its message and without any variable."""
        # The rest of a refused body may be malformed, or break off: a fault of the client's.
        if not isinstance(exc_info, web.RequestPayloadError | ConnectionError):
            self._envelope.log_failure(exc_info or RuntimeError())

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Send the response; one that aiohttp made itself becomes the error shape first."""
        if isinstance(resp, web.HTTPException):
            resp = self._envelope.refuse(request, resp)
        if (
            isinstance(resp, web.Response)
            and isinstance(resp.body, bytes | bytearray)
            and len(resp.body) > _PIECE_BYTES
        ):
            resp.body = PiecewiseBody(resp.body)
        # A body that nobody asked for is not read. Unless it is told so, a proxy sends it all the same, or its next request
        # into it (RFC 9110, 10.1.1).
        is_unasked = reading.awaits_continue(request)
        # After malformed chunks nobody knows where the next request begins.
        if is_unasked or request.content.exception() is not None:
            resp.force_close()
        finished = await super().finish_response(request, resp, start_time)
        # aiohttp would read what comes of the body for a while. Who waits to be asked for it sends none.
        if is_unasked and not request.content.total_bytes:
            self.force_close()
        self._answered += 1
        # From Python 3.12 on aiohttp runs a handler at once: without this turn a hundred requests in
        # one piece of bytes would be answered before any of another connection.
        if self._heads is not None and self._heads.completed > self._answered:
            await asyncio.sleep(0)
        return finished

    def pause_writing(self) -> None:
        """Let the writers of responses wait for the client, whom they wait for only so long."""
        super().pause_writing()
        # Of the transport: aiohttp lets go of it when it closes a connection.
        if self.transport is not None:
            self._unread = asyncio.get_running_loop().call_later(ANSWER_TIMEOUT_S, self.transport.abort)

    def resume_writing(self) -> None:
        """Let the writers go on: the client has read what was written."""
        super().resume_writing()
        self._end_wait()

    def _end_wait(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _disconnect(self) -> None:
        if self.transport is not None:
            self.transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to serve, or close the connection at once when there are too many."""
        super().connection_made(transport)
        _bound_buffers(cast("asyncio.Transport", transport))
        peer = self.peername
        address = rate_limit_client(str(peer[0]) if isinstance(peer, tuple) else peer or "")
        # Before a byte is parsed; a refusal costs no memory and sends nothing.
        if self._open_connections.admit(address):
            self._admitted = address
            self._bound_heads(address)
        elif isinstance(transport, asyncio.Transport):
            # Not close(): nothing is written, so there is nothing to wait for.
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Parse what arrived; a head that has begun must be complete in time."""
        super().data_received(data)
        # From the head's first byte, and not moved by further ones: else a byte a second keeps a connection (slowloris).
        self._watch_head()

    def _bound_heads(self, address: str) -> None:
        connections, parser = self._open_connections, cast("HttpRequestParser", self._parser)
        memory = Held(connections.head_budget, address, reading.HEAD_FREE_BYTES)
        self._heads = BoundedParser(parser, memory, self._disconnect)
        self._parser = self._heads  # type: ignore[assignment]  # aiohttp uses no more of it than this one has

    def _watch_head(self) -> None:
        """Start the deadline with the first bytes of each head, and end it with the last."""
        heads = self._heads
        if heads is None:
            return
        unfinished = heads.is_unfinished
        if self._head_deadline is not None and not (unfinished and self._head_awaited == heads.completed):
            self._head_deadline.cancel()
            self._head_deadline = None
        if unfinished and self._head_deadline is None:
            self._head_awaited = heads.completed
            loop = asyncio.get_running_loop()
            self._head_deadline = loop.call_later(reading.HEAD_TIMEOUT_S, self._give_head_up)

    def _give_head_up(self) -> None:
        """Disconnect, unless an earlier request of this connection is in work: until its end nobody waits for the head."""
        self._head_deadline = None
        if self._heads is not None and self._heads.completed > self._answered:
            self._watch_head()
        else:
            self._disconnect()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Cancel what only the client that is gone wanted."""
        self._end_wait()
        if self._head_deadline is not None:
            self._head_deadline.cancel()
        if self._heads is not None:
            self._heads.close()
        if self._admitted is not None:
            self._open_connections.leave(self._admitted)
            self._admitted = None
        unwanted = self.unwanted_without_client
        # Only once: a second cancellation would end the cleaning up after the first, a settlement for example.
        if unwanted is not None and not unwanted.cancelling():
            unwanted.cancel()
        super().connection_lost(exc)


def _bound_buffers(transport: asyncio.Transport) -> None:
    """Bound what transport and kernel keep of responses, and what one read takes; TLS has bounds of its own (node.http.tls)."""
    if transport.get_extra_info("ssl_object") is None:
        # Whatever the kernel does not take lets the writer wait: a connection is never closed with bytes left here, which
        # a client that does not read would keep for ever.
        transport.set_write_buffer_limits(high=0)
    connected = transport.get_extra_info("socket")
    # Not there on a Unix socket.
    if connected is not None and connected.family != socket.AF_UNIX:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _KERNEL_UNSENT_BYTES)
    transport.max_size = _READ_BYTES  # type: ignore[attr-defined]  # of asyncio's transports; typeshed leaves it out


class cancelled_on_disconnect:  # noqa: N801 - a context manager, used as a function
    """Context manager in which the request's task is cancelled when the client hangs up, until `detach` is called.

    Raises CancelledError at once where the client has gone already: nothing is begun for it.
    """

    __slots__ = ("_protocol",)

    def __init__(self, request: web.Request) -> None:
        protocol = request.protocol
        self._protocol = protocol if isinstance(protocol, NodeRequestHandler) else None

    def __enter__(self) -> Self:
        if self._protocol is not None:
            if self._protocol.transport is None:
                raise asyncio.CancelledError
            self._protocol.unwanted_without_client = asyncio.current_task()
        return self

    def __exit__(self, *_: object) -> None:
        self.detach()

    def detach(self) -> None:
        """Let the task go on without its client."""
        if self._protocol is not None:
            self._protocol.unwanted_without_client = None


class NodeServer(web.Server):
    """Makes a NodeRequestHandler for each connection that aiohttp itself accepts."""

    def __init__(self, application: web.Server, runner: "NodeRunner") -> None:
        super().__init__(application.request_handler, request_factory=application.request_factory)
        self.runner = runner

    def __call__(self) -> NodeRequestHandler:
        """Return the protocol of one new connection."""
        return self.runner.protocol_for(None)


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
        self.envelope = envelope
        self.limits = limits
        self.connections = connections

    def protocol_for(self, client: str | None) -> NodeRequestHandler:
        """Return the HTTP side of one connection, and of its client's address where a proxy named it; after `setup()`."""
        server = self.server
        assert isinstance(server, NodeServer)  # noqa: S101 - the runner is set up
        return NodeRequestHandler(server, client)

    async def _make_server(self) -> web.Server:
        return NodeServer(await super()._make_server(), self)

"""aiohttp's server with bounds on its connections, and with the node's error shape for bad HTTP."""

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
"""Longest time in which a client reads nothing of its response; then it is disconnected."""
_LINGERING_S: Final = 2.0
"""Longest time the rest of a refused body is read and dropped, so that the client can read why."""
_PIECE_BYTES: Final = 32 * 1024
"""Bytes of a large response written at a time. The next piece waits until most of it was read."""
_KERNEL_UNSENT_BYTES: Final = 128 * 1024
"""Most unsent bytes that the kernel buffers for a connection. Its default is 4 MiB per client, from
memory that all connections of the machine share."""
_BODY_BUFFER_BYTES: Final = 16 * 1024
"""Half of the most bytes kept of a body that is not read yet. Such a body may wait behind the
response before it. aiohttp's default keeps 512 KiB, and three times as much of small chunks."""
_READ_BYTES: Final = 64 * 1024
"""Bytes of one read without TLS. A head that is too large fits, so that its refusal arrives."""

# aiohttp has no parameter for this number; its default is 32.
web_protocol.MAX_MSG_QUEUE_SIZE = PIPELINED_MAX


class Connections:
    """Bounds on open connections, and on the memory of their heads.

    One address (IPv6 /64) may have half of the connections. Half of the process's descriptors are
    always left for other uses, since the node needs some to accept, open files and start actions.
    """

    def __init__(self, max_connections: int) -> None:
        self.head_budget = shared_among_addresses(reading.HEADS_TOO_LARGE, reading.HEADS_MAX_BYTES_TOGETHER)
        # A negative limit is RLIM_INFINITY.
        descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._max = max_connections if descriptors < 0 else min(max_connections, descriptors // 2)
        self._open: Counter[str] = Counter()
        self._count = 0

    def admit(self, address: str) -> bool:
        """Count a connection of an address (of `rate_limit_client`). Returns False if refused."""
        # Rounded up, so that a limit of one still admits an address.
        if self._count >= self._max or self._open[address] >= (self._max + 1) // 2:
            return False
        self._count += 1
        self._open[address] += 1
        return True

    def leave(self, address: str) -> None:
        """Remove one connection of an admitted address from the count."""
        self._count -= 1
        take_off(self._open, address)


class PiecewiseBody(Payload):
    """Response body that is written as fast as its client reads it.

    aiohttp's transport would copy the whole body for each client that does not read. For a thousand
    clients and a file of 2 MB that is 2 GB.
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
        """Write the body in pieces, and wait for the client between them."""
        whole = memoryview(self._body)
        for at in range(0, len(whole), _PIECE_BYTES):
            await writer.write(whole[at : at + _PIECE_BYTES])
            await writer.drain()
            # Also for fast clients, since a hundred such responses would block the event loop.
            await asyncio.sleep(0)


class NodeRequestHandler(web.RequestHandler):
    """HTTP connection. Refuses malformed HTTP in the error shape, and logs none of its content."""

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
        # Client errors are reported without aiohttp's own message, which quotes the request.
        error = exc if status >= 500 and exc is not None else web.HTTPBadRequest()
        if isinstance(exc, reading.RefusedRequestError):
            error = exc.refusal
        # A client would read a second status line as part of the body.
        if request.writer.output_size > 0:
            raise ConnectionError("The answer is already under way.")
        response = self._envelope.refuse(request, error)
        # After malformed bytes the start of the next request is unknown (RFC 9112, 11.2).
        response.force_close()
        return response

    def log_exception(self, *args: object, exc_info: BaseException | None = None, **_: object) -> None:  # noqa: ARG002 - aiohttp's signature; the message may quote the request
        """Log a failure outside the application, without its message and variables."""
        # If the rest of a refused body is malformed or breaks off, the client is at fault.
        if not isinstance(exc_info, web.RequestPayloadError | ConnectionError):
            self._envelope.log_failure(exc_info or RuntimeError())

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Send the response. One that aiohttp made itself is put into the error shape first."""
        if isinstance(resp, web.HTTPException):
            resp = self._envelope.refuse(request, resp)
        if (
            isinstance(resp, web.Response)
            and isinstance(resp.body, bytes | bytearray)
            and len(resp.body) > _PIECE_BYTES
        ):
            resp.body = PiecewiseBody(resp.body)
        # The client waits for 100 Continue, and its body is not read. The close tells a proxy not
        # to send the body, or its next request as the body (RFC 9110, 10.1.1).
        is_unasked = reading.awaits_continue(request)
        # After malformed chunks the start of the next request is unknown.
        if is_unasked or request.content.exception() is not None:
            resp.force_close()
        finished = await super().finish_response(request, resp, start_time)
        # aiohttp would wait for the body, but a client that awaits 100 Continue sends none.
        if is_unasked and not request.content.total_bytes:
            self.force_close()
        self._answered += 1
        # Since Python 3.12 aiohttp runs each handler at once. Without this yield, a hundred
        # pipelined requests would be answered before any request of another connection.
        if self._heads is not None and self._heads.completed > self._answered:
            await asyncio.sleep(0)
        return finished

    def pause_writing(self) -> None:
        """Make the writers of responses wait for the client, at most ANSWER_TIMEOUT_S."""
        super().pause_writing()
        # The transport's own method, since aiohttp drops its transport when it closes.
        if self.transport is not None:
            self._unread = asyncio.get_running_loop().call_later(ANSWER_TIMEOUT_S, self.transport.abort)

    def resume_writing(self) -> None:
        """Let the writers continue after the client has read what was written."""
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
        """Begin to serve, or close the connection if there are too many."""
        super().connection_made(transport)
        _bound_buffers(cast("asyncio.Transport", transport))
        peer = self.peername
        address = rate_limit_client(str(peer[0]) if isinstance(peer, tuple) else peer or "")
        # Before any byte is parsed, so that a refusal needs no memory and sends nothing.
        if self._open_connections.admit(address):
            self._admitted = address
            self._bound_heads(address)
        elif isinstance(transport, asyncio.Transport):
            # abort() instead of close(), since nothing was written.
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Parse what arrived. A head that has begun must be complete within HEAD_TIMEOUT_S."""
        super().data_received(data)
        # Later bytes do not extend the deadline, or a byte per second (slowloris) would suffice.
        self._watch_head()

    def _bound_heads(self, address: str) -> None:
        connections, parser = self._open_connections, cast("HttpRequestParser", self._parser)
        memory = Held(connections.head_budget, address, reading.HEAD_FREE_BYTES)
        self._heads = BoundedParser(parser, memory, self._disconnect)
        self._parser = self._heads  # type: ignore[assignment]  # aiohttp uses no more of it than this one has

    def _watch_head(self) -> None:
        """Start the deadline with the first byte of each head, and end it with the last."""
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
        """Disconnect, unless an earlier request of this connection is still in work."""
        self._head_deadline = None
        if self._heads is not None and self._heads.completed > self._answered:
            self._watch_head()
        else:
            self._disconnect()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Cancel the work that only the lost client needed."""
        self._end_wait()
        if self._head_deadline is not None:
            self._head_deadline.cancel()
        if self._heads is not None:
            self._heads.close()
        if self._admitted is not None:
            self._open_connections.leave(self._admitted)
            self._admitted = None
        unwanted = self.unwanted_without_client
        # Cancel once: a second time would interrupt the cleanup after the first (a settlement).
        if unwanted is not None and not unwanted.cancelling():
            unwanted.cancel()
        super().connection_lost(exc)


def _bound_buffers(transport: asyncio.Transport) -> None:
    """Bound what transport and kernel buffer of responses, and the size of one read."""
    if transport.get_extra_info("ssl_object") is None:
        # A transport that closes with buffered bytes stays open until its client reads them.
        # Without a buffer here, the writer waits instead. TLS has its own bounds (node.http.tls).
        transport.set_write_buffer_limits(high=0)
    connected = transport.get_extra_info("socket")
    # A Unix socket does not have this option.
    if connected is not None and connected.family != socket.AF_UNIX:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _KERNEL_UNSENT_BYTES)
    transport.max_size = _READ_BYTES  # type: ignore[attr-defined]  # of asyncio's transports; typeshed leaves it out


class cancelled_on_disconnect:  # noqa: N801 - a context manager, used as a function
    """Context manager that cancels the request's task when the client hangs up, until `detach`.

    Raises CancelledError on entry if the client has already gone, so that no work begins for it.
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
        """Let the task continue without its client."""
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
    """Runs the node's application: call `setup()`, start a `web.TCPSite`, stop by `cleanup()`.

    A runner that gets the `connections` of another one shares its bounds.
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
        """Return the HTTP side of a connection; `client` is its address if a proxy named it."""
        server = self.server
        assert isinstance(server, NodeServer)  # noqa: S101 - the runner is set up
        return NodeRequestHandler(server, client)

    async def _make_server(self) -> web.Server:
        return NodeServer(await super()._make_server(), self)

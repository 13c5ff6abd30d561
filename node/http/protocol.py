"""aiohttp's connection handling with the node's manners: its error shape, and an end to work nobody waits for."""

import asyncio
import resource
import socket
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, Self, cast

from aiohttp import HttpVersion11, web
from aiohttp.http_parser import RawRequestMessage
from aiohttp.http_writer import StreamWriter
from aiohttp.streams import StreamReader
from aiohttp.web_protocol import ERROR

from node.http import reading
from node.http.answers import DirectRoute, Envelope
from node.http.reading import BoundedParser, RequestParser, shared_among_addresses
from node.runtime.limits import Held, rate_limit_client, take_off
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


DirectRoutes = Mapping[tuple[str, str], DirectRoute]
"""By method and whole request target."""


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


class PieceWriter(StreamWriter):
    """Writes an answer as fast as its client reads it.

    aiohttp gives the transport the whole of it, which keeps a copy for each client that does not read: a thousand of them
    with one file of two megabytes would be two gigabytes.
    """

    async def write_eof(self, chunk: bytes = b"") -> None:
        """Write the rest of the answer, and wait for the client between its pieces."""
        last = max(0, len(chunk) - 1) // _PIECE_BYTES * _PIECE_BYTES
        whole = memoryview(chunk)
        for at in range(0, last, _PIECE_BYTES):
            await self.write(whole[at : at + _PIECE_BYTES], LIMIT=0)
            # Also where the client reads fast: a hundred such answers would be one long step of the event loop.
            await asyncio.sleep(0)
        await super().write_eof(chunk[last:] if last else chunk)


class NodeRequestHandler(web.RequestHandler):
    """HTTP connection. A request that aiohttp itself refuses is answered in the error shape, and never logged with its content."""

    def __init__(self, server: "NodeServer", loop: asyncio.AbstractEventLoop, client: str | None) -> None:
        runner = server.runner
        limits = runner.limits
        super().__init__(
            server,
            loop=loop,
            access_log=None,  # type: ignore[arg-type]  # None is how aiohttp documents "no access log"
            keepalive_timeout=limits.http_keepalive_timeout_s,
            max_line_size=HEADER_MAX_BYTES,
            max_field_size=HEADER_MAX_BYTES,
            max_headers=HEADERS_MAX,
            lingering_time=_LINGERING_S,
            read_bufsize=_BODY_BUFFER_BYTES,
            auto_decompress=False,
        )
        self._envelope = runner.envelope
        self._direct_routes = runner.direct_routes
        self._open_connections = runner.connections
        self._client = client
        self._admitted: str | None = None
        self._heads: BoundedParser | None = None
        self._head_deadline: asyncio.TimerHandle | None = None
        self._head_awaited = 0
        self.unwanted_without_client: asyncio.Task[Any] | None = None

    @property
    def peername(self) -> str | tuple[str, int, int, int] | tuple[str, int] | None:
        """Return the client's address: the one that a proxy named, else the socket's peer."""
        if self._client is not None or self.transport is None:
            return self._client
        peer: str | tuple[str, int, int, int] | tuple[str, int] | None = self.transport.get_extra_info("peername")
        return peer

    async def start(self) -> None:
        """Serve the requests of this connection one after another, all in the connection's own task.

        aiohttp's own `start` makes a task of each request, so that it has a copy of the context variables. The node sets
        one (`node.chain.read_meter`) and always sets it back, and a task is a tenth of what a small request costs.
        """
        # One request at a time: pipelined ones wait in `_messages`, whose heads the parser bounds.
        while not self._force_close:
            if not self._messages:
                self._waiter = self._loop.create_future()
                try:
                    await self._waiter
                finally:
                    self._waiter = None
            message, payload = self._take_message()
            try:
                is_reusable = await self._serve(message, payload)
            except asyncio.CancelledError:
                # Not raised further: a task keeps what cancelled it, whose frames hold the request and so the task. Each client
                # that hangs up would leave a circle of some hundred objects until the next full collection.
                self.force_close()
                break
            except Exception as error:  # noqa: BLE001 - a failure of the connection, told without its message
                self.log_exception(exc_info=error)
                self.force_close()
                break
            if not is_reusable or self._close or self._force_close:
                break
            self._next_keepalive_close_time = self._loop.time() + self._keepalive_timeout
            # One timer a connection, moved by its own callback: a timer a request would cost more.
            if self._keepalive_handle is None:
                self._keepalive_handle = self._loop.call_at(self._next_keepalive_close_time, self._process_keepalive)
            if self._messages:
                # Many requests are served without waiting for anything: a connection's next one, which waits already, would
                # be served before anybody else has a turn.
                await asyncio.sleep(0)
        if not self._force_close:
            self._task_handler = None
            if self.transport is not None:
                self.transport.close()

    def _take_message(self) -> tuple[Any, StreamReader]:
        message, payload = self._messages.popleft()
        if self._parser is not None:
            self._parser.message_consumed()
        if self._buffer_paused and len(self._messages) <= self._msg_queue_resume_size:
            self._resume_reading_if_drained()
        return message, payload

    async def _serve(self, message: Any, payload: StreamReader) -> bool:
        """Answer one request. Returns whether the connection may be used for another one."""
        writer, handler = PieceWriter(self, self._loop), self._request_handler
        assert self._request_factory is not None  # noqa: S101 - it is dropped with the connection, which ends the loop
        assert handler is not None  # noqa: S101 - as above
        is_request, is_awaiting = isinstance(message, RawRequestMessage), False
        if is_request:
            message, is_awaiting = reading.take_expectation(message)
        else:
            handler, message = self._make_error_handler(message), ERROR
        task = cast("asyncio.Task[None]", self._task_handler or asyncio.current_task())
        request = self._request_factory(message, payload, self, writer, task)
        if is_awaiting:
            request[reading.AWAITS_CONTINUE] = True
        route = self._direct_routes.get((message.method, message.path)) if is_request else None
        # HTTP/1.0 and interim answers need the general path's handling of the connection.
        if route is not None and message.version == HttpVersion11 and not is_awaiting:
            is_reusable = await self._serve_directly(cast("web.Request", request), route)
        else:
            response, is_reset = await self._handle_request(request, None, handler)
            is_reusable = not is_reset and bool(response.keep_alive)
        self._keepalive = is_reusable
        # What is left of a body would be parsed as the next request (RFC 9112, 9.3): it is read to its end, or the
        # connection is closed. The reading is bounded in time; at once, TCP's reset could overtake the refusal (9.6).
        # Who waits to be asked for the body, and was not, sends none: what comes then is another request, of a proxy perhaps.
        if not payload.is_eof() and (payload.total_bytes or not request.get(reading.AWAITS_CONTINUE)):
            await self._linger(payload)
        return is_reusable

    async def _serve_directly(self, request: web.Request, route: DirectRoute) -> bool:
        """Answer a request of a direct route, without aiohttp's routing and writing. Returns as `_serve`."""
        self._request_in_progress, self._current_request = True, request
        context = self._envelope.open(request)
        try:
            answer = await self._envelope.answer(request, route, context)
        finally:
            self._request_in_progress, self._current_request = False, None
            if self._handler_waiter is not None:
                self._handler_waiter.set_result(None)
        # The client hung up during the work: the answer has no reader.
        if self.transport is None or self.transport.is_closing():
            return False
        if answer.body and self._fits(answer.body):
            self.transport.write(answer.wire(context.ids, keep_alive=request.keep_alive))
            return request.keep_alive
        response, is_reset = await self.finish_response(request, answer.response(context.ids), None)
        return not is_reset and bool(response.keep_alive)

    async def _linger(self, payload: StreamReader) -> None:
        """Read the rest of a refused body and throw it away, for a while."""
        try:
            async with asyncio.timeout(self._lingering_time):
                while not payload.is_eof() and not self._force_close:
                    await payload.readany()
        except (TimeoutError, web.RequestPayloadError, ConnectionError):
            self.close()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,  # noqa: ARG002 - aiohttp's signature; the message may quote the request
    ) -> web.StreamResponse:
        """Answer malformed HTTP and failures outside the application, then close the connection."""
        # A fault of the client's is 400 without aiohttp's own message, which quotes the request.
        error = exc if status >= 500 and exc is not None else web.HTTPBadRequest()
        # A second status line inside a started answer would be read as its body.
        if request.writer.output_size > 0:
            raise ConnectionError("The answer is already under way.")
        response = self._envelope.refuse(request, error)
        # After malformed bytes nobody knows where the next request begins (RFC 9112, 11.2).
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
        # A body that nobody asked for is not read. Unless it is told so, a proxy sends it all the same, or its next request
        # into it (RFC 9110, 10.1.1).
        if request.get(reading.AWAITS_CONTINUE) and not request.content.is_eof():
            resp.force_close()
        if isinstance(resp, web.Response) and self._fits(resp.body):  # nothing waits for the client then
            return await super().finish_response(request, resp, start_time)
        # Not asyncio.timeout, which costs each request more: aborting the transport raises in whoever waits for it.
        unread = self._loop.call_later(ANSWER_TIMEOUT_S, self._disconnect)
        try:
            finished = await super().finish_response(request, resp, start_time)
            await request.writer.drain()
            return finished
        finally:
            unread.cancel()

    def _fits(self, body: object) -> bool:
        """Return whether the whole answer fits into the transport's buffer, however slowly the client reads."""
        return (
            isinstance(body, bytes)
            and len(body) <= _SMALL_ANSWER_BYTES
            and self.transport is not None
            and self.transport.get_write_buffer_size() <= _SMALL_ANSWER_BYTES
        )

    def cancel_without_client(self) -> None:
        """Cancel the request in work when the client hangs up; the connection's task is the request's task."""
        self.unwanted_without_client = self._task_handler

    def _disconnect(self) -> None:
        if self.transport is not None:
            self.transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to serve, or close the connection at once when there are too many."""
        super().connection_made(transport)
        _bound_buffers(transport)
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
        connections, parser = self._open_connections, cast("RequestParser", self._parser)
        memory = Held(connections.head_budget, address, reading.HEAD_FREE_BYTES)
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
            timeout_s = reading.HEAD_TIMEOUT_S
            self._head_deadline = self._loop.call_later(timeout_s, self._give_head_up)

    def _give_head_up(self) -> None:
        """Disconnect, unless an earlier request of this connection is in work: until its end nobody waits for the head."""
        self._head_deadline = None
        # `_waiter` is pending exactly while the connection waits for a request.
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
        unwanted = self.unwanted_without_client
        # Only once: a second cancellation would end the cleaning up after the first, a settlement for example.
        if unwanted is not None and not unwanted.cancelling():
            unwanted.cancel()
        super().connection_lost(exc)


def _bound_buffers(transport: asyncio.BaseTransport) -> None:
    """Bound what the kernel keeps of answers, and what one read takes; TLS has its own bound on the latter."""
    connected = transport.get_extra_info("socket")
    # Not there on a Unix socket.
    if connected is not None and connected.family != socket.AF_UNIX:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _KERNEL_UNSENT_BYTES)
    transport.max_size = _READ_BYTES  # type: ignore[attr-defined]  # of asyncio's transports; typeshed leaves it out


class cancelled_on_disconnect:  # noqa: N801 - a context manager, used as a function
    """Context manager in which the running task is cancelled when the client hangs up, until `detach` is called."""

    __slots__ = ("_protocol",)

    def __init__(self, request: web.Request) -> None:
        protocol = request.protocol
        self._protocol = protocol if isinstance(protocol, NodeRequestHandler) else None

    def __enter__(self) -> Self:
        if self._protocol is not None:
            self._protocol.cancel_without_client()
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

    `direct_routes` are found by method and path as they stand in the request line, before any router is asked.
    `connections` may be those of another runner of the same process, and are then counted together.
    """

    def __init__(
        self,
        application: web.Application,
        envelope: Envelope,
        direct_routes: DirectRoutes,
        limits: HttpSettings,
        connections: Connections,
    ) -> None:
        super().__init__(application, shutdown_timeout=limits.http_shutdown_timeout_s)
        self.envelope = envelope
        self.direct_routes = direct_routes
        self.limits = limits
        self.connections = connections

    def protocol_for(self, client: str | None) -> NodeRequestHandler:
        """Return the HTTP side of one connection, and of its client's address where a proxy named it; after `setup()`."""
        server = self.server
        assert isinstance(server, NodeServer)  # noqa: S101 - the runner is set up
        return NodeRequestHandler(server, asyncio.get_running_loop(), client)

    async def _make_server(self) -> web.Server:
        return NodeServer(await super()._make_server(), self)

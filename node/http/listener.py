"""TCP ports with their own accept loop, which bounds the time and number of handshakes.

A handshake is the PROXY header, if the peer is a proxy, and TLS on the HTTPS port. asyncio's TLS
server cannot change its certificate, and counts a connection only after its handshake.
"""

import asyncio
import contextlib
import itertools
import socket
import ssl
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol, Self

from node.http.answers import Logger
from node.http.proxy_header import ProxyHeaderError, announced_client, needed_bytes
from node.http.rate import Proxies
from node.http.tls import TlsConnection
from node.runtime.limits import rate_limit_client, take_off
from node.runtime.tasks import TaskSet

PAUSE_AFTER_FAILURE_S: Final = 0.5
"""Pause after an accept failed for lack of descriptors or memory, which prevents a busy loop."""
BACKLOG: Final = 1024
ACCEPTED_A_TURN: Final = 16
"""Connections accepted before other tasks run; each takes about 50 microseconds."""
HANDSHAKE_TIMEOUT_S: Final = 10.0
"""Longest time from the connection to the end of its handshake, several round trips of a phone."""
FIRST_MESSAGE_MAX_BYTES: Final = 5 + 16_384
"""Most bytes of a first message: one TLS record (RFC 8446, 5.1)."""

Protocols = Callable[[str | None], asyncio.BaseProtocol]
"""Makes the HTTP side of one connection. The argument is the address that a proxy named, if any."""


class Listener(ABC):
    """Accepts connections. A peer in `proxies` must send a PROXY header; others may not.

    A connection has HANDSHAKE_TIMEOUT_S until it is handed over. At most `handshakes_max` are in
    progress, half of them of one client address (IPv6 /64); further connections are closed.
    """

    def __init__(self, protocols: Protocols, handshakes_max: int, proxies: Proxies, logger: Logger) -> None:
        self._protocols = protocols
        self._handshakes_max = handshakes_max
        self._proxies = proxies
        self._logger = logger
        self._sockets: list[socket.socket] = []
        self._accepting = TaskSet("listener")
        self._handshakes = TaskSet("listener")
        self._by_address: Counter[str] = Counter()

    @abstractmethod
    async def _receive(self, connection: socket.socket, client: str | None) -> None:
        """Hand the connection over, or close it; `client` is the address a proxy named, if any."""

    @property
    def port(self) -> int:
        """Port number of the listening socket."""
        port: int = self._sockets[0].getsockname()[1]
        return port

    async def start(self, host: str, port: int) -> Self:
        """Listen. Raises OSError when the address is not available."""
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        try:
            for family, _, _, _, address in dict.fromkeys(found):
                self._sockets.append(_listening(family, address))
        except OSError:
            self._close_sockets()
            raise
        for each in self._sockets:
            self._accepting.start(self._accept(each))
        return self

    async def close(self) -> None:
        """Stop accepting. Connections that were handed over continue."""
        await self._accepting.stop()
        await self._handshakes.stop()
        self._close_sockets()

    def _close_sockets(self) -> None:
        for each in self._sockets:
            each.close()
        self._sockets = []

    async def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        for count in itertools.count(1):
            # `sock_accept` does not yield while connections wait, so a flood would block the loop.
            if count % ACCEPTED_A_TURN == 0:
                await asyncio.sleep(0)
            try:
                connection, address = await loop.sock_accept(listening)
            except ConnectionError:
                continue  # the client has already gone
            except OSError as error:
                why = error.strerror
                self._logger.error("port_cannot_accept", reason=why)  # noqa: TRY400 - no values in logs
                await asyncio.sleep(PAUSE_AFTER_FAILURE_S)
                continue
            self._begin(connection, str(address[0]))

    def _begin(self, connection: socket.socket, peer: str) -> None:
        """Start the handshake. A proxy's connection counts for its client, once that is known."""
        announced = self._proxies.include(peer)
        # Closed without a byte, so that a refusal costs less than a handshake. A proxy has many
        # clients, so the bound of one address does not apply to its own address.
        if len(self._handshakes) >= self._handshakes_max or (not announced and self._is_full(rate_limit_client(peer))):
            connection.close()
            return
        self._handshakes.start(self._arrive(connection, peer, announced=announced))

    def _is_full(self, address: str) -> bool:
        return self._by_address[address] >= (self._handshakes_max + 1) // 2

    async def _arrive(self, connection: socket.socket, peer: str, *, announced: bool) -> None:
        """Bring a connection to its protocol. A failure is the client's, and ends only this one."""
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(HANDSHAKE_TIMEOUT_S):
                client = await self._announced(connection) if announced else None
                address = rate_limit_client(client or peer)
                # Only now is a proxied client known. One deadline covers both header and TLS.
                if self._is_full(address):
                    connection.close()
                    return
                with self._counted(address):
                    await self._receive(connection, client)

    async def _announced(self, connection: socket.socket) -> str | None:
        """Returns the client that the proxy names. Reads only the header.

        Closes the connection and raises OSError on failure, also for bytes that are no header.
        """
        with contextlib.ExitStack() as unless_named:
            # The header is mandatory, or a client could send one through a plain proxy.
            unless_named.callback(connection.close)
            try:
                client = announced_client(await _header(connection))
            except ProxyHeaderError as error:
                self._logger.error("proxy_header_refused", reason=str(error))  # noqa: TRY400 - no values in logs
                raise ConnectionAbortedError from None
            unless_named.pop_all()
            return client

    @contextmanager
    def _counted(self, address: str) -> Iterator[None]:
        self._by_address[address] += 1
        try:
            yield
        finally:
            take_off(self._by_address, address)


class PlainListener(Listener):
    """HTTP port whose proxies name their clients by the PROXY protocol."""

    async def _receive(self, connection: socket.socket, client: str | None) -> None:
        loop = asyncio.get_running_loop()
        await loop.connect_accepted_socket(lambda: self._protocols(client), connection)


class Certificates(Protocol):
    """Chooses the certificate of each connection; the choice changes over time."""

    @property
    def looking(self) -> bool:
        """Whether the first bytes of a connection decide the certificate."""
        ...

    def needed_bytes(self, start: bytes) -> int | None:
        """Returns the first message's length if `start` shows it; None if no more is needed."""
        ...

    def context(self, first: bytes) -> ssl.SSLContext | None:
        """Returns the TLS context for a first message (may be empty); None if there is none."""
        ...

    def is_proof(self, context: ssl.SSLContext) -> bool:
        """Returns whether the handshake alone is a proof (RFC 8737) and no request may follow."""
        ...


class TlsListener(Listener):
    """HTTPS port that gives each connection the current certificate."""

    def __init__(
        self, protocols: Protocols, certificates: Certificates, handshakes_max: int, proxies: Proxies, logger: Logger
    ) -> None:
        super().__init__(protocols, handshakes_max, proxies, logger)
        self._certificates = certificates

    async def _receive(self, connection: socket.socket, client: str | None) -> None:
        context = await self._chosen(connection)
        if context is not None:
            await self._connect(connection, context, client)

    async def _chosen(self, connection: socket.socket) -> ssl.SSLContext | None:
        """Returns the connection's TLS context. Closes the connection if there is none."""
        context = None
        try:
            context = self._certificates.context(await self._first_bytes(connection))
        finally:
            if context is None:
                connection.close()
        return context

    async def _connect(self, connection: socket.socket, context: ssl.SSLContext, client: str | None) -> None:
        """Hand the connection over to its protocol after the handshake; close it on failure."""
        proof = self._certificates.is_proof(context)
        loop = asyncio.get_running_loop()
        shaken: asyncio.Future[None] = loop.create_future()
        protocol = _HangUp() if proof else self._protocols(client)
        transport, _ = await loop.connect_accepted_socket(
            lambda: TlsConnection(loop, protocol, context, shaken), connection
        )
        try:
            await shaken
        except BaseException:
            transport.abort()
            raise

    async def _first_bytes(self, connection: socket.socket) -> bytes:
        """Peek at the first message if it decides the certificate; else return no bytes."""
        if not self._certificates.looking:
            return b""
        seen, wanted = b"", 1
        try:
            while len(seen) < wanted <= FIRST_MESSAGE_MAX_BYTES:
                # The kernel wakes the loop when `wanted` bytes have arrived, or no more will come.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, wanted)
                await _readable(connection)
                before, seen = len(seen), connection.recv(FIRST_MESSAGE_MAX_BYTES, socket.MSG_PEEK)
                needed = self._certificates.needed_bytes(seen)
                if needed is None or len(seen) <= before:
                    break
                wanted = needed
        finally:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1)
        return seen


class _HangUp(asyncio.Protocol):
    """Closes each connection at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


async def _readable(connection: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(connection, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(connection)


async def _header(connection: socket.socket) -> bytes:
    """Read a PROXY header. Raises ProxyHeaderError, and OSError when the connection ends early."""
    loop = asyncio.get_running_loop()
    seen = b""
    while len(seen) < (needed := needed_bytes(seen)):
        more = await loop.sock_recv(connection, needed - len(seen))
        if not more:
            raise ConnectionResetError
        seen += more
    return seen


def _listening(family: int, address: tuple[object, ...]) -> socket.socket:
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        # A restarted node must not wait for connections in TIME_WAIT.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            # Otherwise the IPv6 socket also takes the IPv4 port, and binding that one fails.
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
        listening.setblocking(False)
    except OSError:
        listening.close()
        raise
    return listening

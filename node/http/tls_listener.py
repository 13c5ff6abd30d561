"""The HTTPS port: each connection gets the certificate of the moment, and a bounded time to shake hands.

asyncio's own TLS server is given one certificate for ever, and counts nothing until a handshake is over.
"""

import asyncio
import contextlib
import socket
import ssl
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol, Self

from node.http.envelope import Logger

PAUSE_AFTER_FAILURE_S: Final = 0.5
"""Without descriptors or memory, trying at once again would only take the rest of the processor."""
BACKLOG: Final = 1024
LONGEST_LOOK_BYTES: Final = 5 + 16_384
"""A TLS record (RFC 8446, 5.1)."""


@dataclass(frozen=True, slots=True)
class TlsLimits:
    """What a client may take before it is one."""

    handshake_timeout_s: float = 10.0
    """From the connection to the end of its handshake."""
    shutdown_timeout_s: float = 5.0
    """How long the other side may take to say goodbye."""
    max_handshakes: int = 1024
    """Handshakes under way, at most half of them with one address; further connections are closed."""


class Certificates(Protocol):
    """What TLS is spoken with. The answers change from one connection to the next."""

    @property
    def looking(self) -> bool:
        """Whether the first bytes of a connection decide."""
        ...

    def needed_bytes(self, start: bytes) -> int | None:
        """How long the first message is, as far as its `start` tells; None when no more need be seen."""
        ...

    def context(self, first: bytes) -> ssl.SSLContext | None:
        """What to speak TLS with, after the first message where it was looked at; None: not at all yet."""
        ...

    def is_proof(self, context: ssl.SSLContext) -> bool:
        """Whether the handshake is all there is to it: no request may be made over it."""
        ...


class TlsListener:
    """Accepts on an address and hands each connection to `protocols`, which makes the HTTP side of one connection."""

    def __init__(
        self,
        protocols: Callable[[], asyncio.BaseProtocol],
        certificates: Certificates,
        limits: TlsLimits,
        logger: Logger,
    ) -> None:
        self._protocols = protocols
        self._certificates = certificates
        self._limits = limits
        self._logger = logger
        self._sockets: list[socket.socket] = []
        self._accepting: list[asyncio.Task[None]] = []
        self._handshakes: set[asyncio.Task[None]] = set()
        self._by_address: Counter[str] = Counter()

    @property
    def port(self) -> int:
        """Where it listens."""
        port: int = self._sockets[0].getsockname()[1]
        return port

    async def start(self, host: str, port: int) -> Self:
        """Listen. Raises OSError when the address cannot be had."""
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        try:
            for family, _, _, _, address in dict.fromkeys(found):
                self._sockets.append(_listening(family, address))
        except OSError:
            self._close_sockets()
            raise
        self._accepting = [asyncio.create_task(self._accept(each)) for each in self._sockets]
        return self

    async def close(self) -> None:
        """Accept no more; connections whose handshake is over are left to whoever made the protocols."""
        tasks = [*self._accepting, *self._handshakes]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._close_sockets()

    def _close_sockets(self) -> None:
        for each in self._sockets:
            each.close()
        self._sockets = []

    async def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, address = await loop.sock_accept(listening)
            except ConnectionError:
                continue  # who wanted to connect has gone
            except OSError as error:
                why = error.strerror
                self._logger.error("https_cannot_accept", reason=why)  # noqa: TRY400 - no values in logs
                await asyncio.sleep(PAUSE_AFTER_FAILURE_S)
                continue
            self._begin(connection, str(address[0]))

    def _begin(self, connection: socket.socket, address: str) -> None:
        most = self._limits.max_handshakes
        if len(self._handshakes) >= most or self._by_address[address] >= (most + 1) // 2:
            connection.close()
            return
        task = asyncio.create_task(self._shake_hands(connection, address))
        self._handshakes.add(task)
        task.add_done_callback(self._handshakes.discard)

    async def _shake_hands(self, connection: socket.socket, address: str) -> None:
        """From the connection to its protocol. What fails here is the client's, and concerns nobody else."""
        with self._counted(address), contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(self._limits.handshake_timeout_s):
                context = await self._chosen(connection)
                if context is not None:
                    await self._connect(connection, context)

    @contextmanager
    def _counted(self, address: str) -> Iterator[None]:
        self._by_address[address] += 1
        try:
            yield
        finally:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]

    async def _chosen(self, connection: socket.socket) -> ssl.SSLContext | None:
        """What this connection gets; closed when that is nothing, or when the client goes meanwhile."""
        context = None
        try:
            context = self._certificates.context(await self._first_bytes(connection))
        finally:
            if context is None:
                connection.close()
        return context

    async def _connect(self, connection: socket.socket, context: ssl.SSLContext) -> None:
        """Hand over: from here on the connection is asyncio's, which closes it whatever comes of the handshake."""
        proof = self._certificates.is_proof(context)
        await asyncio.get_running_loop().connect_accepted_socket(
            _HangUp if proof else self._protocols,
            connection,
            ssl=context,
            ssl_handshake_timeout=self._limits.handshake_timeout_s,
            ssl_shutdown_timeout=self._limits.shutdown_timeout_s,
        )

    async def _first_bytes(self, connection: socket.socket) -> bytes:
        """Look at the first message without taking it from the connection; empty when nobody asks what it says."""
        if not self._certificates.looking:
            return b""
        seen, wanted = b"", 1
        try:
            while len(seen) < wanted <= LONGEST_LOOK_BYTES:
                # The system wakes us when so much is there, or when no more comes: then nothing was gained by waiting.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, wanted)
                await _readable(connection)
                before, seen = len(seen), connection.recv(LONGEST_LOOK_BYTES, socket.MSG_PEEK)
                needed = self._certificates.needed_bytes(seen)
                if needed is None or len(seen) <= before:
                    break
                wanted = needed
        finally:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1)
        return seen


class _HangUp(asyncio.Protocol):
    """Closes at once."""

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


def _listening(family: int, address: tuple[object, ...]) -> socket.socket:
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
        listening.setblocking(False)
    except OSError:
        listening.close()
        raise
    return listening

"""The HTTPS port: each connection gets the certificate of the moment, and a bounded time to shake hands.

asyncio's own TLS server is given one certificate for ever, and counts nothing until a handshake is over.
"""

import asyncio
import socket
import ssl
from dataclasses import dataclass
from typing import Final, Protocol

from node.http.addresses import Proxies
from node.http.envelope import Logger
from node.http.listener import Listener, Protocols

LONGEST_LOOK_BYTES: Final = 5 + 16_384
"""A TLS record (RFC 8446, 5.1)."""


@dataclass(frozen=True, slots=True)
class TlsLimits:
    """What a client may take before it is one."""

    handshake_timeout_s: float = 10.0
    """From the connection to the end of its handshake, a PROXY header before it included; on the HTTP port to that
    header's end."""
    shutdown_timeout_s: float = 5.0
    """How long the other side may take to say goodbye."""
    max_handshakes: int = 1024
    """Handshakes under way, at most half of them with one address (IPv6 /64); further connections are closed."""


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


class TlsListener(Listener):
    """Accepts on an address and hands each connection to `protocols` once TLS is spoken over it."""

    def __init__(
        self,
        protocols: Protocols,
        certificates: Certificates,
        limits: TlsLimits,
        logger: Logger,
        proxies: Proxies,
    ) -> None:
        super().__init__(limits.handshake_timeout_s, limits.max_handshakes, proxies, logger)
        self._protocols = protocols
        self._certificates = certificates
        self._limits = limits

    async def _receive(self, connection: socket.socket, client: str | None) -> None:
        context = await self._chosen(connection)
        if context is not None:
            await self._connect(connection, context, client)

    async def _chosen(self, connection: socket.socket) -> ssl.SSLContext | None:
        """What this connection gets; closed when that is nothing, or when the client goes meanwhile."""
        context = None
        try:
            context = self._certificates.context(await self._first_bytes(connection))
        finally:
            if context is None:
                connection.close()
        return context

    async def _connect(self, connection: socket.socket, context: ssl.SSLContext, client: str | None) -> None:
        """Hand over: from here on the connection is asyncio's, which closes it whatever comes of the handshake."""
        proof = self._certificates.is_proof(context)
        await asyncio.get_running_loop().connect_accepted_socket(
            _HangUp if proof else lambda: self._protocols(client),
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

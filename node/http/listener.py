"""A port with its own accept loop: what comes before a connection's HTTP side is bounded in time and number.

That is the PROXY header, where the peer is a proxy that is to send one, and whatever a kind of port adds (TLS).
"""

import asyncio
import contextlib
import socket
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Self

from node.http.addresses import Proxies, rate_limit_client
from node.http.envelope import Logger
from node.http.proxy_header import ProxyHeaderError, announced_client, needed_bytes

PAUSE_AFTER_FAILURE_S: Final = 0.5
"""Without descriptors or memory, trying at once again would only take the rest of the processor."""
BACKLOG: Final = 1024

Protocols = Callable[[str | None], asyncio.BaseProtocol]
"""Makes the HTTP side of one connection, given the client's address where a proxy named it."""


class Listener(ABC):
    """Accepts on an address. A peer in `proxies` must name its client first, by a PROXY header; nobody else may.

    A connection has `deadline_s` from its beginning to its hand-over. So many (`most`) may be on their way, at most
    half of them of one client address (IPv6 /64); further ones are closed.
    """

    def __init__(self, deadline_s: float, most: int, proxies: Proxies, logger: Logger) -> None:
        self._deadline_s = deadline_s
        self._most = most
        self._proxies = proxies
        self._logger = logger
        self._sockets: list[socket.socket] = []
        self._accepting: list[asyncio.Task[None]] = []
        self._handshakes: set[asyncio.Task[None]] = set()
        self._by_address: Counter[str] = Counter()

    @abstractmethod
    async def _receive(self, connection: socket.socket, client: str | None) -> None:
        """Hand the connection over, or close it; `client` is the address a proxy named."""

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
        """Accept no more; connections that were handed over are left to whoever made the protocols."""
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
                self._logger.error("port_cannot_accept", reason=why)  # noqa: TRY400 - no values in logs
                await asyncio.sleep(PAUSE_AFTER_FAILURE_S)
                continue
            self._begin(connection, str(address[0]))

    def _begin(self, connection: socket.socket, peer: str) -> None:
        """A proxy's connection counts among all while its client is not known; any other at once as its peer's."""
        announced = self._proxies.include(peer)
        if len(self._handshakes) >= self._most or (not announced and self._is_full(rate_limit_client(peer))):
            connection.close()
            return
        task = asyncio.create_task(self._arrive(connection, peer, announced=announced))
        self._handshakes.add(task)
        task.add_done_callback(self._handshakes.discard)

    def _is_full(self, address: str) -> bool:
        return self._by_address[address] >= (self._most + 1) // 2

    async def _arrive(self, connection: socket.socket, peer: str, *, announced: bool) -> None:
        """From the connection to its protocol. What fails here is the client's, and concerns nobody else."""
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(self._deadline_s):
                client = await self._announced(connection) if announced else None
                address = rate_limit_client(client or peer)
                if self._is_full(address):
                    connection.close()
                    return
                with self._counted(address):
                    await self._receive(connection, client)

    async def _announced(self, connection: socket.socket) -> str | None:
        """Whom the proxy names, having read its header and nothing more; else the connection is closed.

        Raises OSError, also when the header is none.
        """
        with contextlib.ExitStack() as unless_named:
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
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]


async def _header(connection: socket.socket) -> bytes:
    """Raises ProxyHeaderError, and OSError when the connection ends before."""
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

"""Connections of actions: names are resolved fairly among accounts, and only checked addresses are connected to."""

import asyncio
import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, ip_address
from typing import Protocol

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from node.engine.egress.targets import AddressPolicy
from node.runtime.limits import FairPlaces, Held
from node.values import IpAddress


class Resolver(Protocol):
    """Returns every address of a name; none where it has none."""

    async def __call__(self, host: str, account: int) -> Sequence[IpAddress]:
        """Resolve `host`, without a trailing dot, for an action of `account`."""
        ...


class SystemResolver:
    """A Resolver by getaddrinfo, each call in a thread of its own that survives its caller.

    The thread pool of the rest of the node is not used. A hostile name server holds a thread for as long as the system's
    resolver lets it, and the thread counts against its account until it ends.
    """

    def __init__(
        self,
        threads_max: int,
        threads_max_per_account: int,
        ask: Callable[[str], Sequence[IpAddress]] | None = None,
    ) -> None:
        self._threads = FairPlaces(threads_max, threads_max_per_account, lambda account: account)
        self._ask = ask or _addresses

    async def __call__(self, host: str, account: int) -> Sequence[IpAddress]:
        """Resolve `host` as a whole name: with the trailing dot no search domain of this machine is tried."""
        await self._threads.take(account, self._threads.free)
        loop = asyncio.get_running_loop()
        found: asyncio.Future[Sequence[IpAddress]] = loop.create_future()

        def settle(addresses: Sequence[IpAddress]) -> None:
            # When the thread ends, not when the caller gives up: the thread is what is scarce.
            self._threads.free(account)
            if not found.done():
                found.set_result(addresses)

        def resolve() -> None:
            addresses: Sequence[IpAddress] = ()
            try:
                addresses = self._ask(host + ".")
            finally:
                with contextlib.suppress(RuntimeError):  # the loop has been closed meanwhile
                    loop.call_soon_threadsafe(settle, addresses)

        try:
            threading.Thread(target=resolve, name="resolver", daemon=True).start()
        except RuntimeError:
            settle(())
        return await found


def _addresses(name: str) -> Sequence[IpAddress]:
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
        return [ip_address(entry[4][0]) for entry in found]
    except (OSError, ValueError):
        return []


_LOOPBACK = (ip_address("127.0.0.1"), ip_address("::1"))

AddressInfo = tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[object, ...]]
"""Entry of `socket.getaddrinfo`: family, type, protocol, canonical name, socket address."""


class CheckedResolver(AbstractResolver):
    """Looks a name up once for a connection, checks every address, and returns exactly those to connect to."""

    def __init__(self, resolver: Resolver, policy: AddressPolicy, account: int) -> None:
        self._resolver = resolver
        self._policy = policy
        self._account = account

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Resolve the name. Raises FetchRefusedError unless all of its addresses may be reached."""
        del family  # both are asked for
        addresses = await self._addresses(host)
        # Checked and connected to from one look-up: a second one could answer differently (DNS rebinding).
        self._policy.check_addresses(host, addresses)
        return [_result(host, port, address) for address in addresses]

    async def close(self) -> None:
        """Do nothing: nothing is held."""

    async def _addresses(self, host: str) -> Sequence[IpAddress]:
        if host == "localhost" or host.endswith(".localhost"):
            return _LOOPBACK
        return await self._resolver(host, self._account)


class CountedSocket(socket.socket):
    """A socket that is counted in `held` from its creation until it is closed. Raises LimitReachedError."""

    def __init__(self, held: Held, family: int, kind: int, protocol: int) -> None:
        # Before the socket exists, so that the limit is never exceeded.
        held.add(1)
        self._held = held
        try:
            super().__init__(family, kind, protocol)
        except BaseException:
            held.release()
            raise

    def close(self) -> None:
        """Close it, and stop counting it."""
        super().close()
        self._held.release()


def checked_connector(
    resolver: CheckedResolver, policy: AddressPolicy, connections: int, tls: ssl.SSLContext, held: Callable[[], Held]
) -> aiohttp.TCPConnector:
    """Return the connector of one action, each of whose sockets is counted by what `held` returns.

    Actions do not share connections: a server might have left in one an answer that is meant for another action.
    """

    def open_socket(info: AddressInfo) -> socket.socket:
        # The last check, of the very address that is about to be connected to, wherever it came from.
        if not policy.is_open(ip_address(str(info[4][0]))):
            raise PermissionError("an address that was not checked")
        return CountedSocket(held(), info[0], info[1], info[2])

    return aiohttp.TCPConnector(
        resolver=resolver,
        # A cached answer would be connected to without having been checked for this request.
        use_dns_cache=False,
        ssl=tls,
        limit=connections,
        socket_factory=open_socket,
    )


def _result(host: str, port: int, address: IpAddress) -> ResolveResult:
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
    return ResolveResult(hostname=host, host=str(address), port=port, family=family, proto=0, flags=flags)

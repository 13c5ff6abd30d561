"""Connects actions to checked addresses, and resolves names fairly among accounts."""

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
    """Returns every address of a name, or none."""

    async def __call__(self, host: str, account: int) -> Sequence[IpAddress]:
        """Resolves `host`, without a trailing dot, for an action of `account`."""
        ...


class SystemResolver:
    """A Resolver by getaddrinfo. Each call has its own thread, which survives its caller.

    It uses no pool of the node. A hostile name server holds a thread until the system's resolver
    gives up, and the thread counts against its account until then.
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
        """Resolves `host` as a whole name. The trailing dot avoids local search domains."""
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
                with contextlib.suppress(RuntimeError):  # the loop is closed
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
"""Entry of `socket.getaddrinfo` (family, type, protocol, canonical name, socket address)."""


class CheckedResolver(AbstractResolver):
    """Resolves a name once per connection, and returns its addresses if all are permitted."""

    def __init__(self, resolver: Resolver, policy: AddressPolicy, account: int) -> None:
        self._resolver = resolver
        self._policy = policy
        self._account = account

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Resolves the name. Raises FetchRefusedError unless all its addresses may be reached."""
        del family  # both are resolved
        addresses = await self._addresses(host)
        # Connect to the checked look-up, since a second could differ (DNS rebinding).
        self._policy.check_addresses(host, addresses)
        return [_result(host, port, address) for address in addresses]

    async def close(self) -> None:
        """Does nothing, since it has no resources."""

    async def _addresses(self, host: str) -> Sequence[IpAddress]:
        if host == "localhost" or host.endswith(".localhost"):
            return _LOOPBACK
        return await self._resolver(host, self._account)


class CountedSocket(socket.socket):
    """A socket that counts in `held` until it is closed. Raises LimitReachedError."""

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
        """Closes the socket and stops counting it."""
        super().close()
        self._held.release()


def checked_connector(
    resolver: CheckedResolver, policy: AddressPolicy, connections: int, tls: ssl.SSLContext, held: Callable[[], Held]
) -> aiohttp.TCPConnector:
    """Return the connector of one action, each of whose sockets is counted by what `held` returns.

    Actions share no connection, which could contain a response to another action.
    """

    def open_socket(info: AddressInfo) -> socket.socket:
        # The last check, of the very address of this connection.
        if not policy.is_open(ip_address(str(info[4][0]))):
            raise PermissionError("an address that was not checked")
        return CountedSocket(held(), info[0], info[1], info[2])

    return aiohttp.TCPConnector(
        resolver=resolver,
        # A cached look-up would not have been checked for this request.
        use_dns_cache=False,
        ssl=tls,
        limit=connections,
        socket_factory=open_socket,
    )


def _result(host: str, port: int, address: IpAddress) -> ResolveResult:
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
    return ResolveResult(hostname=host, host=str(address), port=port, family=family, proto=0, flags=flags)

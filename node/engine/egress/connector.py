"""Connections of actions: only to addresses that were checked, and bounded in number for the whole node."""

import socket
import ssl
from collections.abc import Sequence
from ipaddress import IPv4Address, ip_address

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from node.engine.egress.addresses import AddressPolicy
from node.engine.egress.budget import Budget
from node.engine.egress.resolver import Resolver
from node.values import IpAddress

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
    """A socket that counts as one of `budget` from its creation until it is closed.

    Raises FetchRefusedError when none is left.
    """

    def __init__(self, budget: Budget, family: int, kind: int, protocol: int) -> None:
        # Before the socket exists, so that the limit is never exceeded.
        budget.take(1)
        self._budget: Budget | None = budget
        try:
            super().__init__(family, kind, protocol)
        except BaseException:
            self._give_back()
            raise

    def close(self) -> None:
        """Close it, and stop counting it."""
        super().close()
        self._give_back()

    def _give_back(self) -> None:
        if self._budget is not None:
            self._budget.give_back(1)
            self._budget = None


def checked_connector(
    resolver: CheckedResolver, policy: AddressPolicy, connections: int, tls: ssl.SSLContext, sockets: Budget
) -> aiohttp.TCPConnector:
    """Return the connector of one action, whose sockets count as `sockets`.

    Actions do not share connections: a server might have left in one an answer that is meant for another action.
    """

    def open_socket(info: AddressInfo) -> socket.socket:
        # The last check, of the very address that is about to be connected to, wherever it came from.
        if not policy.is_open(ip_address(str(info[4][0]))):
            raise PermissionError("an address that was not checked")
        return CountedSocket(sockets, info[0], info[1], info[2])

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

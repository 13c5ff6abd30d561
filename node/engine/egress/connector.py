"""Connections that go to the addresses that were checked, and to no other."""

import socket
import ssl
from collections.abc import Sequence
from ipaddress import IPv4Address, ip_address

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from node.engine.egress.budget import Budget
from node.engine.egress.counted_socket import CountedSocket
from node.engine.egress.lookup import Lookup
from node.engine.egress.reach import Reach
from node.values import IpAddress

_LOOPBACK = (ip_address("127.0.0.1"), ip_address("::1"))

AddressInfo = tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[object, ...]]
"""As `socket.getaddrinfo` gives it: family, type, protocol, canonical name, socket address."""


class CheckedResolver(AbstractResolver):
    """Looks a name up once for a connection, checks every answer, and gives exactly those to connect to."""

    def __init__(self, lookup: Lookup, reach: Reach, account: int) -> None:
        self._lookup = lookup
        self._reach = reach
        self._account = account

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Raises FetchRefusedError unless all of the name's addresses may be reached."""
        del family  # both are asked for
        addresses = await self._addresses(host)
        self._reach.check_addresses(host, addresses)
        return [_result(host, port, address) for address in addresses]

    async def close(self) -> None:
        """Nothing is held."""

    async def _addresses(self, host: str) -> Sequence[IpAddress]:
        if host == "localhost" or host.endswith(".localhost"):
            return _LOOPBACK
        return await self._lookup(host, self._account)


def checked_connector(
    resolver: CheckedResolver, reach: Reach, connections: int, tls: ssl.SSLContext, sockets: Budget
) -> aiohttp.TCPConnector:
    """Connections of one action, each of `sockets`; none is used again by another, for whom a server might have left an answer in it."""

    def open_socket(info: AddressInfo) -> socket.socket:
        # The last look, at the very address that is about to be connected to, however it was come by.
        if not reach.is_open(ip_address(str(info[4][0]))):
            raise PermissionError("an address that was not checked")
        return CountedSocket(sockets, info[0], info[1], info[2])

    return aiohttp.TCPConnector(
        resolver=resolver,
        use_dns_cache=False,
        ssl=tls,
        limit=connections,
        socket_factory=open_socket,
    )


def _result(host: str, port: int, address: IpAddress) -> ResolveResult:
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
    return ResolveResult(hostname=host, host=str(address), port=port, family=family, proto=0, flags=flags)

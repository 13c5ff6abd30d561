"""Client addresses of requests: the socket's peer, or the client that a trusted proxy names."""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

_IPV6_CLIENT_PREFIX: Final = 64
"""One IPv6 client usually owns a whole /64 (RFC 6177)."""

Address = IPv4Address | IPv6Address


class Proxies:
    """Networks (`10.0.0.0/8`, `::1`) of proxies that may name their clients."""

    def __init__(self, networks: Sequence[str] = ()) -> None:
        self._networks: tuple[IPv4Network | IPv6Network, ...] = tuple(ip_network(network) for network in networks)

    def __bool__(self) -> bool:
        """Returns whether any network is listed."""
        return bool(self._networks)

    def include(self, peer: str) -> bool:
        """Returns whether this peer of a socket is one of the proxies."""
        address = _parse(peer)
        return address is not None and self.trust(address)

    def trust(self, address: Address) -> bool:
        """Returns whether this address, not an IPv4 one mapped into IPv6, is one of the proxies."""
        return any(address in network for network in self._networks)


class ClientAddresses:
    """Reads a client's address from the socket, or from the forwarding header of a trusted proxy.

    `trusted_proxies` are networks (`10.0.0.0/8`, `::1`); the header of any other peer is ignored.
    """

    def __init__(self, trusted_proxies: Sequence[str] = (), forwarding_header: str = "X-Forwarded-For") -> None:
        self.forwarding_header = forwarding_header
        self._proxies = Proxies(trusted_proxies)

    @property
    def trusts_proxies(self) -> bool:
        """Whether the forwarding header is ever read."""
        return bool(self._proxies)

    def client(self, peer: str, forwarded: Sequence[str]) -> str:
        """Returns the client's address, given the socket's peer and all values of the forwarding header.

        The last entry that is no trusted proxy is the client: the client itself may have written the entries before it.
        An entry that is no address ends the walk at the proxy that passed it on.
        """
        if not self._proxies:
            return _text(peer)
        address = _parse(peer)
        if address is None:
            return peer
        entries = [entry.strip() for value in forwarded for entry in value.split(",")]
        while self._proxies.trust(address) and entries:
            entry = _parse(entries.pop())
            if entry is None:
                break
            address = entry
        return str(address)


@lru_cache(maxsize=4096)
def rate_limit_client(address: str) -> str:
    """Returns the client that a rate limit counts: an IPv4 address, or the /64 of an IPv6 address."""
    parsed = _parse(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, _IPV6_CLIENT_PREFIX), strict=False))
    return address if parsed is None else str(parsed)


@lru_cache(maxsize=4096)
def _text(peer: str) -> str:
    """Returns the peer in canonical form; unchanged when it is no address (a Unix socket)."""
    address = _parse(peer)
    return peer if address is None else str(address)


@lru_cache(maxsize=4096)
def _parse(text: str) -> Address | None:
    """Returns the address without zone, None for another text; IPv4 mapped into IPv6 becomes IPv4."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return address.ipv4_mapped or address if isinstance(address, IPv6Address) else address

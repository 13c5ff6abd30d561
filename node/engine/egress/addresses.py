"""Addresses that actions may reach: public ones, as far as the deployment allows them.

Public is decided by a table, since `is_global` of the standard library passes some special addresses. Sources: the IANA
IPv4 and IPv6 special-purpose address registries (RFC 6890 and its updates), the multicast registries, RFC 4291 section
2.4 (only 2000::/3 is given out as global unicast).
"""

import errno
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Network
from typing import Final

from node.engine.egress.targets import FetchRefusedError, Target, is_public_name
from node.settings.execution import NO_HOSTS, HostList
from node.values import IpAddress

_NOT_PUBLIC: Final = "only public addresses can be reached, and this host has none"
_NOT_LISTED: Final = "this deployment does not let actions reach that host"

_SPECIAL_IPV4: Final = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared (carrier-grade NAT), and a cloud's metadata at 100.100.100.200
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # a cloud's agent of the virtual machine, public by its number alone
        "169.254.0.0/16",  # link-local, and most clouds' metadata at 169.254.169.254
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments, and a cloud's metadata at 192.0.0.192
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # automatic multicast tunnelling
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarking
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and the limited broadcast
    )
)

_GLOBAL_UNICAST_IPV6: Final = IPv6Network("2000::/3")
"""Outside of it lie, among others, ::/96, ::ffff:0:0/96, 64:ff9b::/96, 64:ff9b:1::/48, 100::/64, 5f00::/16, fc00::/7,
fe80::/10, fec0::/10 and ff00::/8: unspecified, loopback, IPv4-compatible, IPv4-mapped, NAT64, discard, segment routing,
unique local (with a cloud's metadata at fd00:ec2::254), link-local, site-local, multicast."""

_SPECIAL_IPV6: Final = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments: Teredo, benchmarking, ORCHID, drone identities
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which holds an IPv4 address
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)


def is_public(address: IpAddress) -> bool:
    """Return whether `address` is public unicast: on the internet, given out to somebody, and of no special purpose.

    An IPv6 address that holds an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo) never is, whatever it holds.
    """
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _SPECIAL_IPV4)
    if address.scope_id is not None or address not in _GLOBAL_UNICAST_IPV6:
        return False
    return not any(address in network for network in _SPECIAL_IPV6)


def is_own_address(address: IpAddress) -> bool:
    """Return whether a socket of this machine could listen on `address`.

    An unclear answer of the kernel counts as yes.
    """
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            # The kernel binds to its own addresses only, whatever interfaces come and go.
            probe.bind((str(address), 0))
    except OSError as error:
        return error.errno not in {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}
    return True


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """Decides what actions may reach. Asked for a name, for every address of it, and for each connection.

    `allow` (empty: everything) and `deny` narrow what is public. `allow_loopback` is for development alone. `is_own`
    returns whether an address is of this machine.
    """

    allow: HostList = NO_HOSTS
    deny: HostList = NO_HOSTS
    allow_loopback: bool = False
    is_own: Callable[[IpAddress], bool] = is_own_address

    def check_name(self, target: Target) -> None:
        """Check a name before its addresses are looked up. Raises FetchRefusedError."""
        if target.is_localhost:
            if not self.allow_loopback:
                raise FetchRefusedError(_NOT_PUBLIC)
        elif not is_public_name(target.host):
            raise FetchRefusedError(_NOT_PUBLIC)
        if self.deny.has_name(target.host):
            raise FetchRefusedError(_NOT_LISTED)
        # With networks in the list only the addresses can decide.
        if self.allow and not self.allow.networks and not self.allow.has_name(target.host):
            raise FetchRefusedError(_NOT_LISTED)

    def check_addresses(self, host: str, addresses: Sequence[IpAddress]) -> None:
        """Check that each address of a host may be reached. A host without addresses is treated as a private one.

        Raises FetchRefusedError.
        """
        # All, not any: which address is connected to is up to timing, so one private address refuses the host.
        if not addresses or not all(self.is_open(address) for address in addresses):
            raise FetchRefusedError(_NOT_PUBLIC)
        if any(self.deny.has_address(address) for address in addresses):
            raise FetchRefusedError(_NOT_LISTED)
        if not self._allows(host, addresses):
            raise FetchRefusedError(_NOT_LISTED)

    def is_open(self, address: IpAddress) -> bool:
        """Return whether an action of any deployment may connect to the address."""
        if self.allow_loopback and address.is_loopback:
            return address.version == 4 or not _holds_ipv4(address)
        # A public address of this machine leads to services that trust local callers.
        return is_public(address) and not self.is_own(address)

    def _allows(self, host: str, addresses: Sequence[IpAddress]) -> bool:
        if not self.allow or self.allow.has_name(host):
            return True
        return all(self.allow.has_address(address) for address in addresses)


def _holds_ipv4(address: IpAddress) -> bool:
    """Return whether it is an IPv4-mapped address, which `is_loopback` looks through on some versions of Python."""
    return getattr(address, "ipv4_mapped", None) is not None

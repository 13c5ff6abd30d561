"""What actions may reach: the one decision, asked for a name, for every address it has, and for each connection."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from node.engine.egress.addresses import is_public
from node.engine.egress.own_addresses import is_own_address
from node.engine.egress.refusal import FetchRefusedError
from node.engine.egress.targets import Target, is_public_name
from node.settings.host_list import NO_HOSTS, HostList
from node.values import IpAddress

_NOT_PUBLIC = "only public addresses can be reached, and this host has none"
_NOT_LISTED = "this deployment does not let actions reach that host"


@dataclass(frozen=True, slots=True)
class Reach:
    """`allow` (empty: everything) and `deny` narrow what is public. `allow_loopback` is for development alone.

    `is_own` tells the addresses of this machine.
    """

    allow: HostList = NO_HOSTS
    deny: HostList = NO_HOSTS
    allow_loopback: bool = False
    is_own: Callable[[IpAddress], bool] = is_own_address

    def check_name(self, target: Target) -> None:
        """Refuse a name for what it is, before anybody is asked for its addresses. Raises FetchRefusedError."""
        if target.is_localhost:
            if not self.allow_loopback:
                raise FetchRefusedError(_NOT_PUBLIC)
        elif not is_public_name(target.host):
            raise FetchRefusedError(_NOT_PUBLIC)
        if self.deny.has_name(target.host):
            raise FetchRefusedError(_NOT_LISTED)
        if self.allow and not self.allow.networks and not self.allow.has_name(target.host):
            raise FetchRefusedError(_NOT_LISTED)

    def check_addresses(self, host: str, addresses: Sequence[IpAddress]) -> None:
        """Refuse a host unless each of its addresses may be reached; one that has none is as one that is private.

        Raises FetchRefusedError.
        """
        if not addresses or not all(self.is_open(address) for address in addresses):
            raise FetchRefusedError(_NOT_PUBLIC)
        if any(self.deny.has_address(address) for address in addresses):
            raise FetchRefusedError(_NOT_LISTED)
        if not self._allows(host, addresses):
            raise FetchRefusedError(_NOT_LISTED)

    def is_open(self, address: IpAddress) -> bool:
        """Whether an address is one that any action of any deployment may connect to."""
        if self.allow_loopback and address.is_loopback:
            return address.version == 4 or not _holds_ipv4(address)
        return is_public(address) and not self.is_own(address)

    def _allows(self, host: str, addresses: Sequence[IpAddress]) -> bool:
        if not self.allow or self.allow.has_name(host):
            return True
        return all(self.allow.has_address(address) for address in addresses)


def _holds_ipv4(address: IpAddress) -> bool:
    """`is_loopback` looks through IPv4-mapped addresses on some versions of the language."""
    return getattr(address, "ipv4_mapped", None) is not None

"""A deployment's own lists of where actions may and may not reach, by name and by network.

An entry is a name (that name alone), `*.` and a name (every name below it), or an address or network in CIDR form.
The lists narrow what is public; neither opens what is not.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Final, Self

from node.values import IpAddress, IpNetwork

_NAME: Final = re.compile(r"(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*")


@dataclass(frozen=True, slots=True)
class HostList:
    """Names and networks, parsed."""

    names: frozenset[str] = frozenset()
    zones: tuple[str, ...] = ()
    networks: tuple[IpNetwork, ...] = ()

    @classmethod
    def of(cls, entries: Sequence[str]) -> Self:
        """Parse a list. Raises ValueError naming the entry that is none of the three forms."""
        names: set[str] = set()
        zones: list[str] = []
        networks: list[IpNetwork] = []
        for entry in entries:
            if (network := _network(entry)) is not None:
                networks.append(network)
            elif not _NAME.fullmatch(entry.lower()):
                raise ValueError(f"{entry!r} is no name, no `*.` and a name, and no network")
            elif entry.startswith("*."):
                zones.append(entry[1:].lower())
            else:
                names.add(entry.lower())
        return cls(frozenset(names), tuple(zones), tuple(networks))

    def __bool__(self) -> bool:
        """Whether anything is listed."""
        return bool(self.names or self.zones or self.networks)

    def has_name(self, host: str) -> bool:
        """Whether a name, in lower case and without a trailing dot, is listed."""
        return host in self.names or any(host.endswith(zone) for zone in self.zones)

    def has_address(self, address: IpAddress) -> bool:
        """Whether a network that is listed holds the address."""
        return any(address in network for network in self.networks)


NO_HOSTS: Final = HostList()


def _network(entry: str) -> IpNetwork | None:
    try:
        return ip_network(entry)
    except ValueError:
        return None

"""Parses URLs of outbound requests, and decides which addresses actions may reach."""

import errno
import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final
from urllib.parse import quote, urljoin

from node.engine.domains import domain_to_ascii
from node.settings.execution import NO_HOSTS, HostList
from node.values import IpAddress

_URL_CHARACTERS_MAX: Final = 8_192
"""Maximum URL, also of a redirect; common servers accept this in a request line."""
_URL: Final = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<host>\[[^\]/?#@]*\]|[^/?#@:\[\]\\%]+)(?::(?P<port>[0-9]{0,5}))?"
    r"(?P<path>/[^?#\\]*)?(?:\?(?P<query>[^#]*))?(?:#.*)?",
    re.DOTALL,
)
_LOCATION_AUTHORITY: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//(?P<authority>[^/?#]*)")
_IGNORED_IN_LOCATION: Final = str.maketrans("", "", "\t\r\n")
"""Characters that URL parsers skip."""
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_LABEL: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_HOST_LENGTH: Final = 253
_AUTHORITY_LENGTH: Final = _HOST_LENGTH + len(".:65535")
"""Maximum host and port, checked first as normalising 8,000 characters takes half a second."""
_PORT_MAX: Final = 65_535
_BAD_PORTS: Final = frozenset(
    {
        *(0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95),
        *(101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179),
        *(389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587),
        *(601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061),
        *(6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080),
    }
)
"""Ports of other protocols, which an HTTP body could speak (Fetch Standard, "port blocking")."""
_PRINTABLE: Final = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in '"<>`')
_NOT_PUBLIC_ZONES: Final = frozenset(
    {"alt", "example", "home", "internal", "intranet", "invalid", "lan", "local", "localdomain", "onion", "test"}
)
"""Zones without public names (RFC 6761, 6762, 7686, 8375, 9476, ICANN's .internal)."""


_NO_HOST: Final = "the host is no name and no address"
_NO_LOCATION: Final = "the server redirected to what is no URL"


class FetchRefusedError(Exception):
    """A request that was refused or failed, with a reason for the action.

    Reasons name no address, and do not tell a private name from one that does not exist.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Target:
    """Scheme, host, port and URL (without fragment) of a request, exactly as sent.

    `address` is the host if it is an address. IPv6 hosts have no brackets here.
    """

    scheme: str
    host: str
    port: int
    url: str
    address: IpAddress | None

    @property
    def origin(self) -> tuple[str, str, int]:
        """Origin; credentials are not sent to another one."""
        return self.scheme, self.host, self.port

    @property
    def is_localhost(self) -> bool:
        """Whether the name always means this machine (RFC 6761 section 6.3)."""
        return self.host == "localhost" or self.host.endswith(".localhost")


def parse_target(text: str) -> Target:
    """Parses an absolute URL. Raises FetchRefusedError."""
    if len(text) > _URL_CHARACTERS_MAX:
        raise FetchRefusedError(f"a URL may have at most {_URL_CHARACTERS_MAX} characters")
    matched = _URL.fullmatch(text)
    # Control characters could split the request line, and half a surrogate has no UTF-8 form.
    if matched is None or _CONTROL.search(text) or not _has_utf8_form(text):
        raise FetchRefusedError("it is no URL that can be fetched; it needs a scheme and a host, and no user name")
    scheme = matched["scheme"].lower()
    if scheme not in _DEFAULT_PORTS:
        raise FetchRefusedError("only http and https URLs can be fetched")
    host, address = _host(matched["host"])
    port = int(matched["port"] or _DEFAULT_PORTS[scheme])
    if port > _PORT_MAX or port in _BAD_PORTS:
        raise FetchRefusedError(f"port {port} is not open to requests")
    authority = f"[{host}]" if isinstance(address, IPv6Address) else host
    shown_port = "" if port == _DEFAULT_PORTS[scheme] else f":{port}"
    query = matched["query"]
    rest = quote(matched["path"] or "/", safe=_PRINTABLE) + (
        "" if query is None else "?" + quote(query, safe=_PRINTABLE)
    )
    return Target(scheme, host, port, f"{scheme}://{authority}{shown_port}{rest}", address)


def join_target(base: Target, location: str) -> Target:
    """Resolves a `Location` against `base`. Raises FetchRefusedError."""
    location = location.translate(_IGNORED_IN_LOCATION).strip(" ")
    authority = _LOCATION_AUTHORITY.match(location)
    # urljoin skips leading control characters and could find an authority behind them. Behind
    # three slashes it finds a path, where `URL` finds a host.
    if _CONTROL.search(location) or (
        authority is not None and not 0 < len(authority["authority"]) <= _AUTHORITY_LENGTH
    ):
        raise FetchRefusedError(_NO_LOCATION)
    try:
        joined = urljoin(base.url, location)
    except ValueError:
        raise FetchRefusedError(_NO_LOCATION) from None
    # The same strict parser, since a redirect is as hostile as the action's URL.
    return parse_target(joined)


def _host(text: str) -> tuple[str, IpAddress | None]:
    if text.startswith("["):
        return _ipv6(text[1:-1])
    # Check the length before the conversion to ASCII, which can be slow.
    if len(text) > _HOST_LENGTH + len("."):
        raise FetchRefusedError(_NO_HOST)
    try:
        ascii_name = domain_to_ascii(text)
    except ValueError:
        raise FetchRefusedError(_NO_HOST) from None
    # A trailing dot names the same host, but would evade the list of denied names.
    name = ascii_name.removesuffix(".")
    labels = name.split(".")
    # WHATWG URL: a host whose last label is a number is an IPv4 address in any notation.
    if _NUMBER.fullmatch(labels[-1]):
        return _ipv4(name)
    if len(name) > _HOST_LENGTH or not all(_LABEL.fullmatch(label) for label in labels):
        raise FetchRefusedError(_NO_HOST)
    return name, None


def _ipv4(text: str) -> tuple[str, IpAddress]:
    try:
        address = IPv4Address(text)
    except AddressValueError:
        raise FetchRefusedError("an IPv4 address is written as four decimal numbers without leading zeros") from None
    return str(address), address


def _ipv6(text: str) -> tuple[str, IpAddress]:
    try:
        address = IPv6Address(text)
    except AddressValueError:
        raise FetchRefusedError("the host is no IPv6 address") from None
    # RFC 4007: a zone selects a network interface of this machine.
    if address.scope_id is not None:
        raise FetchRefusedError("an IPv6 address with a zone names a network of this machine alone")
    return str(address), address


def _has_utf8_form(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_public_name(host: str) -> bool:
    """Returns whether a name can be public: it has a dot, and its zone is not private."""
    labels = host.split(".")
    in_private_zone = labels[-1] in _NOT_PUBLIC_ZONES or labels[-2:] == ["home", "arpa"] or labels[-1] == "localhost"
    return len(labels) > 1 and not in_private_zone


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
"""Public IPv6 addresses. It excludes ::/96, ::ffff:0:0/96, 64:ff9b::/96, 64:ff9b:1::/48, 100::/64,
5f00::/16, fc00::/7 (with a cloud's metadata at fd00:ec2::254), fe80::/10, fec0::/10 and ff00::/8,
which are special, translated, local or multicast."""

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
    """Returns whether `address` is public unicast without a special purpose.

    IPv6 addresses that contain IPv4 (mapped, compatible, NAT64, 6to4, Teredo) are not.
    """
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _SPECIAL_IPV4)
    if address.scope_id is not None or address not in _GLOBAL_UNICAST_IPV6:
        return False
    return not any(address in network for network in _SPECIAL_IPV6)


def is_own_address(address: IpAddress) -> bool:
    """Returns whether a socket of this machine could listen on `address`.

    An unclear result of the kernel counts as yes.
    """
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            # The kernel binds only to its own addresses, also after interfaces change.
            probe.bind((str(address), 0))
    except OSError as error:
        return error.errno not in {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}
    return True


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """Decides what actions may reach, by name, by every address, and by connection.

    `allow` (empty: everything) and `deny` narrow what is public. `allow_loopback` is for
    development only. `is_own` returns whether an address belongs to this machine.
    """

    allow: HostList = NO_HOSTS
    deny: HostList = NO_HOSTS
    allow_loopback: bool = False
    is_own: Callable[[IpAddress], bool] = is_own_address

    def check_name(self, target: Target) -> None:
        """Checks a name before its addresses are looked up. Raises FetchRefusedError."""
        if target.is_localhost:
            if not self.allow_loopback:
                raise FetchRefusedError(_NOT_PUBLIC)
        elif not is_public_name(target.host):
            raise FetchRefusedError(_NOT_PUBLIC)
        if self.deny.has_name(target.host):
            raise FetchRefusedError(_NOT_LISTED)
        # If the list has networks, only the addresses can decide.
        if self.allow and not self.allow.networks and not self.allow.has_name(target.host):
            raise FetchRefusedError(_NOT_LISTED)

    def check_addresses(self, host: str, addresses: Sequence[IpAddress]) -> None:
        """Checks that each address of a host may be reached. No address counts as private.

        Raises FetchRefusedError.
        """
        # Timing decides which address is used, so one private address refuses the host.
        if not addresses or not all(self.is_open(address) for address in addresses):
            raise FetchRefusedError(_NOT_PUBLIC)
        if any(self.deny.has_address(address) for address in addresses):
            raise FetchRefusedError(_NOT_LISTED)
        is_listed = not self.allow or self.allow.has_name(host)
        if not is_listed and not all(self.allow.has_address(address) for address in addresses):
            raise FetchRefusedError(_NOT_LISTED)

    def is_open(self, address: IpAddress) -> bool:
        """Returns whether an action of any deployment may connect to the address."""
        if self.allow_loopback and address.is_loopback:
            # Not an IPv4-mapped one, for which `is_loopback` differs by Python version.
            return address.version == 4 or address.ipv4_mapped is None
        # A public address of this machine leads to services that trust local callers.
        return is_public(address) and not self.is_own(address)

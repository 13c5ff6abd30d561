r"""Targets of outbound requests: URLs, parsed so strictly that no other parser can read them differently.

A WHATWG parser takes `0x7f.1`, `2130706433`, `user@`, `\\` and percent signs in a host; every such form is refused
here instead of being interpreted. What an action writes is brought into the one form by `URL` inside the action.
"""

import re
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final
from urllib.parse import quote, urljoin

from yarl import URL

from node.values import IpAddress

_URL_CHARACTERS_MAX: Final = 8_192
"""Longest URL, also of a redirect: what common servers accept in a request line."""
_URL: Final = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<host>\[[^\]/?#@]*\]|[^/?#@:\[\]\\%]+)(?::(?P<port>[0-9]{0,5}))?"
    r"(?P<path>/[^?#\\]*)?(?:\?(?P<query>[^#]*))?(?:#.*)?",
    re.DOTALL,
)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_LABEL: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_HOST_LENGTH: Final = 253
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
"""Names for one network alone, or for none (RFC 6761, 6762, 7686, 8375, 9476, and ICANN's .internal)."""


class FetchRefusedError(Exception):
    """A request that is not made, or not finished, with the reason in words for the action.

    Reasons name no address, and are the same for a private name and for a name that does not exist.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Target:
    """Scheme, host and port of a request, and its whole URL without fragment, in the one form that is sent.

    `address` is the host where that is no name. IPv6 hosts have no brackets here.
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
        """Whether the name means this machine wherever it is asked (RFC 6761 section 6.3)."""
        return self.host == "localhost" or self.host.endswith(".localhost")


def parse_target(text: str) -> Target:
    """Parse an absolute URL. Raises FetchRefusedError."""
    if len(text) > _URL_CHARACTERS_MAX:
        raise FetchRefusedError(f"a URL may have at most {_URL_CHARACTERS_MAX} characters")
    matched = _URL.fullmatch(text)
    # Control characters could split the request line; half a surrogate pair has no UTF-8 form.
    if matched is None or _CONTROL.search(text) or not _has_utf8_form(text):
        raise FetchRefusedError("it is no URL that can be fetched; it needs a scheme and a host, and no user name")
    scheme = matched["scheme"].lower()
    if scheme not in _DEFAULT_PORTS:
        raise FetchRefusedError("only http and https URLs can be fetched")
    host, address = _host(matched["host"])
    port = _port(matched["port"], _DEFAULT_PORTS[scheme])
    authority = f"[{host}]" if isinstance(address, IPv6Address) else host
    shown_port = "" if port == _DEFAULT_PORTS[scheme] else f":{port}"
    query = matched["query"]
    rest = quote(matched["path"] or "/", safe=_PRINTABLE) + (
        "" if query is None else "?" + quote(query, safe=_PRINTABLE)
    )
    return Target(scheme, host, port, f"{scheme}://{authority}{shown_port}{rest}", address)


def join_target(base: Target, location: str) -> Target:
    """Resolve a `Location` against `base`. Raises FetchRefusedError."""
    try:
        joined = urljoin(base.url, location.strip(" \t"))
    except ValueError:
        raise FetchRefusedError("the server redirected to what is no URL") from None
    # The same strict parser: a redirect is as hostile as a URL of the action.
    return parse_target(joined)


def _host(text: str) -> tuple[str, IpAddress | None]:
    if text.startswith("["):
        return _ipv6(text[1:-1])
    # A trailing dot names the same host, and would pass a comparison with the list of denied names.
    name = _ascii(text).removesuffix(".")
    labels = name.split(".")
    # WHATWG URL: a host whose last label is a number is an IPv4 address, in whatever notation.
    if _NUMBER.fullmatch(labels[-1]):
        return _ipv4(name)
    if len(name) > _HOST_LENGTH or not all(_LABEL.fullmatch(label) for label in labels):
        raise FetchRefusedError("the host is no name and no address")
    return name, None


def _ascii(text: str) -> str:
    """Convert a name to lower case, and an internationalised one to its ASCII form (UTS 46, as browsers do)."""
    if text.isascii():
        return text.lower()
    try:
        converted = URL.build(scheme="http", host=text).raw_host or ""
    except ValueError:
        raise FetchRefusedError("the host is no name and no address") from None
    return converted.lower()


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


def _port(text: str | None, default: int) -> int:
    port = int(text) if text else default
    if port > _PORT_MAX or port in _BAD_PORTS:
        raise FetchRefusedError(f"port {port} is not open to requests")
    return port


def _has_utf8_form(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_public_name(host: str) -> bool:
    """Whether a name can have a meaning on the public internet: it has a dot, and its zone is no private one."""
    labels = host.split(".")
    in_private_zone = labels[-1] in _NOT_PUBLIC_ZONES or labels[-2:] == ["home", "arpa"] or labels[-1] == "localhost"
    return len(labels) > 1 and not in_private_zone

"""PROXY protocol, versions 1 and 2, by which a proxy names its client before all other bytes.

These pure functions accept only headers that HAProxy's proxy-protocol.txt allows.
"""

import re
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address
from typing import Final

LONGEST_V1_BYTES: Final = 107
"""Most bytes of a header of version 1 (section 2.1), including the line's end."""
LONGEST_V2_BYTES: Final = 536
"""Most bytes in the smallest segment (section 2.2): 52 for addresses, the rest for extensions."""
_V1_START: Final = b"PROXY "
_V1_SHORTEST_BYTES: Final = len(b"PROXY UNKNOWN\r\n")
_V1_FIELDS: Final = 4
_V1_FAMILIES: Final[dict[bytes, Callable[[str], IPv4Address | IPv6Address]]] = {
    b"TCP4": IPv4Address,
    b"TCP6": IPv6Address,
}
_V2_START: Final = b"\r\n\r\n\0\r\nQUIT\n"
_V2_FIXED_BYTES: Final = 16
_V2_LOCAL: Final = 0x20
_V2_PROXY: Final = 0x21
_V2_UNSPECIFIED: Final = 0x00
_V2_TCP4: Final = 0x11
_V2_TCP6: Final = 0x21
_TCP4_BYTES: Final = 12
"""Length of two IPv4 addresses and two ports."""
_TCP6_BYTES: Final = 36
_PORT: Final = re.compile(r"0|[1-9][0-9]{0,4}")
_LAST_PORT: Final = 65_535


class ProxyHeaderError(ValueError):
    """Refusal of bytes that are no PROXY header. The message says why, and repeats none of them."""


def needed_bytes(start: bytes) -> int:
    """Returns the least length of a header that begins with `start`, which may be complete.

    The result is `len(start)` for a complete header. A reader that reads no further takes none of
    the bytes after it. Raises ProxyHeaderError as soon as `start` cannot begin a header.
    """
    if not start:
        return _V1_SHORTEST_BYTES
    # A prefix of either signature may still become a header; other bytes cannot.
    if _begins(start, _V2_START):
        return _needed_v2(start)
    if _begins(start, _V1_START):
        return _needed_v1(start)
    raise ProxyHeaderError("the connection does not begin with a PROXY header")


def announced_client(header: bytes) -> str | None:
    """Returns the client's address in a whole header; None when the connection is the proxy's own.

    Raises ProxyHeaderError.
    """
    # Checked again: later bytes come from the client, who must not extend the header.
    if needed_bytes(header) != len(header):
        raise ProxyHeaderError("the PROXY header is not whole")
    client = _client_v2(header) if header.startswith(_V2_START) else _client_v1(header)
    # One form per address, so that rate limits do not count a client twice.
    mapped = client.ipv4_mapped if isinstance(client, IPv6Address) else None
    return None if client is None else str(mapped or client)


def _begins(start: bytes, signature: bytes) -> bool:
    return start[: len(signature)] == signature[: len(start)]


def _needed_v1(start: bytes) -> int:
    if len(start) < _V1_SHORTEST_BYTES:
        return _V1_SHORTEST_BYTES
    # Only up to the line's end, since bytes after CRLF belong to TLS or HTTP.
    whole = start.endswith(b"\r\n")
    line = start[:-2] if whole else start.removesuffix(b"\r")
    if b"\r" in line or b"\n" in line:
        raise ProxyHeaderError("the line of the PROXY header has no end of its own")
    needed = len(start) if whole else len(line) + 2
    if needed > LONGEST_V1_BYTES:
        raise ProxyHeaderError(f"the line of the PROXY header is longer than {LONGEST_V1_BYTES} bytes")
    return needed


def _client_v1(header: bytes) -> IPv4Address | IPv6Address | None:
    _, family, *fields = header[:-2].split(b" ")
    if family == b"UNKNOWN":
        return None
    source = _source_v1(family, [field.decode("ascii", "replace") for field in fields])
    if source is None:
        raise ProxyHeaderError("the line of the PROXY header names no TCP connection")
    return source


def _source_v1(family: bytes, fields: list[str]) -> IPv4Address | IPv6Address | None:
    """Returns the source from two addresses and two ports, or None for other fields."""
    kind = _V1_FAMILIES.get(family)
    # `ipaddress` accepts a zone after a percent sign, which the specification does not allow.
    if kind is None or len(fields) != _V1_FIELDS or "%" in fields[0] + fields[1]:
        return None
    # `int` accepts signs, blanks, underscores and digits of other scripts.
    if not all(_PORT.fullmatch(port) and int(port) <= _LAST_PORT for port in fields[2:]):
        return None
    try:
        source, _ = (kind(address) for address in fields[:2])
    except ValueError:
        return None
    return source


def _needed_v2(start: bytes) -> int:
    if len(start) < _V2_FIXED_BYTES:
        return _V2_FIXED_BYTES
    needed = _V2_FIXED_BYTES + int.from_bytes(start[14:16])
    if needed > LONGEST_V2_BYTES:
        raise ProxyHeaderError(f"the PROXY header is longer than {LONGEST_V2_BYTES} bytes")
    return needed


def _client_v2(header: bytes) -> IPv4Address | IPv6Address | None:
    command, family, addresses = header[12], header[13], header[_V2_FIXED_BYTES:]
    # Section 2.2: for a health check of the proxy itself the addresses must be ignored.
    if command == _V2_LOCAL:
        return None
    if command != _V2_PROXY:
        raise ProxyHeaderError("the PROXY header has an unknown version or command")
    if family == _V2_UNSPECIFIED:
        return None
    if family == _V2_TCP4 and len(addresses) >= _TCP4_BYTES:
        return IPv4Address(addresses[:4])
    if family == _V2_TCP6 and len(addresses) >= _TCP6_BYTES:
        return IPv6Address(addresses[:16])
    raise ProxyHeaderError("the PROXY header names no TCP connection")

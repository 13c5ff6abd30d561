"""Comparison of a request's host with the node's domain (pure).

The domain is measured, the request is not: a quote made for a request to another host would let an impostor relay it.
"""

import re
from ipaddress import IPv6Address, ip_address
from typing import Final

LOCALHOST: Final = "localhost"
_AUTHORITY: Final = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5})?)?")
_NAME: Final = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*"
)


def canonical_host(authority: str) -> str | None:
    """Returns the host of `host[:port]`: lower case, no port, no final dot, an address in its shortest form.

    None for anything else: user information, a list, an address with a zone, an internationalised name that is not in
    its ASCII form.
    """
    found = _AUTHORITY.fullmatch(authority)
    if found is None or int(found["port"] or 0) > 65_535:
        return None
    host = found["host"].lower()
    try:
        return _address(host) if host.startswith("[") else str(ip_address(host))
    except ValueError:
        pass
    name = host.removesuffix(".")
    return name if _NAME.fullmatch(name) else None


def stated_host(domain: str, authority: str) -> str | None:
    """Returns the host that a statement for a request to `authority` names; None when it is not the canonical `domain`.

    A node called `localhost` (RFC 6761 §6.3) also states a loopback address that the request names: a verifier
    compares the statement with the host it sent the request to.
    """
    host = canonical_host(authority)
    if host is None:
        return None
    return host if host == domain or (domain == LOCALHOST and _is_loopback(host)) else None


def _address(bracketed: str) -> str:
    return str(IPv6Address(bracketed[1:-1]))


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False

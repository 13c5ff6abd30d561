"""The URL of a JSON-RPC endpoint. It may hold credentials: only `rpc_host` of it is ever shown."""

import ipaddress
from typing import Final
from urllib.parse import urlsplit

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def is_rpc_url(text: str) -> bool:
    """Whether it is an http or https URL of a host."""
    try:
        parts = urlsplit(text)
        known = parts.scheme in _DEFAULT_PORTS and parts.port != 0 and text.isprintable()
        return known and bool(_normal_host(parts.hostname or ""))
    except ValueError:
        return False


def rpc_host(url: str) -> str:
    """Host and port in one form whatever way they are written, without user, path and query; empty for what is no URL.

    Two endpoints of one host are one: who runs it could lie in both.
    """
    if not is_rpc_url(url):
        return ""
    parts = urlsplit(url)
    host = _normal_host(parts.hostname or "")
    return host if parts.port in {None, _DEFAULT_PORTS[parts.scheme]} else f"{host}:{parts.port}"


def _normal_host(name: str) -> str:
    """As DNS looks it up: lower case, IDNA, without the root's dot. Raises ValueError for what is no name."""
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return name.encode("idna").decode().lower().rstrip(".")
    return f"[{address.compressed}]" if address.version == 6 else address.compressed

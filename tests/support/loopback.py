"""No test reaches for a network: an audit hook refuses every address but loopback in the tests' own process.

Children are not under it: pip, in the packaging tests, needs the package index.
"""

import ipaddress
from collections.abc import Sequence

import pytest

CONNECTING = {"socket.connect", "socket.sendto", "socket.sendmsg"}


def refuse_other_networks(event: str, arguments: Sequence[object]) -> None:
    """Fail the test, past any `except Exception`, that connects, sends or asks for a name outside this machine."""
    if event in CONNECTING:
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    else:
        return
    if host is not None and not _is_here(host):
        pytest.fail(f"a test reached for the network: {event} {host!r}")


def _is_here(host: object) -> bool:
    text = host.decode() if isinstance(host, bytes) else str(host)
    if text in {"localhost", ""}:
        return True
    try:
        return ipaddress.ip_address(text.partition("%")[0]).is_loopback
    except ValueError:
        return False

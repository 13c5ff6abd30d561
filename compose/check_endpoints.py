"""The chain's endpoints: who is asked, whether anybody is between, and how many of them a lie takes."""

import re
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from compose.findings import Finding, refused_setting, remark
from node.settings import Settings
from svc_verifier.addresses import rpc_host

_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")


def endpoint_findings(settings: Settings) -> Iterator[Finding]:
    """An objection to each by itself, and to too few of them."""
    for url in settings.rpc_endpoints:
        yield from _endpoint("rpc_endpoints", url, "https")
    for url in filter(None, settings.rpc_websocket_endpoints):
        yield from _endpoint("rpc_websocket_endpoints", url, "wss")
    if settings.rpc_websocket_endpoints and len(settings.rpc_websocket_endpoints) != len(settings.rpc_endpoints):
        fix = "Name as many, empty where there is none."
        yield refused_setting("rpc_websocket_endpoints", "are not as many as rpc_endpoints, in their order", fix)
    if len(settings.rpc_endpoints) == 1 or settings.rpc_quorum == 1:
        yield refused_setting(
            "rpc_endpoints", "one endpoint is believed whatever it says", "Name three, of three providers."
        )
    elif len(settings.rpc_endpoints) == 2:
        yield remark("setting rpc_endpoints", "of two endpoints both must answer: name three, and one may fail")
    hosts = [rpc_host(url).lower() for url in settings.rpc_endpoints if rpc_host(url)]
    if len(set(hosts)) < len(hosts):
        yield refused_setting(
            "rpc_endpoints", "one host is named twice: its word would count twice", "Name one of each provider."
        )
    if settings.rpc_quorum > len(settings.rpc_endpoints):
        yield refused_setting("rpc_quorum", "is more than there are endpoints: nothing is ever agreed", "Leave it out.")
    if 0 < 2 * settings.rpc_quorum <= len(settings.rpc_endpoints):
        yield refused_setting("rpc_quorum", "is no majority: two answers could both count", "Leave it out.")


def _endpoint(name: str, url: str, scheme: str) -> Iterator[Finding]:
    """A URL is never repeated: it may hold what should not have been written (`check_secrets`)."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port  # raises where it is none
    except ValueError:
        yield refused_setting(name, "holds what is no URL", "Correct it.")
        return
    if not host:
        yield refused_setting(name, "holds what is no URL", "Correct it.")
    if parts.scheme != scheme:
        yield refused_setting(
            name, f"an entry is not {scheme}: who is between may answer in its place", f"Use {scheme}://."
        )
    if host and is_local(host):
        yield refused_setting(name, f"{host} is inside the machine or its network", "Name public endpoints.")


def is_local(host: str) -> bool:
    """By its text: names that resolve to inner addresses are the node's own matter when it connects.

    What ends in a number is an address to resolvers, in notations that only some readers know: `127.1`, `0x7f000001`.
    A name of one part is another container's.
    """
    host = host.rstrip(".").lower()
    last = host.rpartition(".")[2]
    if last in {"localhost", "local", "internal"}:
        return True
    try:
        return not ip_address(host).is_global
    except ValueError:
        return "." not in host or _NUMBER.fullmatch(last) is not None

"""What another container may not have: the node's data, namespaces, name or secrets, and what reaches past its own walls."""

from collections.abc import Iterator
from typing import Final

from compose.measured import NODE
from svc_verifier.compose.containers import DEFAULT_CAPABILITIES, mount_sources
from svc_verifier.compose.tree import Fields, Items, Node, Scalar, Service

_SOCKETS: Final = frozenset({"/var/run/dstack.sock", "/run/dstack.sock"})
"""The guest agent's: who mounts it is told among the holders of keys."""
_NAMESPACES: Final = ("network_mode", "pid", "ipc", "uts", "userns_mode", "cgroup")


def intrusions(other: Service, kept: set[str], closed: set[str]) -> Iterator[str]:
    """How another container gets at the node past the network; `kept` are the sources of the node's data, `closed` all
    that it may not mount: what those keep who hold the keys, as an ingress its certificate's.
    """
    yield from _mounts(other, kept, closed)
    for key in _NAMESPACES:
        for text in _texts(other.entries(key)):
            if text.partition(":")[0] in {"service", "container"}:
                yield f"{key} {text}: it stands inside of another container"
    yield from _rights(other)
    if NODE in _names(other):
        yield f"has the name {NODE!r} too: what is meant for the node may reach it"


def _mounts(other: Service, kept: set[str], closed: set[str]) -> Iterator[str]:
    for source, _ in mount_sources(other):
        if source in kept:
            yield f"mounts {source}, where the node keeps its journal and sealed keys"
        elif source in closed and source not in _SOCKETS:
            yield f"mounts {source}, a volume of a container that holds the keys"
        elif source.startswith(("/", ".", "~")) and source not in _SOCKETS:
            yield f"mounts {source} of the machine, where the engine and the node's container may be reached"
    for entry in other.entries("volumes"):
        if isinstance(entry, Fields) and _texts(entry.all("type")) not in (["volume"], ["tmpfs"]):
            yield "mounts what is neither a volume nor a tmpfs"


def _rights(other: Service) -> Iterator[str]:
    for text in _texts(other.entries("cap_add")):
        if text.upper().removeprefix("CAP_") not in DEFAULT_CAPABILITIES:
            yield f"capability {text} is none that the engine gives by itself"
    for text in _texts(other.entries("security_opt")):
        if text.replace("=", ":") not in {"no-new-privileges:true", "no-new-privileges"}:
            yield f"security_opt {text} replaces the engine's own profile"


def _names(other: Service) -> set[str]:
    """By which containers beside it find it, or what it calls another by."""
    names = set(_texts(other.entries("container_name")))
    for networks in other.fields.all("networks"):
        for _, network in networks.pairs if isinstance(networks, Fields) else ():
            names |= set(_texts(_items(network.all("aliases")))) if isinstance(network, Fields) else set()
    for key in ("links", "external_links"):
        linked = (text.partition(":") for text in _texts(other.entries(key)))
        names |= {alias for service, _, alias in linked if service != NODE}
    return {name.lower() for name in names}


def _items(values: tuple[Node, ...]) -> Iterator[Node]:
    for value in values:
        yield from value.items if isinstance(value, Items) else (value,)


def _texts(nodes: Iterator[Node] | tuple[Node, ...]) -> list[str]:
    return [node.text for node in nodes if isinstance(node, Scalar)]

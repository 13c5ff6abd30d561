"""Check of the node's container, its mounts, and the containers beside it."""

import re
from collections.abc import Iterator
from typing import Final

from compose.errors import ComposeError
from compose.findings import Finding, refused, remark
from compose.measured import NODE, Measured, inlined_settings, node_service
from svc_verifier.compose.containers import DEFAULT_CAPABILITIES, file_sources, mount_sources
from svc_verifier.compose.tree import Fields, Items, Node, Scalar, Service
from svc_verifier.rendering.text import plain

_SOCKET: Final = re.compile(r"/var/run/dstack\.sock:/var/run/dstack\.sock(:ro)?")
_DATA: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*:/data")
_EVIDENCE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*:/evidences:ro")
"""Volumes by name, since other paths could reach a folder of the machine."""
_VOLUME_KEYS: Final = frozenset({"labels"})
_SOURCE_KEYS: Final = frozenset({"content", "environment", "file", "labels"})
"""Keys that name the source of a config or secret. `file_sources` finds those with a file."""


def mount_objections(service: Service) -> Iterator[str]:
    """Objects to each mount of the node that `render` would not write."""
    places: list[str] = []
    for entry in service.entries("volumes"):
        parts = entry.text.split(":") if isinstance(entry, Scalar) else []
        if len(parts) not in {2, 3}:
            yield "a volume is not mounted as SOURCE:TARGET"
            continue
        places.append(parts[1])
        if not any(form.fullmatch(":".join(parts)) for form in (_SOCKET, _DATA, _EVIDENCE)):
            yield f"mounts {':'.join(parts)}, which is not what it needs where it needs it"
    # A later mount hides an earlier one, in the engine's order.
    for place in sorted({place for place in places if places.count(place) > 1}):
        yield f"{place} is mounted twice"
    if "/data" not in places:
        yield "no volume is mounted at /data: what the node keeps is lost with the container"


def volume_objections(measured: Measured) -> Iterator[str]:
    """Objects to `name` and `external`, which can make one engine volume of two in a file."""
    for volumes in measured.tree.all("volumes"):
        for name, volume in volumes.pairs if isinstance(volumes, Fields) else ():
            for key, _ in volume.pairs if isinstance(volume, Fields) else ():
                if key not in _VOLUME_KEYS and not key.startswith("x-"):
                    yield f"volume {name!r} has {key}: it may be the node's own by another name"


def file_objections(measured: Measured) -> Iterator[str]:
    """Objects to a config or secret from outside the file, since its content is not measured.

    `check_host` objects to one that a variable of the host fills.
    """
    for name, path, _ in file_sources(measured.tree):
        yield f"{name} is the file {path} of the machine, which is not measured: inline a config by content"
    for kind in ("configs", "secrets"):
        for listed in measured.tree.all(kind):
            for name, source in listed.pairs if isinstance(listed, Fields) else ():
                for key, _ in source.pairs if isinstance(source, Fields) else ():
                    if key not in _SOURCE_KEYS and not key.startswith("x-"):
                        yield f"{kind} {name!r} has {key}: what it holds is not measured"


_SOCKETS: Final = frozenset({"/var/run/dstack.sock", "/run/dstack.sock"})
"""Guest agent's socket. A service that mounts it is reported among the key holders."""
_NAMESPACES: Final = ("network_mode", "pid", "ipc", "uts", "userns_mode", "cgroup")


def intrusions(other: Service, data_sources: set[str], closed: set[str]) -> Iterator[str]:
    """Objects to each way from another container into the node past the network.

    `data_sources` are sources of the node's data. `closed` are the others that it may not mount,
    data of key holders such as an ingress's certificate.
    """
    yield from _mounts(other, data_sources, closed)
    for key in _NAMESPACES:
        for text in _texts(other.entries(key)):
            if text.partition(":")[0] in {"service", "container"}:
                yield f"{key} {text}: it stands inside of another container"
    yield from _rights(other)
    # The engine's DNS gives all containers of one name: requests for the node would reach both.
    if NODE in _names(other):
        yield f"has the name {NODE!r} too: what is meant for the node may reach it"


def _mounts(other: Service, data_sources: set[str], closed: set[str]) -> Iterator[str]:
    for source, _ in mount_sources(other):
        if source in data_sources:
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
        # The engine accepts both separators.
        if text.replace("=", ":") not in {"no-new-privileges:true", "no-new-privileges"}:
            yield f"security_opt {text} replaces the engine's own profile"


def _names(other: Service) -> set[str]:
    """Returns names by which containers find the node, and by which it calls others."""
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


_LOCAL_LOGGING = frozenset({"json-file", "local", "journald", "none"})
_RENDERED = frozenset(
    {
        "cap_drop",
        "command",
        "entrypoint",
        "environment",
        "image",
        "ports",
        "read_only",
        "restart",
        "security_opt",
        "stop_grace_period",
        "tmpfs",
        "ulimits",
        "volumes",
    }
)
_HARMLESS = frozenset(
    {
        "container_name",
        "cpus",
        "depends_on",
        "expose",
        "logging",
        "mem_limit",
        "mem_reservation",
        "memswap_limit",
        "networks",
        "pids_limit",
        "platform",
        "pull_policy",
    }
)
_LISTS = ("cap_drop", "security_opt", "tmpfs")
_OPENING_MOUNTS = frozenset({"exec", "suid", "dev"})
"""Options of a tmpfs that the engine leaves off by default."""
_AS_RENDERED = "Write it as svc-compose render does."


def node_findings(measured: Measured) -> Iterator[Finding]:
    """Objects to each way into the node's container."""
    service = node_service(measured)
    if service is None:
        return
    for text in (*_openings(service), *mount_objections(service), *_ports(measured, service)):
        yield refused("node", f"service {NODE!r}: {plain(text)}", _AS_RENDERED)
    for text in (*volume_objections(measured), *file_objections(measured)):
        yield refused("node", plain(text), _AS_RENDERED)
    yield from _others(measured, service)


def _others(measured: Measured, service: Service) -> Iterator[Finding]:
    # The volume at /data holds the ledger, the journal of writes and the sealed certificate key.
    data_sources = {
        entry.partition(":")[0] for entry in _plain_values(service, "volumes") if entry.split(":")[1:2] == ["/data"]
    }
    holders = {NODE, *measured.audit.key_holders}
    theirs = {source for each in measured.services if each.name in holders for source, _ in mount_sources(each)}
    for other in measured.services:
        where = f"service {plain(other.name)!r}"
        for text in _logging(other):
            yield refused("logs", f"{where}: {plain(text)}", "Leave the logs in the machine.")
        if other.name == NODE:
            continue
        for text in intrusions(other, data_sources, set() if other.name in holders else theirs):
            yield refused("node", f"{where}: {plain(text)}", "Keep the containers apart.")
        if other.name not in holders and list(other.entries("ports")):
            text = f"{where} publishes ports: on 80 and 443 it may prove the name to a certificate authority as its own"
            yield remark("node", text)


def _openings(service: Service) -> Iterator[str]:
    if _plain_values(service, "read_only") != ["true"]:
        yield "its root file system can be written"
    if "ALL" not in {text.upper() for text in _plain_values(service, "cap_drop")}:
        yield "it keeps capabilities (cap_drop: [ALL] is missing)"
    if {text.replace("=", ":") for text in _plain_values(service, "security_opt")} != {"no-new-privileges:true"}:
        yield "security_opt is not no-new-privileges:true alone"
    for key in _LISTS:
        if not all(isinstance(entry, Scalar) for entry in service.entries(key)):
            yield f"{key} holds what is no text"
    yield from _temporary(service)
    for key, _ in service.fields.pairs:
        # Pass only keys known to be harmless: a key of a later engine is refused until it is
        # reviewed.
        if key not in _RENDERED | _HARMLESS and not key.startswith("x-"):
            yield f"{key} is not among what the node needs"


def _temporary(service: Service) -> Iterator[str]:
    for place, _, options in (text.partition(":") for text in _plain_values(service, "tmpfs")):
        if place != "/tmp":  # noqa: S108 - a path in a container
            yield f"a tmpfs at {place} hides what the image or the volume has there"
        for option in sorted(_OPENING_MOUNTS.intersection(options.split(","))):
            yield f"the tmpfs at {place} has {option}: programs that are written there could be run"


def _ports(measured: Measured, service: Service) -> Iterator[str]:
    """Objects to each published port except the API's in quotes.

    YAML 1.1 may read a bare number in base 60, and a range may hold any port. If the node does not
    end TLS, its only port is the API in clear text, for the ingress alone.
    """
    try:
        settings = inlined_settings(measured).settings
    except ComposeError:
        return
    served = {str(settings.https_port), str(settings.http_port)}
    for entry in service.entries("ports"):
        if not isinstance(entry, Scalar):
            yield "a port is published in the long form"
        elif not entry.is_text or entry.text.count(":") != 1 or entry.text.rpartition(":")[2] not in served:
            yield f"publishes {entry.text}, which is not a port of the API in quotes"
        elif not settings.certificate_mode:
            yield f"publishes {entry.text}, where keys pass in clear: certificate_mode is empty, the ingress ends TLS"


def _logging(service: Service) -> Iterator[str]:
    for logging in service.fields.all("logging"):
        drivers = logging.all("driver") if isinstance(logging, Fields) else ()
        for driver in drivers or (logging,):
            name = driver.text if isinstance(driver, Scalar) else "?"
            # Log lines hold hashes of accounts and hosts (docs/monitoring.md). Another driver sends
            # them to a reader that is not measured.
            if name not in _LOCAL_LOGGING:
                yield f"the logging driver {name} sends logs elsewhere"
        for options in logging.all("options") if isinstance(logging, Fields) else ():
            if any(key.startswith("env") for key, _ in (options.pairs if isinstance(options, Fields) else ())):
                yield "its log is to carry variables, which may be secrets"


def _plain_values(service: Service, key: str) -> list[str]:
    return [entry.text for entry in service.entries(key) if isinstance(entry, Scalar)]

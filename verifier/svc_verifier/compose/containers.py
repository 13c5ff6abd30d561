"""Privileges and mounts of containers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from svc_verifier.compose.tree import Fields, Finding, Items, Node, Scalar, Service, Subject, at

KEY_SOCKETS: Final = ("/run/dstack.sock", "/run/tappd.sock", "/run/dstack")
"""Paths of the guest agent, in `/run` or `/var/run`. A mount of one gives every key of the app."""

_SYSTEM: Final = tuple(
    PurePosixPath("/", name)
    for name in "bin boot dev dstack etc home host-shared lib lib32 lib64 proc root run sbin sys tapp usr var".split()  # noqa: SIM905
)
"""Folders of programs, devices and sockets of the machine. `/var` holds the engine's data, and in
`/var/volatile` the upper layers of `/usr`, `/bin` and `/etc`; `/dstack` (formerly `/tapp`) what the
host shares; `/home` and `/root` what a login runs."""

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]+")
"""Name of a volume or network that the engine makes, of two characters or more. It may take other
texts for a path of the machine, or for another container's network."""

_DRIVE: Final = re.compile(r"[A-Za-z]:")
"""Start of a Windows drive to docker compose, on Linux too: `x:../etc:/y` mounts `x:../etc`."""

_WITHOUT_A_SOURCE: Final = frozenset({"tmpfs", "image"})
"""Types of a mount that reach nothing of the machine. Images are judged with the others."""


@dataclass(frozen=True, slots=True)
class Mount:
    """Path of the machine that is mounted. No user may accept a `forbidden` one."""

    by: str
    source: str
    line: int
    forbidden: bool


def mounts_to_judge(services: tuple[Service, ...], compose: Fields) -> Iterator[Mount]:
    """Yields every mount that needs acceptance."""
    for by, source, line in _sources(services, compose):
        # The holders of the guest agent's socket are listed by name instead (`key_holders`).
        if not _is_named_volume(source) and not reaches_keys(source):
            yield Mount(by, source, line, _is_forbidden(source))


def key_holders(services: tuple[Service, ...], compose: Fields) -> tuple[str, ...]:
    """Returns the services, configs and secrets that reach the guest agent and so every key."""
    holders = {each.name for each in services for source, _ in mount_sources(each) if _may_reach(source, KEY_SOCKETS)}
    # docker compose binds the file of a config or secret into the container like a volume.
    holders |= {name for name, source, _ in file_sources(compose) if _may_reach(source, KEY_SOCKETS)}
    return tuple(sorted(holders))


def file_sources(compose: Fields) -> Iterator[tuple[str, str, int]]:
    """Yields name, path and line of each config and secret that is a file, and so a mount.

    A relative path is below the folder of the compose file, as if it began with a dot.
    """
    for kind in ("configs", "secrets"):
        for listed in compose.all(kind):
            for name, entry in listed.pairs if isinstance(listed, Fields) else ():
                for text, line in _texts(entry.all("file")) if isinstance(entry, Fields) else ():
                    yield f"{kind} {name!r}", _as_path(text), line


def mount_sources(service: Service) -> Iterator[tuple[str, int]]:
    """Yields source and line of every mount of a service, a path or a volume's name."""
    for volume in service.entries("volumes"):
        if isinstance(volume, Scalar):
            # Whole, since readers disagree on where such a source ends.
            if _DRIVE.match(volume.text):
                yield volume.text, volume.line
                continue
            source, separator, _ = volume.text.partition(":")
            if separator or "$" in source:  # A target alone is anonymous; a variable may be both.
                yield source, volume.line
        elif isinstance(volume, Fields):
            kinds = {kind.text if isinstance(kind, Scalar) else "" for kind in volume.all("type")}
            # A merge can give several types. All must be harmless, since any may count.
            if kinds and kinds <= _WITHOUT_A_SOURCE:
                continue
            for text, line in _texts(volume.all("source")):
                yield text if kinds == {"volume"} else _as_path(text), line


def reaches_keys(source: str) -> bool:
    """Whether a source is the guest agent's socket and nothing more."""
    path = _path(source)
    return path is not None and any(path.is_relative_to(place) for place in KEY_SOCKETS)


def _sources(services: tuple[Service, ...], compose: Fields) -> Iterator[tuple[str, str, int]]:
    for service in services:
        for source, line in mount_sources(service):
            yield f"service {service.name!r}", source, line
    yield from file_sources(compose)


def _is_named_volume(source: str) -> bool:
    return _NAME.fullmatch(source) is not None


def _is_forbidden(source: str) -> bool:
    """Whether a path holds a system path, is below one, or is no plain path of the machine."""
    path = _path(source)
    # A folder above a system path gives that path as well, so both directions count.
    return path is None or any(_holds(path, place) for place in _SYSTEM)


def _may_reach(source: str, places: tuple[str, ...]) -> bool:
    """Whether a source is, holds or is below one of the places. An unreadable path may be."""
    if _is_named_volume(source):
        return False
    path = _path(source)
    near = (PurePosixPath(place) for place in places)
    return path is None or any(_holds(path, place) for place in near)


def _holds(one: PurePosixPath, other: PurePosixPath) -> bool:
    """Whether one of two paths is the other, is below it or holds it."""
    # By parts, since `is_relative_to` makes new paths, which takes seconds for a file's mounts.
    shared = min(len(one.parts), len(other.parts))
    return one.parts[:shared] == other.parts[:shared]


def _path(source: str) -> PurePosixPath | None:
    """Returns the absolute path, with `/var/run` as `/run`; None for an ambiguous one."""
    if "$" in source or not source.startswith("/"):
        return None
    path = PurePosixPath("/" + source.lstrip("/"))  # Python keeps two slashes apart, Linux does not
    # The kernel resolves `..` after symbolic links, which no text shows.
    if ".." in path.parts:
        return None
    return PurePosixPath("/", *path.parts[2:]) if path.parts[1:3] == ("var", "run") else path


def _as_path(text: str) -> str:
    return text if text.startswith(("/", ".", "~")) else f"./{text}"


def _texts(values: tuple[Node, ...]) -> Iterator[tuple[str, int]]:
    for value in values:
        if isinstance(value, Scalar):
            yield value.text, value.line
        elif isinstance(value, Items):
            yield from _texts(value.items)


_NAMESPACES: Final = {
    "network_mode": re.compile(r"bridge|default|none|service:[A-Za-z0-9._-]+"),
    "pid": re.compile(r"service:[A-Za-z0-9._-]+"),
    "ipc": re.compile(r"private|shareable|none|service:[A-Za-z0-9._-]+"),
    "userns_mode": re.compile(r""),
    "uts": re.compile(r""),
    "cgroup": re.compile(r"private"),
}
"""Namespaces that a service may name, its own or a service's of this measured file. `container:`
joins any container of the machine, and a variable may become `host`."""

_LOG_DRIVERS: Final = frozenset({"json-file", "local", "none", "journald"})
"""Log drivers of the engine that write to the machine's own files. Others are plugins or write to
an address, which may be a socket of the machine."""

_NETWORK_DRIVERS: Final = frozenset({"bridge"})
"""Network drivers that are allowed. Others use a link of the machine or are plugins."""

_NETWORK_OPTIONS: Final = frozenset({"com.docker.network.driver.mtu"})
DEFAULT_CAPABILITIES: Final = frozenset(
    {
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "NET_RAW",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    }
)
"""Capabilities that Docker gives every container."""

_HARMLESS_CAPABILITIES: Final = DEFAULT_CAPABILITIES | {"IPC_LOCK", "SYS_NICE"}
"""Capabilities that stay in the container (capabilities(7)), with memory locks and priorities."""

_SECURITY_OPT: Final = re.compile(r"no-new-privileges([:=](true|false))?")
"""Option that is allowed. Any other replaces the engine's own profiles."""

_RUNTIME: Final = "runc"
"""Docker's default. Any other is a program of the machine, which no digest pins."""


def privilege_findings(services: tuple[Service, ...], compose: Fields) -> Iterator[Finding]:
    """Yields an objection to each privilege, shared namespace and forbidden mount."""
    for service in services:
        for line, what in _objections(service):
            yield _finding(line, f"service {service.name!r}: {what}")
    yield from _of_volumes(compose)
    yield from _of_networks(compose)
    for mount in mounts_to_judge(services, compose):
        if mount.forbidden:
            yield _finding(
                mount.line,
                f"{mount.by} mounts {mount.source}, from where the machine or its container engine is reached",
            )


def _objections(service: Service) -> Iterator[tuple[int, str]]:
    """Yields line and name of each privilege a service asks for. A variable may be any value."""
    fields = service.fields
    for key in ("privileged", "oom_kill_disable"):
        yield from ((line, key) for line in _not_false(fields, key))
    for key, own in _NAMESPACES.items():
        yield from (
            (line, f"{key} {text}") for text, line in _texts(fields.all(key)) if text and not own.fullmatch(text)
        )
    # The runtime and its hooks read annotations, some of which run or mount something.
    for key in ("devices", "device_cgroup_rules", "volumes_from", "gpus", "annotations"):
        yield from ((value.line, key) for value in fields.all(key))
    for text, line in _texts(tuple(service.entries("cap_add"))):
        # The engine takes a capability with and without CAP_, in any case.
        if text.upper().removeprefix("CAP_") not in _HARMLESS_CAPABILITIES:
            yield line, f"capability {text}"
    for text, line in _texts(tuple(service.entries("security_opt"))):
        if not _SECURITY_OPT.fullmatch(text):
            yield line, f"security_opt {text}"
    yield from _programs_and_devices(service)
    yield from _logs_and_networks(service)


def _programs_and_devices(service: Service) -> Iterator[tuple[int, str]]:
    """Yields programs outside of the container's image, and devices that a deployment reserves."""
    for text, line in _texts(service.fields.all("runtime")):
        if text != _RUNTIME:
            yield line, f"runtime {text}"
    for deploy in service.fields.all("deploy"):
        # The Compose specification allows devices at any depth of `deploy.resources`.
        yield from ((line, "deploy: devices") for line in _lines_of("devices", deploy))
    for key in ("post_start", "pre_stop"):
        hooks = (hook for hook in service.entries(key) if isinstance(hook, Fields))
        yield from ((line, f"a privileged {key}") for hook in hooks for line in _not_false(hook, "privileged"))


def _logs_and_networks(service: Service) -> Iterator[tuple[int, str]]:
    """Yields log drivers and network options that may be plugins or reach the machine."""
    for logging in service.fields.all("logging"):
        for text, line in _texts(logging.all("driver")) if isinstance(logging, Fields) else ():
            if text not in _LOG_DRIVERS:
                yield (
                    line,
                    f"the log driver {text}: it reaches past the containers, or is a plugin that runs beside them",
                )
    for attached in service.fields.all("networks"):
        for name, options in attached.pairs if isinstance(attached, Fields) else ():
            for line in _foreign_options(options):
                yield line, f"network {name!r} has driver_opts, which are not known to be harmless"


def _of_volumes(compose: Fields) -> Iterator[Finding]:
    """Yields objections to volumes. Driver options can bind any path, and a driver is a program."""
    for name, volume in _resources(compose, "volumes"):
        yield from (
            _finding(
                line, f"volume {name!r} is {text}, which is no name of a volume: the engine may take it for a path"
            )
            for text, line in _names(name, volume)
            if text and not _NAME.fullmatch(text)
        )
        if volume.all("driver_opts"):
            yield _finding(volume.line, f"volume {name!r} has driver_opts, which can bind any path")
        for text, line in _texts(volume.all("driver")):
            if text != "local":
                yield _finding(line, f"volume {name!r} has the driver {text}: a plugin runs beside the containers")


def _of_networks(compose: Fields) -> Iterator[Finding]:
    """Yields objections to networks. The engine's network `host`, by name or driver, is the TD's.

    A plugin that drives a network or gives it addresses is a program of its own.
    """
    for name, network in _resources(compose, "networks"):
        for text, line in _names(name, network):
            if text == "host" or (text and not _NAME.fullmatch(text)):
                yield _finding(
                    line, f"network {name!r} is {text}, which may be a network of the machine or of a container"
                )
        yield from (_finding(line, f"network {name!r} has {what}") for line, what in _drivers(network))


def _resources(compose: Fields, kind: str) -> Iterator[tuple[str, Fields]]:
    """Yields key and members of each volume or network that has members."""
    for listed in compose.all(kind):
        for name, resource in listed.pairs if isinstance(listed, Fields) else ():
            if isinstance(resource, Fields):
                yield name, resource


def _names(key: str, resource: Fields) -> Iterator[tuple[str, int]]:
    """Yields each name that the engine may know a volume or network by, with its line."""
    yield from _texts(resource.all("name"))
    for external in resource.all("external"):
        # Without `name`, an external one has its key; others have the project's prefix.
        yield key, resource.line
        yield from _texts(external.all("name")) if isinstance(external, Fields) else ()


def _drivers(network: Fields) -> Iterator[tuple[int, str]]:
    """Yields line and name of drivers and options of a network that are not the engine's own."""
    for text, line in _texts(network.all("driver")):
        if text and text not in _NETWORK_DRIVERS:
            yield (
                line,
                f"the driver {text}: it reaches a link of the machine, or is a plugin that runs beside the containers",
            )
    for line in _foreign_options(network):
        yield line, "driver_opts, which are not known to be harmless"
    for ipam in network.all("ipam"):
        if not isinstance(ipam, Fields):
            continue
        for text, line in _texts(ipam.all("driver")):
            if text and text != "default":
                yield line, f"the ipam driver {text}: a plugin runs beside the containers"
        yield from ((options.line, "ipam options, which only a plugin reads") for options in ipam.all("options"))


def _foreign_options(network: Node) -> Iterator[int]:
    """Yields the lines of driver options that are not known."""
    for options in network.all("driver_opts") if isinstance(network, Fields) else ():
        for key, value in options.pairs if isinstance(options, Fields) else ():
            if key not in _NETWORK_OPTIONS:
                yield value.line


def _lines_of(key: str, node: Node) -> Iterator[int]:
    """Yields the lines of a key, at any depth."""
    if isinstance(node, Items):
        for item in node.items:
            yield from _lines_of(key, item)
    elif isinstance(node, Fields):
        for name, value in node.pairs:
            if name == key:
                yield value.line
            yield from _lines_of(key, value)


def _not_false(fields: Fields, key: str) -> Iterator[int]:
    """Yields the lines on which a key is anything but plainly false."""
    for value in fields.all(key):
        # YAML 1.1 and 1.2 differ on `no` and `off`, so only the plain word is sure.
        if not isinstance(value, Scalar) or value.text.lower() != "false":
            yield value.line


def _finding(line: int, text: str) -> Finding:
    return Finding(Subject.PRIVILEGES, at(line, text))

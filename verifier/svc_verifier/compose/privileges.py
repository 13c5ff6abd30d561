"""Who gets out of its container: privileges, namespaces of the TD, the container engine, and places of the host.

The engine's socket lets a container start any image, which no digest in the file pins. A bind mount of a folder above it,
or a named volume that binds one, is the same.
"""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from svc_verifier.compose.findings import Finding, Subject, at
from svc_verifier.compose.services import Service
from svc_verifier.compose.tree import Fields, Items, Node, Scalar

_NAMESPACES: Final = ("network_mode", "pid", "ipc", "userns_mode", "uts", "cgroup")
_CAPABILITIES: Final = frozenset(
    {
        "ALL",
        "SYS_ADMIN",
        "SYS_MODULE",
        "SYS_PTRACE",
        "SYS_RAWIO",
        "SYS_BOOT",
        "SYS_TIME",
        "DAC_READ_SEARCH",
        "BPF",
        "PERFMON",
        "NET_ADMIN",
    }
)
_UNCONFINED: Final = ("unconfined", "label:disable", "label=disable", "systempaths")
_GUARDED: Final = (
    "/var/run/docker.sock",
    "/run/docker.sock",
    "/var/run/docker",
    "/run/docker",
    "/var/run/containerd",
    "/run/containerd",
    "/var/lib/docker",
    "/var/lib/containerd",
    "/proc",
    "/sys",
    "/dev",
    "/etc",
    "/run/systemd",
    "/var/run/systemd",
    "/run/dbus",
    "/var/run/dbus",
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/boot",
)
"""Over systemd's sockets or D-Bus a container starts any program outside of itself; over its folders it replaces one."""

KEY_SOCKETS: Final = (
    "/var/run/dstack.sock",
    "/run/dstack.sock",
    "/var/run/tappd.sock",
    "/run/tappd.sock",
    "/run/dstack",
    "/var/run/dstack",
)
_HOST_SHARED: Final = ("/dstack", "/tapp", "/host-shared", "/var/lib/dstack")


def privilege_findings(services: tuple[Service, ...], compose: Fields) -> Iterator[Finding]:
    """An objection to each privilege, each shared namespace and each guarded mount."""
    for service in services:
        yield from _of_service(service)
        for source, line in mount_sources(service):
            if _reaches(source, _GUARDED):
                yield _finding(
                    line, f"service {service.name!r} mounts {source}, from where the container engine is reached"
                )
    yield from _of_volumes(compose)
    yield from _of_networks(compose)
    for name, source, line in file_sources(compose):
        if _reaches(source, _GUARDED):
            yield _finding(line, f"{name} mounts {source}, from where the container engine is reached")


def key_holders(services: tuple[Service, ...], compose: Fields) -> tuple[str, ...]:
    """The services that reach the guest agent, and so every key of the app; or the config or secret that leads there."""
    holders = {s.name for s in services for source, _ in mount_sources(s) if _reaches(source, KEY_SOCKETS)}
    holders |= {name for name, source, _ in file_sources(compose) if _reaches(source, KEY_SOCKETS)}
    return tuple(sorted(holders))


def host_shared_mounts(services: tuple[Service, ...], compose: Fields) -> Iterator[tuple[str, str, int]]:
    """Who mounts, path and line of each mount of a folder that the host fills."""
    for service in services:
        for source, line in mount_sources(service):
            if _reaches(source, _HOST_SHARED):
                yield f"service {service.name!r}", source, line
    for name, source, line in file_sources(compose):
        if _reaches(source, _HOST_SHARED):
            yield name, source, line


def file_sources(compose: Fields) -> Iterator[tuple[str, str, int]]:
    """Name, path and line of each config and secret that is a file: docker compose binds it like any mount.

    A path that is not absolute lies in the folder of the compose file, as one that starts with a dot.
    """
    for kind in ("configs", "secrets"):
        for listed in compose.all(kind):
            for name, entry in listed.pairs if isinstance(listed, Fields) else ():
                for text, line in _texts(entry.all("file")) if isinstance(entry, Fields) else ():
                    yield f"{kind} {name!r}", text if text.startswith(("/", ".", "~")) else f"./{text}", line


def mount_sources(service: Service) -> Iterator[tuple[str, int]]:
    """Path and line of everything of the machine that is mounted into a service."""
    for volume in service.entries("volumes"):
        if isinstance(volume, Scalar):
            yield volume.text.partition(":")[0], volume.line
        elif isinstance(volume, Fields):
            yield from _texts(volume.all("source"))


def _of_service(service: Service) -> Iterator[Finding]:
    where = f"service {service.name!r}"
    for line, what in _objections(service):
        yield _finding(line, f"{where}: {what}")


def _objections(service: Service) -> Iterator[tuple[int, str]]:
    """Line and name of each privilege a service asks for. A variable may be any value."""
    fields = service.fields
    for key in ("privileged", "oom_kill_disable"):
        yield from ((line, key) for line in _not_false(fields, key))
    for key in _NAMESPACES:
        yield from ((line, f"{key} {text}") for text, line in _texts(fields.all(key)) if text == "host" or "$" in text)
    for key in ("devices", "device_cgroup_rules", "volumes_from", "gpus"):
        yield from ((value.line, key) for value in fields.all(key))
    for text, line in _texts(tuple(service.entries("cap_add"))):
        if text.upper().removeprefix("CAP_") in _CAPABILITIES or "$" in text:
            yield line, f"capability {text}"
    for text, line in _texts(tuple(service.entries("security_opt"))):
        if any(word in text for word in _UNCONFINED) or "$" in text:
            yield line, f"security_opt {text}"
    for key in ("post_start", "pre_stop"):
        hooks = (hook for hook in service.entries(key) if isinstance(hook, Fields))
        yield from ((line, f"a privileged {key}") for hook in hooks for line in _not_false(hook, "privileged"))


def _of_volumes(compose: Fields) -> Iterator[Finding]:
    """Named volumes can bind any path by their driver's options."""
    for volumes in compose.all("volumes"):
        for name, volume in volumes.pairs if isinstance(volumes, Fields) else ():
            if isinstance(volume, Fields) and volume.all("driver_opts"):
                yield _finding(volume.line, f"volume {name!r} has driver_opts, which can bind any path")


def _of_networks(compose: Fields) -> Iterator[Finding]:
    """A network of the engine's own by the name `host`, or by its driver, is the TD's; unnamed, its key is its name."""
    for networks in compose.all("networks"):
        for name, network in networks.pairs if isinstance(networks, Fields) else ():
            if not isinstance(network, Fields):
                continue
            external = name if network.all("external") else ""
            named = [*_texts(network.all("name")), *_texts(network.all("driver")), (external, network.line)]
            named += [
                text for old in network.all("external") if isinstance(old, Fields) for text in _texts(old.all("name"))
            ]
            for text, line in named:
                if text == "host" or "$" in text:
                    yield _finding(line, f"network {name!r} is {text}")


def _reaches(source: str, places: tuple[str, ...]) -> bool:
    """Whether a path is one of the places, lies in one, or holds one. A variable may be any path."""
    if "$" in source:
        return True
    if not source.startswith(("/", ".", "~")):
        return False
    path = PurePosixPath("/" + source.lstrip("/"))  # Python keeps two slashes apart, Linux does not
    if not source.startswith("/") or ".." in path.parts:
        return True
    return any(_one_holds_the_other(path, PurePosixPath(place)) for place in places)


def _one_holds_the_other(path: PurePosixPath, place: PurePosixPath) -> bool:
    return path.is_relative_to(place) or place.is_relative_to(path)


def _not_false(fields: Fields, key: str) -> Iterator[int]:
    """The lines on which a key is anything but plainly false."""
    for value in fields.all(key):
        if not isinstance(value, Scalar) or value.text.lower() != "false":
            yield value.line


def _texts(values: tuple[Node, ...]) -> Iterator[tuple[str, int]]:
    for value in values:
        if isinstance(value, Scalar):
            yield value.text, value.line
        elif isinstance(value, Items):
            yield from _texts(value.items)


def _finding(line: int, text: str) -> Finding:
    return Finding(Subject.PRIVILEGES, at(line, text))

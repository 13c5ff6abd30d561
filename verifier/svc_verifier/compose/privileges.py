"""Privileges that let a container out of its bounds: namespaces of the TD, capabilities, devices, runtimes, and mounts.

The engine's socket lets a container start any image, which no digest in the file pins. A bind mount of a folder above it,
or a named volume that binds one, is the same (`mounts.py`).
"""

import re
from collections.abc import Iterator
from typing import Final

from svc_verifier.compose.findings import Finding, Subject, at
from svc_verifier.compose.mounts import mounts_to_judge
from svc_verifier.compose.services import Service
from svc_verifier.compose.tree import Fields, Items, Node, Scalar

_NAMESPACES: Final = ("network_mode", "pid", "ipc", "userns_mode", "uts", "cgroup")
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
"""Also locking memory and priorities. Any other reaches past the container (capabilities(7))."""

_SECURITY_OPT: Final = re.compile(r"no-new-privileges([:=](true|false))?")
"""Any other option replaces the engine's own profiles."""

_RUNTIME: Final = "runc"
"""Docker's default. Any other is a program of the machine that the container's image does not pin."""


def privilege_findings(services: tuple[Service, ...], compose: Fields) -> Iterator[Finding]:
    """An objection to each privilege, each shared namespace and each guarded mount."""
    for service in services:
        yield from _of_service(service)
    yield from _of_volumes(compose)
    yield from _of_networks(compose)
    for mount in mounts_to_judge(services, compose):
        if mount.forbidden:
            yield _finding(
                mount.line,
                f"{mount.by} mounts {mount.source}, from where the machine or its container engine is reached",
            )


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
        if text.upper().removeprefix("CAP_") not in _HARMLESS_CAPABILITIES:
            yield line, f"capability {text}"
    for text, line in _texts(tuple(service.entries("security_opt"))):
        if not _SECURITY_OPT.fullmatch(text):
            yield line, f"security_opt {text}"
    yield from _programs_and_devices(service)


def _programs_and_devices(service: Service) -> Iterator[tuple[int, str]]:
    """Find what runs outside of the container's own image, and devices that a deployment reserves."""
    for text, line in _texts(service.fields.all("runtime")):
        if text != _RUNTIME:
            yield line, f"runtime {text}"
    for deploy in service.fields.all("deploy"):
        yield from ((line, "deploy: devices") for line in _lines_of("devices", deploy))
    for key in ("post_start", "pre_stop"):
        hooks = (hook for hook in service.entries(key) if isinstance(hook, Fields))
        yield from ((line, f"a privileged {key}") for hook in hooks for line in _not_false(hook, "privileged"))


def _of_volumes(compose: Fields) -> Iterator[Finding]:
    """Named volumes can bind any path by their driver's options, and a plugin as a driver is a program of its own."""
    for volumes in compose.all("volumes"):
        for name, volume in volumes.pairs if isinstance(volumes, Fields) else ():
            if isinstance(volume, Fields) and volume.all("driver_opts"):
                yield _finding(volume.line, f"volume {name!r} has driver_opts, which can bind any path")
            for text, line in _texts(volume.all("driver")) if isinstance(volume, Fields) else ():
                if text != "local":
                    yield _finding(line, f"volume {name!r} has the driver {text}: a plugin runs beside the containers")


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


def _lines_of(key: str, node: Node) -> Iterator[int]:
    """The lines on which a key stands, at any depth."""
    if isinstance(node, Items):
        for item in node.items:
            yield from _lines_of(key, item)
    elif isinstance(node, Fields):
        for name, value in node.pairs:
            if name == key:
                yield value.line
            yield from _lines_of(key, value)


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

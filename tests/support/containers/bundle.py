"""One container as an OCI runtime (runtime-spec 1.0) is told of it, and as `jail` is, and the files it starts from."""

import json
import os
import resource
from pathlib import Path
from typing import Final

from image.oci import config_of, tree_of
from image.tree import File, Folder, Tree, with_parents, write_tree
from tests.support.containers.container import DATA, GUEST_AGENT, TMPFS_BYTES, Container, Start
from tests.support.containers.jail import MS_BIND, MS_NODEV, MS_NOEXEC, MS_NOSUID

_HIDDEN: Final = ("/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/timer_list")
_FIXED: Final = ("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger")
_NOTHING: Final = ("nosuid", "nodev", "noexec")
_DEVICES: Final = ("null", "zero", "full", "random", "urandom")
_AGENT_IN_ROOT: Final = "run/dstack.sock"
"""Where the image's link leads."""

_NOFILE: Final = 65536
_NPROC: Final = 4096


def limits() -> dict[str, int]:
    """Of open files and of processes, as the template has them, or as many as this machine lets be given."""
    asked = {"nofile": (resource.RLIMIT_NOFILE, _NOFILE), "nproc": (resource.RLIMIT_NPROC, _NPROC)}
    return {name: _at_most(resource.getrlimit(which)[1], wanted) for name, (which, wanted) in asked.items()}


def write_root(layout: Path, root: Path) -> Start:
    """The image's files with their owners, and a place to mount the guest agent's socket at. To be called as root."""
    tree: Tree = with_parents(tree_of(layout))
    tree[_AGENT_IN_ROOT] = File(b"")
    write_tree(tree, root)
    for path, entry in tree.items():
        if isinstance(entry, Folder):
            os.chown(root / path, entry.owner, entry.owner)
            (root / path).chmod(entry.mode)
    return Start.of(config_of(layout)["config"])


def write_volume(place: Path, user: int) -> None:
    """What an engine makes of a new volume: empty, with the owner and the mode of the image's folder."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.chown(place, user, user)


def runtime_config(root: Path, start: Start, container: Container, network: str, volume: Path) -> str:
    """config.json of a bundle."""
    process = {
        "user": {"uid": start.user, "gid": start.group},
        "args": [*start.entrypoint, *container.arguments],
        "env": list(start.environment),
        "cwd": start.folder,
        "capabilities": {kind: [] for kind in ("bounding", "effective", "permitted", "inheritable", "ambient")},
        "rlimits": [{"type": f"RLIMIT_{k.upper()}", "soft": v, "hard": v} for k, v in limits().items()],
        "noNewPrivileges": True,
    }
    namespaces = [{"type": kind} for kind in ("pid", "ipc", "uts", "mount")]
    linux = {
        "namespaces": [*namespaces, {"type": "network", "path": network}],
        "resources": {"memory": {"limit": container.memory_bytes}},
        "maskedPaths": _HIDDEN,
        "readonlyPaths": _FIXED,
    }
    if container.seccomp is not None:
        linux["seccomp"] = json.loads(container.seccomp.read_text())
    parts = {"process": process, "root": {"path": str(root), "readonly": True}, "linux": linux}
    return json.dumps({"ociVersion": "1.0.2", **parts, "mounts": _mounts(container, volume)})


def jail_options(root: Path, start: Start, container: Container, network: str, volume: Path) -> str:
    """What `jail` is told."""
    nothing = MS_NOSUID | MS_NODEV | MS_NOEXEC
    devices = [(f"/dev/{name}", f"dev/{name}", "", MS_BIND, "") for name in _DEVICES]
    mounts = [
        ("proc", "proc", "proc", nothing, ""),
        ("tmpfs", "dev", "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=755,size=64k"),
        *devices,
        ("tmpfs", "tmp", "tmpfs", nothing, f"mode=1777,size={TMPFS_BYTES}"),
        (str(volume), DATA.strip("/"), "", MS_BIND, ""),
        (str(container.guest_agent), _AGENT_IN_ROOT, "", MS_BIND, ""),
    ]
    process = {"user": start.user, "group": start.group, "folder": start.folder, "environment": start.environment}
    program = {"program": [*start.entrypoint, *container.arguments], "network": network, "root": str(root)}
    bounds = [(getattr(resource, f"RLIMIT_{name.upper()}"), value) for name, value in limits().items()]
    return json.dumps({**process, **program, "mounts": mounts, "limits": bounds})


def _mounts(container: Container, volume: Path) -> list[dict[str, object]]:
    return [
        _mount("/proc", "proc", "proc", *_NOTHING),
        _mount("/dev", "tmpfs", "tmpfs", "nosuid", "mode=755", "size=65536k"),
        _mount("/dev/shm", "tmpfs", "shm", *_NOTHING, "mode=1777", "size=65536k"),
        _mount("/sys", "sysfs", "sysfs", *_NOTHING, "ro"),
        _mount("/sys/fs/cgroup", "cgroup", "cgroup", *_NOTHING, "ro"),
        _mount("/tmp", "tmpfs", "tmpfs", *_NOTHING, "mode=1777", f"size={TMPFS_BYTES}"),
        _mount(DATA, "bind", str(volume), "bind", "nosuid", "nodev"),
        _mount(GUEST_AGENT, "bind", str(container.guest_agent), "bind"),
    ]


def _mount(destination: str, kind: str, source: str, *options: str) -> dict[str, object]:
    return {"destination": destination, "type": kind, "source": source, "options": options}


def _at_most(bound: int, wanted: int) -> int:
    return wanted if bound == resource.RLIM_INFINITY else min(bound, wanted)

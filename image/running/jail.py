"""The container where there is no engine: namespaces, mounts and a user, by the tools of util-linux and coreutils."""

import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from image.running.bundle import limits
from image.running.container import DATA, GUEST_AGENT, TMPFS_BYTES, Container, Start

_DEVICES: Final = ("null", "zero", "full", "random", "urandom")
_KEPT: Final = "-all,+setuid,+setgid,+sys_chroot"
"""For as long as it takes to give them up: the change of user takes the rest."""


def command(root: Path, start: Start, container: Container, network: str, volume: Path) -> Sequence[str]:
    """What runs it in the foreground, its first process the number 1 of a namespace of its own."""
    script = " && ".join((*_mounts(root, container, volume), f"exec {shlex.join(_entering(root, start, container))}"))
    isolated = ("unshare", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child=KILL", "--propagation=private")
    return ("nsenter", f"--net={network}", *isolated, "/bin/sh", "-euc", script)


def _mounts(root: Path, container: Container, volume: Path) -> Sequence[str]:
    """In the order they are made: the root becomes read-only once all that is mounted in it has its place."""
    nothing = "nosuid,nodev,noexec"
    inside = {name: root / name for name in ("proc", "dev", "tmp")}
    devices = [(f"/dev/{name}", inside["dev"] / name) for name in _DEVICES]
    agent = root / GUEST_AGENT.replace("/var/run", "run", 1).strip("/")
    commands = [
        ("mount", "--bind", root, root),
        ("mount", "-t", "proc", "-o", nothing, "proc", inside["proc"]),
        ("mount", "-t", "tmpfs", "-o", "nosuid,noexec,mode=755,size=64k", "tmpfs", inside["dev"]),
        *(("touch", place) for _, place in devices),
        *(("mount", "--bind", device, place) for device, place in devices),
        ("mount", "-t", "tmpfs", "-o", f"{nothing},mode=1777,size={TMPFS_BYTES}", "tmpfs", inside["tmp"]),
        ("mount", "--bind", volume, root / DATA.strip("/")),
        ("mount", "--bind", container.guest_agent, agent),
        ("mount", "-o", "remount,bind,ro", root),
    ]
    return [shlex.join(map(str, each)) for each in commands]


def _entering(root: Path, start: Start, container: Container) -> Sequence[str]:
    bounds = [f"--{name}={value}" for name, value in limits().items()]
    unprivileged = ("--no-new-privs", f"--bounding-set={_KEPT}", "--inh-caps=-all")
    user = (f"--userspec={start.user}:{start.group}", "--groups=")
    program = (*start.entrypoint, *container.arguments)
    ours = [shutil.which(name) or name for name in ("setpriv", "chroot")]  # the image's PATH is not the machine's
    changed = (ours[0], *unprivileged, ours[1], *user, str(root))
    return ("prlimit", *bounds, "env", "-i", *start.environment, *changed, *program)

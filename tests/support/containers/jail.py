"""A container where there is no engine: a program that makes one of bare system calls and becomes its first process.

`jail.py JSON`, as root, by any Python. In the JSON: `network` (path of a namespace), `root`, `mounts` (source, target in the
root, type, flags, data), `limits` (number of RLIMIT to value), `user`, `group`, `folder`, `program`, `environment`. Exits
with the program's exit code, or 128 and the number of the signal that ended it, as engines do.
"""

import ctypes
import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any, Final

MS_RDONLY: Final = 1
MS_NOSUID: Final = 2
MS_NODEV: Final = 4
MS_NOEXEC: Final = 8
MS_BIND: Final = 0x1000
_MS_REMOUNT: Final = 0x20
_MS_PRIVATE_BELOW: Final = 0x40000 | 0x4000
_CLONE_NEWNET: Final = 0x40000000
_CLONE_OTHERS: Final = 0x20000 | 0x4000000 | 0x8000000 | 0x20000000
"""Mounts, host name, IPC, processes."""

_MNT_DETACH: Final = 2
_PR_SET_PDEATHSIG: Final = 1
_PR_CAPBSET_DROP: Final = 24
_PR_SET_NO_NEW_PRIVS: Final = 38
_SYS_PIVOT_ROOT: Final = 155
_LIBC: Final = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """See the module. A system call that fails ends it with a traceback."""
    asked: dict[str, Any] = json.loads(sys.argv[1])
    network = os.open(asked["network"], os.O_RDONLY)
    _call("setns", network, _CLONE_NEWNET)
    _call("unshare", _CLONE_OTHERS)
    child = os.fork()
    if child == 0:
        _become(asked)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    sys.exit(code if code >= 0 else 128 - code)


def _become(asked: dict[str, Any]) -> None:
    _call("prctl", _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    _enter_root(Path(asked["root"]), asked["mounts"])
    for number, value in asked["limits"]:
        resource.setrlimit(number, (value, value))
    last = int(Path("/proc/sys/kernel/cap_last_cap").read_text())
    for capability in range(last + 1):
        _call("prctl", _PR_CAPBSET_DROP, capability, 0, 0, 0)
    os.setgroups([])
    os.setresgid(*[asked["group"]] * 3)
    os.setresuid(*[asked["user"]] * 3)
    _call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    os.chdir(asked["folder"])
    program = asked["program"]
    os.execve(program[0], program, dict(each.split("=", 1) for each in asked["environment"]))


def _enter_root(root: Path, mounts: list[list[Any]]) -> None:
    """Leave the machine's files behind: they are unmounted here, not only out of sight, which user namespaces ask for."""
    _mount("none", "/", "", _MS_PRIVATE_BELOW, "")
    _mount(str(root), str(root), "", MS_BIND, "")
    for source, target, kind, flags, data in mounts:
        place = root / target
        if kind == "" and not place.exists():
            place.touch()
        _mount(source, str(place), kind, flags, data)
    os.chdir(root)
    _call("syscall", _SYS_PIVOT_ROOT, b".", b".")
    _call("umount2", b".", _MNT_DETACH)
    _mount("none", "/", "", _MS_REMOUNT | MS_BIND | MS_RDONLY, "")


def _mount(source: str, target: str, kind: str, flags: int, data: str) -> None:
    _call("mount", source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode())


def _call(name: str, *arguments: object) -> None:
    if getattr(_LIBC, name)(*arguments) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")


if __name__ == "__main__":
    main()

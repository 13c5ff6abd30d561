"""Drops privileges, dumps, files, and namespaces in the zygote, for all workers.

Limits, no new privileges and no dumps are mandatory. The others are optional and reported.
"""

import ctypes
import os
import resource
from contextlib import suppress

from node.engine.worker import kernel
from node.engine.worker.sandbox import limit

_NOBODY = 65534
_SIGKILL = 9
_SYS_MPROTECT = 10
_SYS_CAPSET = 126
_SYS_UNSHARE = 272
_CAPABILITY_VERSION_3 = 0x20080522
_STACK_BYTES = 8 << 20
"""Limit of the main thread's stack, Linux' default. `RLIMIT_DATA` does not count the stack."""
_PAGE_BYTES = 4096
_READ_AND_EXECUTE = 5
_NAMESPACES = {"user": 0x10000000, "net": 0x40000000, "mount": 0x20000, "ipc": 0x8000000, "uts": 0x4000000}

_SYS_CREATE_RULESET = 444
_SYS_RESTRICT_SELF = 446
_ASK_VERSION = 1
_ATTRIBUTE_BYTES = {1: 8, 4: 16, 6: 24}
"""Size of `struct landlock_ruleset_attr` since each version of the interface (landlock(7))."""
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""Number of file rights since each version."""
_NET_RIGHTS = 0b11
_SCOPES = 0b11


def confine(data_bytes: int, parent_pid: int) -> list[str]:
    """Applies all measures and ties this process to the node. Returns the optional ones.

    Raises OSError or RuntimeError if the kernel refuses a mandatory one.
    """
    machine = os.uname().machine
    if machine != "x86_64":
        raise RuntimeError(f"the system call filter is written for x86_64, not {machine}")
    first_to_go = _be_first_to_go()
    # Namespaces come first, since unshare(2) needs CAP_SYS_ADMIN, which is dropped next.
    taken = [*first_to_go, *_own_namespaces()]
    _drop_capabilities()
    _end_writing_of_code()
    _refuse_huge_pages()
    _limit(data_bytes)
    # After the change of user, at which the kernel clears the signal (prctl(2)).
    kernel.control(kernel.PR_SET_PDEATHSIG, _SIGKILL)
    if os.getppid() != parent_pid:
        os._exit(0)
    # Other processes of the user may not attach (ptrace(2)) or read its memory in /proc.
    kernel.control(kernel.PR_SET_DUMPABLE, 0)
    # Needed to install a seccomp filter without CAP_SYS_ADMIN (seccomp(2)).
    kernel.control(kernel.PR_SET_NO_NEW_PRIVS, 1)
    return taken


def deny_all() -> bool:
    """Drops every landlock right of this process and its children: files, ports and signals.

    It is a second barrier after the call filter. Returns False if the kernel lacks landlock.

    Call it with no new privileges set.
    """
    try:
        version = kernel.call(_SYS_CREATE_RULESET, 0, 0, _ASK_VERSION)
        attribute = (ctypes.c_uint64 * 3)(
            (1 << _latest(_FILE_RIGHTS, version)) - 1,
            _NET_RIGHTS if version >= 4 else 0,
            _SCOPES if version >= 6 else 0,
        )
        size = _latest(_ATTRIBUTE_BYTES, version)
        ruleset = kernel.call(_SYS_CREATE_RULESET, ctypes.addressof(attribute), size, 0)
        kernel.call(_SYS_RESTRICT_SELF, ruleset, 0)
        os.close(ruleset)
    except OSError:
        return False
    return True


def _be_first_to_go() -> list[str]:
    """Makes the kernel end these processes first when memory runs out, and not the node."""
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:  # noqa: PTH123
            file.write("1000")
    except OSError:
        return []
    return ["oom"]


def _own_namespaces() -> list[str]:
    """Creates root's namespaces, drops root, and creates the others in a user namespace."""
    taken = [name for name in _NAMESPACES if name != "user" and _unshare(_NAMESPACES[name])]
    _drop_root()
    left = [name for name in _NAMESPACES if name not in taken]
    flags = 0
    for name in left:
        flags |= _NAMESPACES[name]
    return [*taken, *left] if _unshare(flags) else taken


def _unshare(flags: int) -> bool:
    try:
        kernel.call(_SYS_UNSHARE, flags)
    except OSError:
        return False
    return True


def _drop_root() -> None:
    if os.geteuid() != 0:
        return
    try:
        # Drop groups first, since only root can.
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    except PermissionError:
        # A container may refuse even root this change; the call filter does not depend on it.
        return


def _drop_capabilities() -> None:
    """Drops all capabilities, which a new user namespace grants and root may have kept."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    # Version 3 has two structures of effective, permitted, inheritable sets (capget(2)).
    none = (ctypes.c_uint32 * 6)()
    kernel.call(_SYS_CAPSET, ctypes.addressof(header), ctypes.addressof(none))


def _end_writing_of_code() -> None:
    """Makes the page of ctypes' callback entries read-only once all callbacks exist. An attacker
    could write code to a writable and executable page. Raises RuntimeError if one is left.
    """
    for start, end in _writable_code():
        kernel.call(_SYS_MPROTECT, start, end - start, _READ_AND_EXECUTE)
    if _writable_code():
        raise RuntimeError("memory is both writable and executable")


def _refuse_huge_pages() -> None:
    """Disables huge pages. Writes to other parts of a huge page would cause no page fault, and the
    restore of an instance's memory, which relies on the count of faults, would miss them (ADR 22).
    """
    # A kernel that refuses it has no huge pages.
    with suppress(OSError):
        kernel.control(kernel.PR_SET_THP_DISABLE, 1)


def _writable_code() -> list[tuple[int, int]]:
    found = []
    with open("/proc/self/maps", encoding="utf-8") as maps:  # noqa: PTH123 - pathlib costs memory
        for line in maps:
            span, rights = line.split()[:2]
            if rights[1:3] == "wx":
                start, end = span.split("-")
                found.append((int(start, 16), int(end, 16)))
    return found


def _limit(data_bytes: int) -> None:
    """Limits address space to wasmtime's present reservation plus data. Read-only pages are no
    data, but their page tables, a page for every 2 MiB, use the machine's memory.
    """
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - pathlib costs memory
        reserved_bytes = int(file.read().split()[0]) * _PAGE_BYTES
    exact = {
        resource.RLIMIT_AS: reserved_bytes + data_bytes,
        resource.RLIMIT_DATA: data_bytes,
        resource.RLIMIT_STACK: _STACK_BYTES,
        # No file can grow, whichever descriptor is left.
        resource.RLIMIT_FSIZE: 0,
        # A core dump would write the secrets of actions to the host's disk.
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
    }
    # Soft and hard limit, so that no worker can raise them again.
    for name, value in exact.items():
        limit(name, value)


def _latest(by_version: dict[int, int], version: int) -> int:
    return max(value for since, value in by_version.items() if since <= version)

"""What the child gives up before it sees an action: limits, privileges, and all system calls but a few.

Imports little, since every action pays for it: no dataclasses, typing, signal or platform here or beside.

The filter is classic BPF over `struct seccomp_data` (seccomp(2)): architecture and x32 are checked, `read` and
`write` work on the one descriptor alone, memory is never executable, and any other call kills the process.
"""

import ctypes
import os
import resource

from node.engine.child.channel import DESCRIPTOR

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_SECCOMP = 22
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_MODE_FILTER = 2

_LOAD = 0x20
_JUMP_EQUAL = 0x15
_JUMP_GREATER_OR_EQUAL = 0x35
_JUMP_ANY_BIT = 0x45
_RETURN = 0x06
_ALLOW = 0x7FFF0000
_KILL_PROCESS = 0x80000000
_NUMBER_OFFSET = 0
_ARCHITECTURE_OFFSET = 4
_FIRST_ARGUMENT_OFFSET = 16
_THIRD_ARGUMENT_OFFSET = 32

_ARCHITECTURE = 0xC000003E
_X32 = 0x40000000
_PROT_EXEC = 4
_READ_AND_WRITE = (0, 1)
_MMAP_AND_MPROTECT = (9, 10)
_FREELY = {
    "poll": 7,
    "munmap": 11,
    "brk": 12,
    "rt_sigreturn": 15,
    "sched_yield": 24,
    "mremap": 25,
    "madvise": 28,
    "exit": 60,
    "gettimeofday": 96,
    "time": 201,
    "futex": 202,
    "restart_syscall": 219,
    "clock_gettime": 228,
    "exit_group": 231,
    "getrandom": 318,
}
_NOBODY = 65534

_SIGKILL = 9

_Instruction = tuple[int, int, int, int]
"""Operation, jump if true, jump if false, constant."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def enter(cpu_s: int, address_space_bytes: int, parent_pid: int) -> None:
    """Give everything up, for good, and do not outlive the parent.

    Raises OSError or RuntimeError when the kernel refuses any of it.
    """
    machine = os.uname().machine
    if machine != "x86_64":
        raise RuntimeError(f"the system call filter is written for x86_64, not {machine}")
    libc = ctypes.CDLL(None, use_errno=True)
    _drop_root()
    _limit(cpu_s, address_space_bytes)
    _control(libc, _PR_SET_PDEATHSIG, _SIGKILL)
    if os.getppid() != parent_pid:
        os._exit(0)
    _control(libc, _PR_SET_DUMPABLE, 0)
    _control(libc, _PR_SET_NO_NEW_PRIVS, 1)
    _filter_system_calls(libc)


def _drop_root() -> None:
    if os.geteuid() != 0:
        return
    try:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    except PermissionError:
        # A container may take even root's right to change the user; the filter does not rest on it.
        return


def _limit(cpu_s: int, address_space_bytes: int) -> None:
    exact = {
        resource.RLIMIT_CPU: cpu_s,
        resource.RLIMIT_AS: address_space_bytes,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_NOFILE: 3,
        resource.RLIMIT_MEMLOCK: 0,
    }
    for name, value in exact.items():
        resource.setrlimit(name, (value, value))


def _control(libc: ctypes.CDLL, option: int, value: int, pointer: object = 0) -> None:
    if libc.prctl(option, ctypes.c_ulong(value), pointer, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option})")


def _filter_system_calls(libc: ctypes.CDLL) -> None:
    packed = b"".join(
        operation.to_bytes(2, "little") + bytes((if_true, if_false)) + constant.to_bytes(4, "little")
        for operation, if_true, if_false, constant in _filter()
    )
    buffer = ctypes.create_string_buffer(packed)
    program = _Program(len(packed) // 8, ctypes.addressof(buffer))
    _control(libc, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program))


def _filter() -> list[_Instruction]:
    kill, allow = (_RETURN, 0, 0, _KILL_PROCESS), (_RETURN, 0, 0, _ALLOW)
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE_OFFSET),
        (_JUMP_EQUAL, 1, 0, _ARCHITECTURE),
        kill,
        (_LOAD, 0, 0, _NUMBER_OFFSET),
        (_JUMP_GREATER_OR_EQUAL, 0, 1, _X32),
        kill,
    ]
    for number in _FREELY.values():
        program += [(_JUMP_EQUAL, 0, 1, number), allow]
    for number in _READ_AND_WRITE:
        program += [(_JUMP_EQUAL, 0, 4, number), (_LOAD, 0, 0, _FIRST_ARGUMENT_OFFSET)]
        program += [(_JUMP_EQUAL, 0, 1, DESCRIPTOR), allow, kill]
    for number in _MMAP_AND_MPROTECT:
        program += [(_JUMP_EQUAL, 0, 4, number), (_LOAD, 0, 0, _THIRD_ARGUMENT_OFFSET)]
        program += [(_JUMP_ANY_BIT, 1, 0, _PROT_EXEC), allow, kill]
    return [*program, kill]

"""Drops in a worker, before any action, the rights that `zygote.confinement` had to keep.

A seccomp filter names the permitted system calls, in classic BPF over `struct seccomp_data`
(seccomp(2)). It checks architecture and x32, limits `read` and `write` to one descriptor, forbids
executable memory, and kills the process for any other call.

RLIMIT_DATA must count written memory until it is returned. So no mapping is shared, grows by
itself, loses its write permission or moves; the stack, which is not counted, could be enlarged by a
move. Calls that honest libraries can do without are refused: wasmtime then maps a grown slot again,
and realloc copies large blocks.
"""

import ctypes
import os
import resource

from node.engine.worker import kernel
from node.engine.worker.channel import DESCRIPTOR

_SIGKILL = 9
_SIGCHLD = 17
_SIGSYS = 31
_SYS_CLONE = 56
_SYS_SECCOMP = 317
_SET_MODE_FILTER = 1
_ALL_THREADS = 1
"""SECCOMP_FILTER_FLAG_TSYNC, since a worker has a second thread, its ticker."""
_STANDARD_DESCRIPTORS = 3

_LOAD = 0x20
_JUMP_EQUAL = 0x15
_JUMP_GREATER_OR_EQUAL = 0x35
_JUMP_ANY_BIT = 0x45
_RETURN = 0x06
_ALLOW = 0x7FFF0000
_KILL_PROCESS = 0x80000000
_REFUSE = 0x00050000 | 1
"""Refuses the call with EPERM."""
_NUMBER_OFFSET = 0
_ARCHITECTURE_OFFSET = 4
_FIRST_ARGUMENT_OFFSET = 16
_SECOND_ARGUMENT_OFFSET = 24
_THIRD_ARGUMENT_OFFSET = 32
_FOURTH_ARGUMENT_OFFSET = 40

_ARCHITECTURE = 0xC000003E
_X32 = 0x40000000
_PROT_NONE = 0
_PROT_READ_WRITE = 3
_PROT_EXEC = 4
_MAP_SHARED_OR_GROWING = 0x1 | 0x100
_READ_AND_WRITE = (0, 1)
_MMAP = 9
_MPROTECT = 10
_MREMAP = 25
_MADVISE = 28
_FUTEX = 202
_FUTEX_PRIVATE = 128
"""Required, since a futex on a shared page of a file wakes threads of other processes."""
_MADV_DONTNEED = 4
_MADV_POPULATE_READ = 22
_MADV_POPULATE_WRITE = 23
"""The only permitted advice, which returns pages or maps them in advance. Other advice merges pages
with those of other processes, whose contents the timing then reveals, or writes out shared files.
"""
_FREELY = {
    "poll": 7,
    "munmap": 11,
    "brk": 12,
    "rt_sigreturn": 15,
    "sched_yield": 24,
    "exit": 60,
    "gettimeofday": 96,
    "getrusage": 98,
    "time": 201,
    "restart_syscall": 219,
    "clock_gettime": 228,
    "exit_group": 231,
    "getrandom": 318,
}

_Instruction = tuple[int, int, int, int]
"""Operation, jump if true, jump if false, constant."""


def limit(name: int, value: int, above: int = 0) -> None:
    """Sets a permanent limit; the hard one is higher by `above`. Raises OSError if the kernel
    refuses, RuntimeError if it accepts without effect.
    """
    both = (value, value + above)
    resource.setrlimit(name, both)
    # Some container runtimes accept the call and ignore it.
    if resource.getrlimit(name) != both:
        raise RuntimeError(f"resource limit {name} does not hold")


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


class Sandbox:
    """Prepared in the zygote, entered in each worker, a child of the node (`parent_pid`)."""

    def __init__(self, cpu_s: int, parent_pid: int) -> None:
        packed = _packed_filter()
        self._instructions = ctypes.create_string_buffer(packed)
        self._program = _Program(len(packed) // 8, ctypes.addressof(self._instructions))
        self._program_address = ctypes.addressof(self._program)
        self._parent_pid = parent_pid
        self._limits = (
            # The soft limit's signal tells why; the hard one's equals that of lacking memory.
            (resource.RLIMIT_CPU, cpu_s, 1),
            (resource.RLIMIT_NPROC, 0, 0),
            (resource.RLIMIT_NOFILE, _STANDARD_DESCRIPTORS, 0),
        )

    def prove(self) -> None:
        """Confines a process and checks that a forbidden call kills it.

        Raises RuntimeError if it survives, since some containers accept a filter without effect.
        """
        # A bare call as for workers, since the interpreter's fork would run handlers.
        process = kernel.call(_SYS_CLONE, _SIGCHLD)
        if process == 0:
            try:
                self._give_up_calls()
                # Not in the list of calls, so the filter must kill the process with SIGSYS.
                os.getppid()
            finally:
                os._exit(0)
        _, status = os.waitpid(process, 0)
        if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != _SIGSYS:
            raise RuntimeError("the system call filter cannot be installed, or stops nothing")

    def enter(self) -> None:
        """Drops all but a few system calls permanently, and dies with the node.

        Raises OSError or RuntimeError if the kernel refuses any of it.
        """
        # Not in the zygote, which forks, has files open, and lives on.
        for name, value, above in self._limits:
            limit(name, value, above)
        # Fork clears the signal of the parent's death (prctl(2)), so set it again.
        kernel.control(kernel.PR_SET_PDEATHSIG, _SIGKILL)
        # The node may have died before, and no signal would come.
        if os.getppid() != self._parent_pid:
            os._exit(0)
        self._give_up_calls()

    def _give_up_calls(self) -> None:
        if kernel.call(_SYS_SECCOMP, _SET_MODE_FILTER, _ALL_THREADS, self._program_address):
            raise RuntimeError("a thread could not be given the system call filter")


def _packed_filter() -> bytes:
    """Returns the filter for the kernel, `struct sock_filter` of eight bytes each."""
    return b"".join(
        operation.to_bytes(2, "little") + bytes((if_true, if_false)) + constant.to_bytes(4, "little")
        for operation, if_true, if_false, constant in _instructions()
    )


def _instructions() -> list[_Instruction]:
    kill, allow = (_RETURN, 0, 0, _KILL_PROCESS), (_RETURN, 0, 0, _ALLOW)
    program = [
        # Numbers mean other calls on other architectures, so check it first (seccomp(2)).
        (_LOAD, 0, 0, _ARCHITECTURE_OFFSET),
        (_JUMP_EQUAL, 1, 0, _ARCHITECTURE),
        kill,
        (_LOAD, 0, 0, _NUMBER_OFFSET),
        # The x32 ABI has the same architecture value and marks its calls by this bit.
        (_JUMP_GREATER_OR_EQUAL, 0, 1, _X32),
        kill,
    ]
    for number in _FREELY.values():
        program += [(_JUMP_EQUAL, 0, 1, number), allow]
    for number in _READ_AND_WRITE:
        # A file descriptor left open by the zygote cannot be read or written.
        program += [(_JUMP_EQUAL, 0, 4, number), (_LOAD, 0, 0, _FIRST_ARGUMENT_OFFSET)]
        program += [(_JUMP_EQUAL, 0, 1, DESCRIPTOR), allow, kill]
    program += [(_JUMP_EQUAL, 0, 6, _MMAP), (_LOAD, 0, 0, _THIRD_ARGUMENT_OFFSET), (_JUMP_ANY_BIT, 3, 0, _PROT_EXEC)]
    program += [(_LOAD, 0, 0, _FOURTH_ARGUMENT_OFFSET), (_JUMP_ANY_BIT, 1, 0, _MAP_SHARED_OR_GROWING), allow, kill]
    program += [(_JUMP_EQUAL, 0, 6, _MPROTECT), (_LOAD, 0, 0, _THIRD_ARGUMENT_OFFSET)]
    program += [
        (_JUMP_EQUAL, 0, 1, _PROT_READ_WRITE),
        allow,
        (_JUMP_EQUAL, 0, 1, _PROT_NONE),
        (_RETURN, 0, 0, _REFUSE),
        kill,
    ]
    program += [(_JUMP_EQUAL, 0, 8, _MADVISE), (_LOAD, 0, 0, _THIRD_ARGUMENT_OFFSET)]
    program += [(_JUMP_EQUAL, 0, 1, _MADV_DONTNEED), allow, (_JUMP_EQUAL, 0, 1, _MADV_POPULATE_READ), allow]
    program += [(_JUMP_EQUAL, 0, 1, _MADV_POPULATE_WRITE), allow, (_RETURN, 0, 0, _REFUSE)]
    program += [(_JUMP_EQUAL, 0, 4, _FUTEX), (_LOAD, 0, 0, _SECOND_ARGUMENT_OFFSET)]
    program += [(_JUMP_ANY_BIT, 0, 1, _FUTEX_PRIVATE), allow, kill]
    program += [(_JUMP_EQUAL, 0, 1, _MREMAP), (_RETURN, 0, 0, _REFUSE)]
    # Any other call.
    return [*program, kill]

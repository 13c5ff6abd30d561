"""Gives up, in a worker and before it sees an action, what the zygote could not give up for it (`zygote.confinement`).

The system calls that are left are named by a seccomp filter: classic BPF over `struct seccomp_data` (seccomp(2)).
Architecture and x32 are checked, `read` and `write` work on the one descriptor alone, memory is never executable, and any
other call kills the process.

Memory that was written stays counted by RLIMIT_DATA until it is given back: no mapping is shared or grows by itself,
none stops being writable, and none is moved: the stack, which that limit does not count, could be made any size by it.
Refused and not killed is what honest libraries do without: wasmtime hides what an instance has grown by, and then maps the
slot afresh; realloc moves large blocks, and then copies them.
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
"""SECCOMP_FILTER_FLAG_TSYNC: a worker has a second thread, its ticker."""
_STANDARD_DESCRIPTORS = 3

_LOAD = 0x20
_JUMP_EQUAL = 0x15
_JUMP_GREATER_OR_EQUAL = 0x35
_JUMP_ANY_BIT = 0x45
_RETURN = 0x06
_ALLOW = 0x7FFF0000
_KILL_PROCESS = 0x80000000
_REFUSE = 0x00050000 | 1
"""EPERM, without the call being made."""
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
"""Without it a futex on a page of a file that all workers have mapped wakes those that wait there in another process."""
_MADV_DONTNEED = 4
_MADV_POPULATE_READ = 22
_MADV_POPULATE_WRITE = 23
"""The only advice there is need for: to give pages back, and to have them before they are read or written. Others merge pages with
those of other processes, whose contents that tells by its time, or write out files that all workers have mapped.
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
    """Set a limit for good, its hard one by so much above. Raises OSError when the kernel refuses, RuntimeError when it
    says yes and does nothing.
    """
    both = (value, value + above)
    resource.setrlimit(name, both)
    # Some container runtimes accept the call and ignore it.
    if resource.getrlimit(name) != both:
        raise RuntimeError(f"resource limit {name} does not hold")


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


class Sandbox:
    """Prepared in the zygote, entered in each worker. `parent_pid` is the node's, whose children they are."""

    def __init__(self, cpu_s: int, parent_pid: int) -> None:
        packed = _packed_filter()
        self._instructions = ctypes.create_string_buffer(packed)
        self._program = _Program(len(packed) // 8, ctypes.addressof(self._instructions))
        self._program_address = ctypes.addressof(self._program)
        self._parent_pid = parent_pid
        self._limits = (
            # At the soft limit the signal tells why; at the hard one it is the same as when memory ran out.
            (resource.RLIMIT_CPU, cpu_s, 1),
            (resource.RLIMIT_NPROC, 0, 0),
            (resource.RLIMIT_NOFILE, _STANDARD_DESCRIPTORS, 0),
        )

    def prove(self) -> None:
        """Lock a process in and see it killed by the first call it gave up.

        Raises RuntimeError when it lives: some containers say yes to a filter and install none.
        """
        # The bare call, as for workers: the interpreter's fork would run handlers of its own.
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
        """Give up all system calls but a few, for good, and do not outlive the node.

        Raises OSError or RuntimeError when the kernel refuses any of it.
        """
        # Here and not in the zygote, which itself forks, has files open, and lives on.
        for name, value, above in self._limits:
            limit(name, value, above)
        # prctl(2): the signal of the parent's death is cleared at fork, so each worker sets its own.
        kernel.control(kernel.PR_SET_PDEATHSIG, _SIGKILL)
        # The node may have died before the signal was set; then nothing would ever end this process.
        if os.getppid() != self._parent_pid:
            os._exit(0)
        self._give_up_calls()

    def _give_up_calls(self) -> None:
        if kernel.call(_SYS_SECCOMP, _SET_MODE_FILTER, _ALL_THREADS, self._program_address):
            raise RuntimeError("a thread could not be given the system call filter")


def _packed_filter() -> bytes:
    """The filter as the kernel reads it: `struct sock_filter`, eight bytes each."""
    return b"".join(
        operation.to_bytes(2, "little") + bytes((if_true, if_false)) + constant.to_bytes(4, "little")
        for operation, if_true, if_false, constant in _instructions()
    )


def _instructions() -> list[_Instruction]:
    kill, allow = (_RETURN, 0, 0, _KILL_PROCESS), (_RETURN, 0, 0, _ALLOW)
    program = [
        # seccomp(2): numbers mean other calls on another architecture, so it is checked before the number is.
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
        # A descriptor of a file that slipped through the zygote cannot be read or written.
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
    # Everything not named above, by default.
    return [*program, kill]

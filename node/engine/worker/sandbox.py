"""What a worker gives up before it sees an action, beyond what the zygote gave up for it: see `zygote.confinement`."""

import ctypes
import os
import resource

from node.engine.worker import kernel
from node.engine.worker.call_filter import packed_filter

_SIGKILL = 9
_SIGCHLD = 17
_SIGSYS = 31
_SYS_CLONE = 56
_SYS_SECCOMP = 317
_SET_MODE_FILTER = 1
_ALL_THREADS = 1
"""SECCOMP_FILTER_FLAG_TSYNC: a worker has a second thread, its ticker."""
_STANDARD_DESCRIPTORS = 3


def limit(name: int, value: int, above: int = 0) -> None:
    """Set a limit for good, its hard one by so much above. Raises OSError when the kernel refuses, RuntimeError when it
    says yes and does nothing.
    """
    both = (value, value + above)
    resource.setrlimit(name, both)
    if resource.getrlimit(name) != both:
        raise RuntimeError(f"resource limit {name} does not hold")


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


class Sandbox:
    """Prepared in the zygote, entered in each worker. `parent_pid` is the node's, whose children they are."""

    def __init__(self, cpu_s: int, parent_pid: int) -> None:
        packed = packed_filter()
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
        process = kernel.call(_SYS_CLONE, _SIGCHLD)
        if process == 0:
            try:
                self._give_up_calls()
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
        for name, value, above in self._limits:
            limit(name, value, above)
        kernel.control(kernel.PR_SET_PDEATHSIG, _SIGKILL)
        if os.getppid() != self._parent_pid:
            os._exit(0)
        self._give_up_calls()

    def _give_up_calls(self) -> None:
        if kernel.call(_SYS_SECCOMP, _SET_MODE_FILTER, _ALL_THREADS, self._program_address):
            raise RuntimeError("a thread could not be given the system call filter")

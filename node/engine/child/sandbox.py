"""What a child gives up before it sees an action, beyond what the zygote gave up for it: see `zygote.confinement`."""

import ctypes
import os
import resource

from node.engine.child import kernel
from node.engine.child.call_filter import packed_filter

_SIGKILL = 9
_SECCOMP_MODE_FILTER = 2
_STANDARD_DESCRIPTORS = 3


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


class Sandbox:
    """Prepared in the zygote, entered in each child. `parent_pid` is the node's, whose children they are."""

    def __init__(self, cpu_s: int, parent_pid: int) -> None:
        packed = packed_filter()
        self._instructions = ctypes.create_string_buffer(packed)
        self._program = _Program(len(packed) // 8, ctypes.addressof(self._instructions))
        self._program_address = ctypes.addressof(self._program)
        self._parent_pid = parent_pid
        self._limits = (
            (resource.RLIMIT_CPU, (cpu_s, cpu_s)),
            (resource.RLIMIT_NPROC, (0, 0)),
            (resource.RLIMIT_NOFILE, (_STANDARD_DESCRIPTORS, _STANDARD_DESCRIPTORS)),
        )

    def enter(self) -> None:
        """Give up all system calls but a few, for good, and do not outlive the node.

        Raises OSError when the kernel refuses any of it.
        """
        for name, value in self._limits:
            resource.setrlimit(name, value)
        kernel.control(kernel.PR_SET_PDEATHSIG, _SIGKILL)
        if os.getppid() != self._parent_pid:
            os._exit(0)
        kernel.control(kernel.PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, self._program_address)

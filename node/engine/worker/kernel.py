"""prctl(2) and bare system calls, with errors as OSError."""

import ctypes
import os

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NO_NEW_PRIVS = 38

# Without letting go of the interpreter's lock: these calls take about a microsecond.
_libc = ctypes.PyDLL(None, use_errno=True)
_libc.syscall.argtypes = [ctypes.c_long] * 7
_libc.syscall.restype = ctypes.c_long
_SYS_PRCTL = 157


def call(number: int, *arguments: int) -> int:
    """One system call of x86_64, at most six arguments. Raises OSError."""
    answer: int = _libc.syscall(number, *arguments, *(0,) * (6 - len(arguments)))
    if answer < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"system call {number}: {os.strerror(error)}")
    return answer


def control(option: int, *arguments: int) -> None:
    """prctl(2). Raises OSError."""
    call(_SYS_PRCTL, option, *arguments)

"""prctl(2), madvise(2) and bare system calls, with errors as OSError.

Memory that a worker holds without need is given back once nothing of it has run for a moment. Pages of a waiting instance
that equal the snapshot, whole instances of ended actions, and the stacks of calls become again what they were at first: the
image of the snapshot, or zeros. That also wipes what ended actions left there.
"""

import ctypes
import os

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NO_NEW_PRIVS = 38

# Without letting go of the interpreter's lock: these calls take about a microsecond.
_libc = ctypes.PyDLL(None, use_errno=True)
_libc.syscall.argtypes = [ctypes.c_long] * 7
_libc.syscall.restype = ctypes.c_long
_SYS_MADVISE = 28
_MADV_DONTNEED = 4
_MADV_POPULATE_WRITE = 23
_PAGE_BYTES = 4096
_BLOCK_BYTES = 16 * _PAGE_BYTES
"""Compared as a whole first: most of a snapshot stays as it was."""
_SYS_PRCTL = 157
_compare = ctypes.PyDLL(None).memcmp
_compare.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]


def call(number: int, *arguments: int) -> int:
    """Make a system call of x86_64 with at most six arguments. Raises OSError."""
    answer: int = _libc.syscall(number, *arguments, *(0,) * (6 - len(arguments)))
    if answer < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"system call {number}: {os.strerror(error)}")
    return answer


def control(option: int, *arguments: int) -> None:
    """prctl(2). Raises OSError."""
    call(_SYS_PRCTL, option, *arguments)


def give_back(address: int, length: int) -> None:
    """Make whole pages again what they were first mapped with."""
    # madvise(2): the next access to a private mapping finds the file's page again, or zeros.
    call(_SYS_MADVISE, address, length, _MADV_DONTNEED)


def populate(address: int, length: int) -> None:
    """Have pages that will be written made writable at once: one by one costs three times as much."""
    try:
        call(_SYS_MADVISE, address, length, _MADV_POPULATE_WRITE)
    except OSError:
        return  # Linux has it since 5.14


def give_back_equal(address: int, image: int, length: int) -> None:
    """Give back those pages of an instance's memory that equal the image at that address."""
    start = None
    for at in range(0, length, _BLOCK_BYTES):
        block = min(_BLOCK_BYTES, length - at)
        if _compare(address + at, image + at, block) == 0:
            start = at if start is None else start
            continue
        for page in range(at, at + block, _PAGE_BYTES):
            if _compare(address + page, image + page, _PAGE_BYTES) == 0:
                start = page if start is None else start
            elif start is not None:
                give_back(address + start, page - start)
                start = None
    if start is not None:
        give_back(address + start, length - start)


def call_stacks(stack_bytes: int) -> list[int]:
    """Find the stacks of the pool, each above a page that nobody may touch. To be called while files can be read."""
    found = []
    guard_end = 0
    with open("/proc/self/maps", encoding="utf-8") as maps:  # noqa: PTH123 - pathlib costs every worker
        for line in maps:
            span, rights, _, _, inode = line.split()[:5]
            start, end = (int(address, 16) for address in span.split("-"))
            if rights == "rw-p" and inode == "0" and start == guard_end and end - start >= stack_bytes:
                found.append(start)
            guard_end = end if rights == "---p" and end - start == _PAGE_BYTES else 0
    return found

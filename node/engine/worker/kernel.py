"""Calls prctl(2), madvise(2) and other system calls, with errors as OSError.

A worker returns unneeded memory when nothing has run for a moment. Pages of a waiting instance that
equal the snapshot, instances of ended actions, and stacks become the snapshot's image or zeros
again, which also erases the data of ended actions.
"""

import ctypes
import os

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NO_NEW_PRIVS = 38
PR_SET_THP_DISABLE = 41

# Keeps the interpreter lock, since these calls take about a microsecond.
_libc = ctypes.PyDLL(None, use_errno=True)
_libc.syscall.argtypes = [ctypes.c_long] * 7
_libc.syscall.restype = ctypes.c_long
_SYS_MADVISE = 28
_MADV_DONTNEED = 4
_MADV_POPULATE_READ = 22
_MADV_POPULATE_WRITE = 23
PAGE_BYTES = 4096
_BLOCK_BYTES = 16 * PAGE_BYTES
"""Block that is compared first, since most of a snapshot does not change."""
_SYS_PRCTL = 157
# Without errno, which makes each call slower.
_memory = ctypes.PyDLL(None)
_compare = _memory.memcmp
_compare.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
copy = _memory.memcpy
"""Copies bytes, with arguments target, source and length."""
copy.argtypes, copy.restype = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t], None
_getrusage = _memory.getrusage
_getrusage.argtypes = [ctypes.c_int, ctypes.c_void_p]
_RUSAGE_THREAD = 1
_usage = (ctypes.c_long * 18)()
"""`struct rusage`, two times of two words each and fourteen words."""
_usage_address = ctypes.addressof(_usage)
_MINOR_FAULTS, _MAJOR_FAULTS = 8, 9


def call(number: int, *arguments: int) -> int:
    """Makes a system call of x86_64 with at most six arguments. Raises OSError."""
    answer: int = _libc.syscall(number, *arguments, *(0,) * (6 - len(arguments)))
    if answer < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"system call {number}: {os.strerror(error)}")
    return answer


def control(option: int, *arguments: int) -> None:
    """Calls prctl(2). Raises OSError."""
    call(_SYS_PRCTL, option, *arguments)


def give_back(address: int, length: int) -> None:
    """Resets whole pages to their first mapping."""
    # madvise(2): the next access to a private mapping gets the file's page again, or zeros.
    call(_SYS_MADVISE, address, length, _MADV_DONTNEED)


def populate(address: int, length: int) -> None:
    """Makes pages writable at once; one fault a page would cost three times as much."""
    _advise(address, length, _MADV_POPULATE_WRITE)


def populate_read(address: int, length: int) -> None:
    """Maps pages for reading; none becomes the process's own."""
    _advise(address, length, _MADV_POPULATE_READ)


def _advise(address: int, length: int, advice: int) -> None:
    try:
        call(_SYS_MADVISE, address, length, advice)
    except OSError:
        return  # Linux has it since 5.14


def faults() -> int:
    """Returns the calling thread's page faults. Raises OSError if the kernel counts none."""
    if _getrusage(_RUSAGE_THREAD, _usage_address):
        raise OSError("the kernel does not count page faults")
    return _usage[_MINOR_FAULTS] + _usage[_MAJOR_FAULTS]


def changed(address: int, image: int, length: int) -> list[tuple[int, int]]:
    """Returns the spans of whole pages that differ from the image, in order, as offsets."""
    spans: list[tuple[int, int]] = []
    for at in range(0, length, _BLOCK_BYTES):
        block = min(_BLOCK_BYTES, length - at)
        if _compare(address + at, image + at, block) == 0:
            continue
        for page in range(at, at + block, PAGE_BYTES):
            if _compare(address + page, image + page, PAGE_BYTES):
                if spans and spans[-1][1] == page:
                    spans[-1] = spans[-1][0], page + PAGE_BYTES
                else:
                    spans.append((page, page + PAGE_BYTES))
    return spans


def own(address: int, length: int) -> list[tuple[int, int]]:
    """Makes all pages the process's own, and returns the spans that already were, as offsets."""
    spans: list[tuple[int, int]] = []
    before = faults()
    for page in range(0, length, PAGE_BYTES):
        populate(address + page, PAGE_BYTES)
        now = faults()
        if now == before:
            spans.append((page, page + PAGE_BYTES))
        before = now
    return spans


def give_back_but(address: int, length: int, spans: list[tuple[int, int]]) -> None:
    """Returns all pages to the kernel but those of the ordered spans."""
    at = 0
    for start, end in [*spans, (length, length)]:
        if start > at:
            give_back(address + at, start - at)
        at = end


def call_stacks(stack_bytes: int) -> list[int]:
    """Finds the pool's stacks, each above a guard page. Call it while files can be read."""
    found = []
    guard_end = 0
    with open("/proc/self/maps", encoding="utf-8") as maps:  # noqa: PTH123 - pathlib costs memory
        for line in maps:
            span, rights, _, _, inode = line.split()[:5]
            start, end = (int(address, 16) for address in span.split("-"))
            if rights == "rw-p" and inode == "0" and start == guard_end and end - start >= stack_bytes:
                found.append(start)
            guard_end = end if rights == "---p" and end - start == PAGE_BYTES else 0
    return found

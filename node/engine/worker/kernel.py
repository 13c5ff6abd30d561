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
PR_SET_THP_DISABLE = 41

# Without letting go of the interpreter's lock: these calls take about a microsecond.
_libc = ctypes.PyDLL(None, use_errno=True)
_libc.syscall.argtypes = [ctypes.c_long] * 7
_libc.syscall.restype = ctypes.c_long
_SYS_MADVISE = 28
_MADV_DONTNEED = 4
_MADV_POPULATE_READ = 22
_MADV_POPULATE_WRITE = 23
PAGE_BYTES = 4096
_BLOCK_BYTES = 16 * PAGE_BYTES
"""Compared as a whole first: most of a snapshot stays as it was."""
_SYS_PRCTL = 157
# Without errno, which costs each call more.
_memory = ctypes.PyDLL(None)
_compare = _memory.memcmp
_compare.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
copy = _memory.memcpy
"""Copies to an address, from an address, so many bytes."""
copy.argtypes, copy.restype = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t], None
_getrusage = _memory.getrusage
_getrusage.argtypes = [ctypes.c_int, ctypes.c_void_p]
_RUSAGE_THREAD = 1
_usage = (ctypes.c_long * 18)()
"""`struct rusage`: two times of two words each, then fourteen words."""
_usage_address = ctypes.addressof(_usage)
_MINOR_FAULTS, _MAJOR_FAULTS = 8, 9


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
    _advise(address, length, _MADV_POPULATE_WRITE)


def populate_read(address: int, length: int) -> None:
    """Have pages mapped that will be read; none becomes the process's own."""
    _advise(address, length, _MADV_POPULATE_READ)


def _advise(address: int, length: int, advice: int) -> None:
    try:
        call(_SYS_MADVISE, address, length, advice)
    except OSError:
        return  # Linux has it since 5.14


def faults() -> int:
    """Return the page faults that the calling thread has had so far. Raises OSError when the kernel does not tell."""
    if _getrusage(_RUSAGE_THREAD, _usage_address):
        raise OSError("the kernel does not count page faults")
    return _usage[_MINOR_FAULTS] + _usage[_MAJOR_FAULTS]


def changed(address: int, image: int, length: int) -> list[tuple[int, int]]:
    """Return the spans of whole pages that differ from the image at that address, in order, as offsets."""
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
    """Return the spans of whole pages that are the process's own, in order, as offsets. All of them are its own then."""
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
    """Give back all pages but those of the spans, which are in order."""
    at = 0
    for start, end in [*spans, (length, length)]:
        if start > at:
            give_back(address + at, start - at)
        at = end


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
            guard_end = end if rights == "---p" and end - start == PAGE_BYTES else 0
    return found

"""Whether this process ever held much memory. The engine throws null where it has no room for an error, as an action may.

Peaks are what glibc's allocator remembers: of memory from the heap (malloc_info(3)) and of memory mapped for single large
blocks (malloc_stats(3), which can only write to `stderr`).
"""

import ctypes
from _collections_abc import Callable  # collections.abc would bring the whole of collections

_libc = ctypes.PyDLL(None)
_libc.open_memstream.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
_libc.open_memstream.restype = ctypes.c_void_p
_libc.fclose.argtypes = [ctypes.c_void_p]
_HEAP = '<system type="max" size="'
_MAPPED = "max mmap bytes   ="


def stayed_below(limit_bytes: int) -> str:
    """Whether all memory ever held is less than the limit: "below", or "" when it may be more, or nobody knows."""
    try:
        heap = _written(_write_heap).rpartition(_HEAP)[2].partition('"')[0]
        mapped = _written(_write_totals).rpartition(_MAPPED)[2].split()[0]
        return "below" if int(heap) + int(mapped) < limit_bytes else ""
    except BaseException:  # noqa: BLE001 - a raise breaks the binding; another C library writes other texts, or none
        return ""


def _written(write: Callable[[int], None]) -> str:
    text, size = ctypes.c_char_p(), ctypes.c_size_t()
    stream = _libc.open_memstream(ctypes.addressof(text), ctypes.addressof(size))
    if not stream:
        raise MemoryError
    write(stream)
    _libc.fclose(stream)
    return (text.value or b"").decode("ascii")


def _write_heap(stream: int) -> None:
    _libc.malloc_info(0, ctypes.c_void_p(stream))


def _write_totals(stream: int) -> None:
    standard_error = ctypes.c_void_p.in_dll(_libc, "stderr")
    kept, standard_error.value = standard_error.value, stream
    _libc.malloc_stats()
    standard_error.value = kept

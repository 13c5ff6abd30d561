"""Huge pages in the zygote: they hold what was there, and a kernel that makes none is no error."""

import ctypes
import mmap
import secrets
from itertools import pairwise

from node.engine.zygote.memory import gather, huge_parts

HUGE = 2 * 1024 * 1024


def address_of(area: mmap.mmap) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(area))


def test_what_was_there_stays() -> None:
    area = mmap.mmap(-1, 3 * HUGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    content = secrets.token_bytes(3 * HUGE)
    area[:] = content
    start = address_of(area)
    parts = [part for part in huge_parts() if part[0] < start + 3 * HUGE and start < part[1]]
    assert sum(min(end, start + 3 * HUGE) - max(first, start) for first, end in parts) >= 2 * HUGE
    gather(parts)
    assert area[:] == content


def test_parts_are_whole_huge_pages_apart_from_each_other() -> None:
    parts = huge_parts()
    assert all(start % HUGE == end % HUGE == 0 and start < end for start, end in parts)
    assert all(one[1] <= next_one[0] for one, next_one in pairwise(sorted(parts)))


def test_shared_memory_is_left_out() -> None:
    shared = mmap.mmap(-1, 3 * HUGE, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
    start = address_of(shared)
    assert not [part for part in huge_parts() if part[0] < start + 3 * HUGE and start < part[1]]


def test_a_refusal_is_no_error() -> None:
    gather([(0, HUGE)])

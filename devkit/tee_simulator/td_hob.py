"""The hand-off block list, OVMF's first event in RTMR0, with the memory (UEFI PI 1.7, vol. 3).

The OS image states in a few bytes which pages the firmware takes. With the memory size the list and
its digest follow. Checked against real machines of 2 GiB (tests/attest).
"""

import hashlib
import struct
from typing import Final

PAGE_BYTES: Final = 4096
FIRST_PAGE: Final = 0x800
HOB_PAGE: Final = 9
"""Page of the list itself, counted from FIRST_PAGE."""

ACCEPTED_PAGES: Final = ((0, 6), (9, 2), (11, 2), (16, 16))
"""First page, counted from FIRST_PAGE, and size of each range that OVMF accepts."""

LOW_MEMORY_END: Final = 0x80000000
HIGH_MEMORY_START: Final = 0x100000000
HANDOFF_TABLE, RESOURCE_DESCRIPTOR = 1, 3
TABLE_VERSION: Final = 9
SYSTEM_MEMORY, UNACCEPTED_MEMORY = 0, 7
PRESENT_INITIALIZED_TESTED: Final = 7
SPLIT_FROM_BYTES: Final = 0xB0000000
"""Memory size from which QEMU puts what is above 2 GiB behind the PCI hole."""


def _number(value: int) -> bytes:
    """Returns a number in LEB128."""
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _number(rest) if rest else bytes([low])


def _layout() -> bytes:
    ranges = [number for page_range in ACCEPTED_PAGES for number in page_range]
    return b"".join(map(_number, (FIRST_PAGE, HOB_PAGE, len(ACCEPTED_PAGES), *ranges)))


HOB_LAYOUT: Final = _layout()
"""The layout in an OS image's measurement document (`tdvf.td_hob`)."""


def td_hob_digest(memory_bytes: int) -> bytes:
    """Returns the 48-byte digest for a machine of that much memory."""
    resources = b"".join(_resource(*resource) for resource in _resources(memory_bytes))
    end = (FIRST_PAGE + HOB_PAGE) * PAGE_BYTES + 56 + len(resources) + 8
    table = struct.pack("<HHIIIQQQQQ", HANDOFF_TABLE, 56, 0, TABLE_VERSION, 0, 0, 0, 0, 0, end)
    return hashlib.sha384(table + resources).digest()


def _resource(kind: int, start: int, length: int) -> bytes:
    return struct.pack(
        "<HHI16sIIQQ", RESOURCE_DESCRIPTOR, 48, 0, bytes(16), kind, PRESENT_INITIALIZED_TESTED, start, length
    )


def _resources(memory_bytes: int) -> list[tuple[int, int, int]]:
    """Returns kind, start and length of every range, accepted ones, gaps and the rest."""
    resources, reached = [], 0
    for first, pages in ACCEPTED_PAGES:
        start, length = (FIRST_PAGE + first) * PAGE_BYTES, pages * PAGE_BYTES
        if start > reached:
            resources.append((UNACCEPTED_MEMORY, reached, start - reached))
        resources.append((SYSTEM_MEMORY, start, length))
        reached = start + length
    if memory_bytes < SPLIT_FROM_BYTES:
        return [*resources, (UNACCEPTED_MEMORY, reached, memory_bytes - reached)]
    high = (UNACCEPTED_MEMORY, HIGH_MEMORY_START, memory_bytes - LOW_MEMORY_END)
    return [*resources, (UNACCEPTED_MEMORY, reached, LOW_MEMORY_END - reached), high]

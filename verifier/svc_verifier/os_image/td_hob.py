"""The hand-off block list that OVMF measures first into RTMR0: it tells the guest which memory it has.

An image states in a few bytes which pages its firmware takes for itself; with the memory size of the machine the list,
and so its digest, follows. Source: UEFI Platform Initialization 1.7, volume 3, chapter 5; QEMU's q35 machine, which
puts what is above 2 GiB behind the PCI hole from 2.75 GiB of memory on. Checked against logs of real machines.
"""

import hashlib
import struct
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from svc_verifier.errors import VerifierError, VerifierErrorCode

PAGE_BYTES: Final = 4_096
MEMORY_LIMIT_BYTES: Final = 1 << 52
"""The most that 4-level page tables of x86-64 address."""

LAYOUT_LIMIT_BYTES: Final = 256
RANGES: Final = 32
_PAGE_LIMIT: Final = 1 << 20
"""Firmware lies below 4 GiB."""

_LOW_MEMORY_END: Final = 0x80000000
_HIGH_MEMORY_START: Final = 0x100000000
_SPLIT_FROM_BYTES: Final = 0xB0000000
_HANDOFF_TABLE, _RESOURCE_DESCRIPTOR = 1, 3
_TABLE_VERSION: Final = 9
_SYSTEM_MEMORY, _UNACCEPTED_MEMORY = 0, 7
_PRESENT_INITIALIZED_TESTED: Final = 7
_TABLE_LENGTH, _DESCRIPTOR_LENGTH, _END_LENGTH = 56, 48, 8


@dataclass(frozen=True, slots=True)
class PageRange:
    """Pages of 4096 bytes: `first` is counted from address 0."""

    first: int
    pages: int


@dataclass(frozen=True, slots=True)
class HobLayout:
    """Where the list lies (a page) and which ranges the firmware accepts before the guest starts, in ascending order."""

    list_page: int
    accepted: tuple[PageRange, ...]


OVMF_LAYOUT: Final = HobLayout(
    0x809, (PageRange(0x800, 6), PageRange(0x809, 2), PageRange(0x80B, 2), PageRange(0x810, 16))
)
"""Of every firmware of dstack 0.5 and 0.6 seen; that of 0.4 has another."""


def parse_layout(data: bytes) -> HobLayout:
    """A layout as a measurement document states it: LEB128 numbers, namely a base page, the list's page, the number of
    ranges, and first page and length of each; pages are counted from the base.

    Raises VerifierError(TOO_LARGE, TRUNCATED, BAD_IMAGE), and nothing else.
    """
    if len(data) > LAYOUT_LIMIT_BYTES:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"td_hob: more than {LAYOUT_LIMIT_BYTES} bytes")
    numbers = _numbers(data)
    if len(numbers) < 3 or len(numbers) != 3 + 2 * numbers[2]:
        raise VerifierError(VerifierErrorCode.TRUNCATED, "td_hob: another number of ranges than it announces")
    base, list_page, count = numbers[:3]
    if not 1 <= count <= RANGES:
        raise _bad(f"{count} ranges; between 1 and {RANGES} are known to occur")
    accepted = tuple(PageRange(base + numbers[at], numbers[at + 1]) for at in range(3, len(numbers), 2))
    for page_range in accepted:
        if not page_range.pages or page_range.first + page_range.pages > _PAGE_LIMIT:
            raise _bad("a range that is empty or not below 4 GiB")
    if any(low.first + low.pages > high.first for low, high in pairwise(accepted)):
        raise _bad("ranges that overlap or do not ascend")
    if base + list_page > _PAGE_LIMIT:
        raise _bad("a list that is not below 4 GiB")
    return HobLayout(base + list_page, accepted)


def td_hob_digest(layout: HobLayout, memory_bytes: int) -> bytes | None:
    """The 48-byte digest for a machine of that much memory; None when the firmware's pages do not fit into it."""
    last = layout.accepted[-1]
    reached = (last.first + last.pages) * PAGE_BYTES
    if not reached < min(memory_bytes, _LOW_MEMORY_END) or memory_bytes > MEMORY_LIMIT_BYTES:
        return None
    resources = b"".join(_resource(*resource) for resource in _resources(layout, memory_bytes))
    end = layout.list_page * PAGE_BYTES + _TABLE_LENGTH + len(resources) + _END_LENGTH
    table = struct.pack("<HHIIIQQQQQ", _HANDOFF_TABLE, _TABLE_LENGTH, 0, _TABLE_VERSION, 0, 0, 0, 0, 0, end)
    return hashlib.sha384(table + resources).digest()


def _resource(kind: int, start: int, length: int) -> bytes:
    head = (_RESOURCE_DESCRIPTOR, _DESCRIPTOR_LENGTH, 0, bytes(16), kind, _PRESENT_INITIALIZED_TESTED)
    return struct.pack("<HHI16sIIQQ", *head, start, length)


def _resources(layout: HobLayout, memory_bytes: int) -> list[tuple[int, int, int]]:
    """Kind, start and length of every range: what is accepted, the gaps, and the rest."""
    resources: list[tuple[int, int, int]] = []
    reached = 0
    for page_range in layout.accepted:
        start, length = page_range.first * PAGE_BYTES, page_range.pages * PAGE_BYTES
        if start > reached:
            resources.append((_UNACCEPTED_MEMORY, reached, start - reached))
        resources.append((_SYSTEM_MEMORY, start, length))
        reached = start + length
    if memory_bytes < _SPLIT_FROM_BYTES:
        return [*resources, (_UNACCEPTED_MEMORY, reached, memory_bytes - reached)]
    high = (_UNACCEPTED_MEMORY, _HIGH_MEMORY_START, memory_bytes - _LOW_MEMORY_END)
    return [*resources, (_UNACCEPTED_MEMORY, reached, _LOW_MEMORY_END - reached), high]


def _numbers(data: bytes) -> list[int]:
    numbers, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte & 0x80:
            if shift >= 35:
                raise _bad("a number of more than 32 bits")
            continue
        if not byte and shift > 7:
            raise _bad("a number that is not in its shortest form")
        numbers.append(value)
        value, shift = 0, 0
    if shift:
        raise VerifierError(VerifierErrorCode.TRUNCATED, "td_hob: ends inside a number")
    return numbers


def _bad(why: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_IMAGE, f"td_hob: {why}")

"""Predicts MRTD and RTMR0 of a dstack firmware image (TDX module, TD-Shim HOB, ACPI)."""

import hashlib
import struct
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final
from uuid import UUID

from svc_verifier.errors import VerifierError, VerifierErrorCode

PAGE_BYTES: Final = 4_096
MEMORY_LIMIT_BYTES: Final = 1 << 52
"""Largest memory, which 4-level page tables of x86-64 can address."""

LAYOUT_LIMIT_BYTES: Final = 256
RANGES: Final = 32
_PAGE_LIMIT: Final = 1 << 20
"""End of the pages of firmware, which lies below 4 GiB."""

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
    """Pages of 4096 bytes. `first` is counted from address 0."""

    first: int
    pages: int


@dataclass(frozen=True, slots=True)
class HobLayout:
    """Layout of the HOB list, its page and the ranges that the firmware accepts, ascending."""

    list_page: int
    accepted: tuple[PageRange, ...]


OVMF_LAYOUT: Final = HobLayout(
    0x809, (PageRange(0x800, 6), PageRange(0x809, 2), PageRange(0x80B, 2), PageRange(0x810, 16))
)
"""Layout of all seen firmware of dstack 0.5 and 0.6. That of 0.4 has another."""


def parse_layout(data: bytes) -> HobLayout:
    """Returns the layout in a measurement document. Page numbers are counted from its base page.

    LEB128 numbers give the base page, the list's page, the number of ranges, and each one's first
    page and length. Raises VerifierError(TOO_LARGE, TRUNCATED, BAD_IMAGE).
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
    """Returns the 48-byte digest for that much memory; None if the firmware's pages do not fit."""
    last = layout.accepted[-1]
    reached = (last.first + last.pages) * PAGE_BYTES
    if not reached < min(memory_bytes, _LOW_MEMORY_END) or memory_bytes > MEMORY_LIMIT_BYTES:
        return None
    resources = b"".join(_resource(*resource) for resource in _resources(layout, memory_bytes))
    end = layout.list_page * PAGE_BYTES + _TABLE_LENGTH + len(resources) + _END_LENGTH
    # EFI_HOB_HANDOFF_INFO_TABLE (UEFI Platform Initialization, volume 3) has header, version, boot
    # mode, four addresses and end.
    table = struct.pack("<HHIIIQQQQQ", _HANDOFF_TABLE, _TABLE_LENGTH, 0, _TABLE_VERSION, 0, 0, 0, 0, 0, end)
    return hashlib.sha384(table + resources).digest()


def _resource(kind: int, start: int, length: int) -> bytes:
    # EFI_HOB_RESOURCE_DESCRIPTOR has header, owner (zero), type, attributes, start and length.
    head = (_RESOURCE_DESCRIPTOR, _DESCRIPTOR_LENGTH, 0, bytes(16), kind, _PRESENT_INITIALIZED_TESTED)
    return struct.pack("<HHI16sIIQQ", *head, start, length)


def _resources(layout: HobLayout, memory_bytes: int) -> list[tuple[int, int, int]]:
    """Returns kind, start and length of every range, accepted ones, gaps and the rest."""
    resources: list[tuple[int, int, int]] = []
    reached = 0
    for page_range in layout.accepted:
        start, length = page_range.first * PAGE_BYTES, page_range.pages * PAGE_BYTES
        if start > reached:
            resources.append((_UNACCEPTED_MEMORY, reached, start - reached))
        resources.append((_SYSTEM_MEMORY, start, length))
        reached = start + length
    # QEMU's q35 has memory in one piece below 2.75 GiB; else what exceeds 2 GiB is at 4 GiB.
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
            # Five groups of seven bits hold 32. No page count needs more.
            if shift >= 35:
                raise _bad("a number of more than 32 bits")
            continue
        # A second spelling of one number would be a second document with the same meaning.
        if not byte and shift > 7:
            raise _bad("a number that is not in its shortest form")
        numbers.append(value)
        value, shift = 0, 0
    if shift:
        raise VerifierError(VerifierErrorCode.TRUNCATED, "td_hob: ends inside a number")
    return numbers


def _bad(why: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_IMAGE, f"td_hob: {why}")


class Ovmf(StrEnum):
    """Generations of OVMF that measure differently, as dstack's `ovmf_variant` names them."""

    PRE_202505 = "pre202505"
    STABLE_202505 = "stable202505"


class Slot(StrEnum):
    """Event of RTMR0 with a value that the host passes to the firmware, so no constant."""

    TD_HOB = "td_hob"
    ACPI_LOADER = "acpi-loader"
    ACPI_RSDP = "acpi-rsdp"
    ACPI_TABLES = "acpi-tables"
    SMBIOS = "smbios"
    """EFI_HANDOFF_TABLE_POINTERS of SMBIOS, which describe the machine. New firmware has it."""


ACPI: Final = (Slot.ACPI_LOADER, Slot.ACPI_RSDP, Slot.ACPI_TABLES)


@dataclass(frozen=True, slots=True)
class Constant:
    """A measurement that is the same on every machine, with its 48-byte digest."""

    name: str
    digest: bytes


_GLOBAL_VARIABLES: Final = UUID("8be4df61-93ca-11d2-aa0d-00e098032b8c")
_SECURITY_DATABASE: Final = UUID("d719b2cb-3d3a-4596-a3bc-dad00e67656f")
_FIRMWARE_VOLUME: Final = UUID("7cb8bdc9-f8eb-4f34-aaea-3ee4af6516a1")
_BOOT_MANAGER_MENU: Final = UUID("eec25bdc-67f2-4d95-b1d5-f81b2039d11d")
_FIRMWARE_SETUP: Final = UUID("462caa21-7614-4503-836e-8ab6f4662331")
_HIDDEN_APPLICATION: Final = 0x109
_APPLICATION: Final = 0x101


def _of(name: str, data: bytes) -> Constant:
    return Constant(name, hashlib.sha384(data).digest())


def _unset_variable(vendor: UUID, name: str) -> Constant:
    """Returns an unset variable's UEFI_VARIABLE_DATA. dm-verity and RTMR2 replace secure boot."""
    lengths = struct.pack("<QQ", len(name), 0)
    return _of(f"variable {name}", vendor.bytes_le + lengths + name.encode("utf-16-le"))


def _boot_option(name: str, attributes: int, description: str, file: UUID) -> Constant:
    """Returns an EFI_LOAD_OPTION for a file of the firmware's own volume."""
    # Device path nodes (UEFI §10.3): media type 4 with subtypes 7 and 6, then end-of-path.
    volume_node = struct.pack("<BBH", 4, 7, 20) + _FIRMWARE_VOLUME.bytes_le
    file_node = struct.pack("<BBH", 4, 6, 20) + file.bytes_le
    path = volume_node + file_node + struct.pack("<BBH", 0x7F, 0xFF, 4)
    title = description.encode("utf-16-le") + bytes(2)
    return _of(name, struct.pack("<IH", attributes, len(path)) + title + path)


_VARIABLES: Final = (
    _unset_variable(_GLOBAL_VARIABLES, "SecureBoot"),
    _unset_variable(_GLOBAL_VARIABLES, "PK"),
    _unset_variable(_GLOBAL_VARIABLES, "KEK"),
    _unset_variable(_SECURITY_DATABASE, "db"),
    _unset_variable(_SECURITY_DATABASE, "dbx"),
)
_SEPARATOR: Final = _of("separator", bytes(4))
_CONFIGURATION_VOLUME: Final = Constant(
    "configuration volume",
    bytes.fromhex("344bc51c980ba621aaa00da3ed7436f7d6e549197dfe699515dfa2c6583d95e6412af21c097d473155875ffd561d6790"),
)
"""The firmware's empty variable store, equal in every log seen."""

_BOOT_0000_PRE_202505: Final = Constant(
    "Boot0000",
    bytes.fromhex("23ada07f5261f12f34a0bd8e46760962d6b4d576a416f1fea1c64bc656b1d28eacf7047ae6e967c58fd2a98bfa74c298"),
)
"""The firmware's own menu, equal in every log of that generation seen."""

RTMR0: Final[dict[Ovmf, tuple[Constant | Slot, ...]]] = {
    Ovmf.PRE_202505: (
        Slot.TD_HOB,
        _CONFIGURATION_VOLUME,
        *_VARIABLES,
        _SEPARATOR,
        *ACPI,
        _of("BootOrder", bytes(2)),
        _BOOT_0000_PRE_202505,
    ),
    Ovmf.STABLE_202505: (
        Slot.TD_HOB,
        _CONFIGURATION_VOLUME,
        _of("boot menu setting", bytes(2)),
        _of("boot order setting", b"/rom@genroms/linuxboot_dma.bin\0"),
        *_VARIABLES,
        _SEPARATOR,
        *ACPI,
        Slot.SMBIOS,
        _of("BootOrder", struct.pack("<HH", 0, 1)),
        _boot_option("Boot0000", _HIDDEN_APPLICATION, "BootManagerMenuApp", _BOOT_MANAGER_MENU),
        _boot_option("Boot0001", _APPLICATION, "EFI Firmware Setup", _FIRMWARE_SETUP),
    ),
}
"""RTMR0 in order, for each generation."""

AFTER_KERNEL: Final = (
    _of("boot attempt", b"Calling EFI Application from Boot Option"),
    _SEPARATOR,
    _of("leaving the firmware", b"Exit Boot Services Invocation"),
    _of("left the firmware", b"Exit Boot Services Returned with Success"),
)
"""RTMR1 after the kernel itself."""

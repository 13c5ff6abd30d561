"""What OVMF and the kernel's EFI stub measure into RTMR0 to RTMR2, but for what image and machine put there themselves.

Sources: TCG PC Client Platform Firmware Profile 1.06 (what is hashed for an EFI variable, a separator, an action), UEFI
2.10 section 3.1.3 (EFI_LOAD_OPTION), QEMU's fw_cfg (`bootorder`), edk2. Checked against logs of real machines.
"""

import hashlib
import struct
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID


class Ovmf(StrEnum):
    """Generations of OVMF that measure differently; the texts are those of dstack's `ovmf_variant`."""

    PRE_202505 = "pre202505"
    STABLE_202505 = "stable202505"


class Slot(StrEnum):
    """What stands at a place of RTMR0 that is no constant: the machine's, handed to the firmware by its host."""

    TD_HOB = "td_hob"
    ACPI_LOADER = "acpi-loader"
    ACPI_RSDP = "acpi-rsdp"
    ACPI_TABLES = "acpi-tables"
    SMBIOS = "smbios"
    """EFI_HANDOFF_TABLE_POINTERS of SMBIOS: descriptions of the machine. Older firmware does not measure them at all."""


ACPI: Final = (Slot.ACPI_LOADER, Slot.ACPI_RSDP, Slot.ACPI_TABLES)


@dataclass(frozen=True, slots=True)
class Constant:
    """A measurement that is the same on every machine: what it is of, and its 48-byte digest."""

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
    """UEFI_VARIABLE_DATA of a variable that is not set: secure boot is off, dm-verity and RTMR2 stand for it."""
    lengths = struct.pack("<QQ", len(name), 0)
    return _of(f"variable {name}", vendor.bytes_le + lengths + name.encode("utf-16-le"))


def _boot_option(name: str, attributes: int, description: str, file: UUID) -> Constant:
    """An EFI_LOAD_OPTION for a file of the firmware's own volume."""
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
"""The firmware's empty variable store: the same in every log seen."""

_BOOT_0000_PRE_202505: Final = Constant(
    "Boot0000",
    bytes.fromhex("23ada07f5261f12f34a0bd8e46760962d6b4d576a416f1fea1c64bc656b1d28eacf7047ae6e967c58fd2a98bfa74c298"),
)
"""The firmware's own menu: the same in every log of that generation seen."""

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

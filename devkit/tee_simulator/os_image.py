"""The simulated OS image, with development digests in dstack 0.6's form (`tdx_measurement`).

MRTD and RTMR0 to RTMR2 follow from that statement, the memory size and the three ACPI digests of
the log, like on a real machine ("lite" verification), so a verifier needs no image.
"""

import base64
import hashlib
from collections.abc import Mapping
from typing import Final, TypeAlias

from pydantic import JsonValue

from devkit.tee_simulator.td_hob import HOB_LAYOUT, td_hob_digest

CborValue: TypeAlias = "int | str | bytes | Mapping[str, CborValue]"


def cbor(value: CborValue) -> bytes:
    """Encodes integers and lengths below 256, texts, byte strings, and maps in the given order."""
    if isinstance(value, int):
        return _head(0, value)
    if isinstance(value, bytes):
        return _head(2, len(value)) + value
    if isinstance(value, str):
        return _head(3, len(value)) + value.encode()
    return _head(5, len(value)) + b"".join(cbor(key) + cbor(entry) for key, entry in value.items())


def _head(major: int, number: int) -> bytes:
    kind = major << 5
    return bytes([kind | number]) if number < 24 else bytes([kind | 24, number])


MEMORY_BYTES: Final = 2 * 1024**3
SEPARATOR: Final = bytes(4)
GLOBAL_VARIABLES: Final = bytes.fromhex("61dfe48bca93d211aa0d00e098032b8c")
"""EFI_GLOBAL_VARIABLE, 8be4df61-93ca-11d2-aa0d-00e098032b8c, as UEFI stores a GUID."""

SECURITY_DATABASE: Final = bytes.fromhex("cbb219d73a3d9645a3bcdad00e67656f")
"""EFI_IMAGE_SECURITY_DATABASE, d719b2cb-3d3a-4596-a3bc-dad00e67656f."""

CONFIGURATION_VOLUME: Final = bytes.fromhex(
    "344bc51c980ba621aaa00da3ed7436f7d6e549197dfe699515dfa2c6583d95e6412af21c097d473155875ffd561d6790"
)
BOOT_0000: Final = bytes.fromhex(
    "23ada07f5261f12f34a0bd8e46760962d6b4d576a416f1fea1c64bc656b1d28eacf7047ae6e967c58fd2a98bfa74c298"
)
"""Measurement of OVMF before edk2 202505, the same in every real log of that firmware."""


def development_digest(what: str) -> bytes:
    """Returns 48 bytes as digest of a thing that does not exist."""
    return hashlib.sha384(f"svc development {what}".encode()).digest()


def _variable(vendor: bytes, name: str) -> bytes:
    """Returns the digest of an unset EFI variable (TCG UEFI_VARIABLE_DATA)."""
    lengths = len(name).to_bytes(8, "little") + bytes(8)
    return hashlib.sha384(vendor + lengths + name.encode("utf-16-le")).digest()


def _text(text: str) -> bytes:
    return hashlib.sha384(text.encode()).digest()


MRTD_SINGLE_PASS: Final = development_digest("mrtd single pass")
MR_TD: Final = development_digest("mrtd two pass")
"""The image's MRTD as QEMU 8.2 adds pages, in two passes."""

KERNEL: Final = development_digest("kernel")
COMMAND_LINE: Final = development_digest("cmdline")
INITRD: Final = development_digest("initrd")

FIRMWARE_EVENTS: Final = (
    (0, 0x8000000B, "", td_hob_digest(MEMORY_BYTES)),
    (0, 0x8000000A, "", CONFIGURATION_VOLUME),
    (0, 0x80000001, "", _variable(GLOBAL_VARIABLES, "SecureBoot")),
    (0, 0x80000001, "", _variable(GLOBAL_VARIABLES, "PK")),
    (0, 0x80000001, "", _variable(GLOBAL_VARIABLES, "KEK")),
    (0, 0x80000001, "", _variable(SECURITY_DATABASE, "db")),
    (0, 0x80000001, "", _variable(SECURITY_DATABASE, "dbx")),
    (0, 0x00000004, "", hashlib.sha384(SEPARATOR).digest()),
    (0, 0x0000000A, "acpi-loader", development_digest("acpi-loader")),
    (0, 0x0000000A, "acpi-rsdp", development_digest("acpi-rsdp")),
    (0, 0x0000000A, "acpi-tables", development_digest("acpi-tables")),
    (1, 0x80000003, "", KERNEL),
    (0, 0x80000002, "", hashlib.sha384(bytes(2)).digest()),
    (0, 0x80000002, "", BOOT_0000),
    (1, 0x80000007, "", _text("Calling EFI Application from Boot Option")),
    (1, 0x00000004, "", hashlib.sha384(SEPARATOR).digest()),
    (2, 0x00000006, "", COMMAND_LINE),
    (2, 0x00000006, "", INITRD),
    (1, 0x80000007, "", _text("Exit Boot Services Invocation")),
    (1, 0x80000007, "", _text("Exit Boot Services Returned with Success")),
)
"""Register, event type, name (of ACPI since dstack 0.6) and digest, in the order of real logs."""

ACPI_DATA: Final = b"ACPI DATA"
"""The payload of the ACPI events, in every real log."""


MEASUREMENT_FILE: Final = cbor(
    {
        # The image's hash is over these bytes, so members are in the order of the real file.
        "version": 3,
        "image": {"cmdline_sha384": COMMAND_LINE, "kernel_authenticode": KERNEL, "initrd_sha384": INITRD},
        "tdvf": {
            "ovmf": "pre202505",
            "mrtd": {"single_pass": MRTD_SINGLE_PASS, "two_pass": MR_TD},
            "td_hob": HOB_LAYOUT,
        },
    }
)
"""`measurement.tdx.cbor` of the image."""

CHECKSUM_FILE: Final = f"{hashlib.sha256(MEASUREMENT_FILE).hexdigest()}  measurement.tdx.cbor\n".encode()
"""`sha256sum.txt` of the image."""

OS_IMAGE_HASH: Final = hashlib.sha256(CHECKSUM_FILE).digest()
"""Hash of the checksum file, by which an image is known."""

VM_CONFIG: Final[dict[str, JsonValue]] = {
    "spec_version": 1,
    "os_image_hash": OS_IMAGE_HASH.hex(),
    "cpu_count": 2,
    "memory_size": MEMORY_BYTES,
    "qemu_version": "8.2.2",
    "pci_hole64_size": 0,
    "hugepages": False,
    "num_gpus": 0,
    "num_nvswitches": 0,
    "hotplug_off": False,
    "image": "insecure-simulator",
    "host_share_mode": "9p",
    "ovmf_variant": "pre202505",
    "tdx_attestation_variant": "lite",
    "tdx_measurement": {
        "measurement": base64.b64encode(MEASUREMENT_FILE).decode(),
        "checksum_file": base64.b64encode(CHECKSUM_FILE).decode(),
    },
}

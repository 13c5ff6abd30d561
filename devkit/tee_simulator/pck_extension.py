"""The SGX extension of a PCK certificate, with platform and patch level (Intel spec 1.5)."""

from typing import Final

from cryptography.x509 import ObjectIdentifier, UnrecognizedExtension

SGX_EXTENSION: Final = "1.2.840.113741.1.13.1"
FMSPC: Final = bytes.fromhex("de0de0000000")
"""Family, model, stepping, platform and custom SKU of no real processor."""

PCE_ID: Final = bytes(2)
PCE_SVN: Final = 11
CPU_SVN: Final = bytes([2, 2, 2, 2, 3, 1, 0, 5]) + bytes(8)
"""The 16 SGX TCB components of the platform, at the collateral's newest level."""

DYNAMIC_PLATFORM, CACHED_KEYS, SMT_ENABLED = 1, 2, 3
INTEGER, OCTETS, OID, ENUMERATED, BOOLEAN, SEQUENCE = 0x02, 0x04, 0x06, 0x0A, 0x01, 0x30


def sgx_extension(ppid: bytes, platform_instance: bytes) -> UnrecognizedExtension:
    """Returns the extension of a two-socket server's platform; both ids are 16 bytes."""
    components = [_entry(f"2.{index}", INTEGER, bytes([svn])) for index, svn in enumerate(CPU_SVN, 1)]
    tcb = b"".join([*components, _entry("2.17", INTEGER, bytes([PCE_SVN])), _entry("2.18", OCTETS, CPU_SVN)])
    flags = (DYNAMIC_PLATFORM, CACHED_KEYS, SMT_ENABLED)
    configuration = b"".join(_entry(f"7.{flag}", BOOLEAN, b"\xff") for flag in flags)
    whole = b"".join(
        [
            _entry("1", OCTETS, ppid),
            _entry("2", SEQUENCE, tcb),
            _entry("3", OCTETS, PCE_ID),
            _entry("4", OCTETS, FMSPC),
            _entry("5", ENUMERATED, b"\x01"),
            _entry("6", OCTETS, platform_instance),
            _entry("7", SEQUENCE, configuration),
        ]
    )
    return UnrecognizedExtension(ObjectIdentifier(SGX_EXTENSION), der(SEQUENCE, whole))


def _entry(suffix: str, tag: int, value: bytes) -> bytes:
    return der(SEQUENCE, der(OID, _oid(f"{SGX_EXTENSION}.{suffix}")) + der(tag, value))


def der(tag: int, value: bytes) -> bytes:
    """Returns a DER element."""
    size = len(value)
    if size < 0x80:
        return bytes([tag, size]) + value
    length = size.to_bytes((size.bit_length() + 7) // 8)
    return bytes([tag, 0x80 | len(length)]) + length + value


def _oid(dotted: str) -> bytes:
    first, second, *rest = map(int, dotted.split("."))
    return bytes([40 * first + second]) + b"".join(map(_base128, rest))


def _base128(number: int) -> bytes:
    digits = [number & 0x7F]
    while number := number >> 7:
        digits.insert(0, number & 0x7F | 0x80)
    return bytes(digits)

"""The little of CBOR (RFC 8949) that an OS image's measurement document needs."""

from collections.abc import Mapping
from typing import TypeAlias

CborValue: TypeAlias = "int | str | bytes | Mapping[str, CborValue]"


def cbor(value: CborValue) -> bytes:
    """Encoded: integers and lengths below 256, texts, byte strings, and maps in the order given."""
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

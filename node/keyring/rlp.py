"""Recursive length prefix encoding of byte strings and lists (Yellow Paper, appendix B)."""

from collections.abc import Sequence
from typing import Final, TypeAlias

RlpItem: TypeAlias = "bytes | int | Sequence[RlpItem]"

STRING_OFFSET: Final = 0x80
LIST_OFFSET: Final = 0xC0
LONGEST_SHORT_FORM: Final = 55


def encode(item: RlpItem) -> bytes:
    """`item` as RLP; an integer is its shortest big-endian bytes, 0 the empty string (appendix B, scalars)."""
    if isinstance(item, int):
        item = item.to_bytes((item.bit_length() + 7) // 8)
    if isinstance(item, bytes):
        return item if len(item) == 1 and item[0] < STRING_OFFSET else _header(STRING_OFFSET, len(item)) + item
    body = b"".join(map(encode, item))
    return _header(LIST_OFFSET, len(body)) + body


def _header(offset: int, length: int) -> bytes:
    if length <= LONGEST_SHORT_FORM:
        return bytes([offset + length])
    size = length.to_bytes((length.bit_length() + 7) // 8)
    return bytes([offset + LONGEST_SHORT_FORM + len(size)]) + size

"""Strict decoder of ABI-encoded answers (Solidity's contract ABI specification, version 2).

Answers come from servers that may be hostile, so this accepts only what Solidity's own encoder writes:
every tail begins exactly where the one before it ends. General decoders follow any offset, and a few
kilobytes of offsets into one another then unfold into gigabytes; here work and memory stay linear in
the answer's size.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

WORD: Final = 32

Read: TypeAlias = Callable[[bytes, int], tuple[object, int]]
"""Reads a value at a position; returns the value and the position behind it."""


class AbiDecodeError(ValueError):
    """The bytes are not a canonical ABI encoding of the types wanted."""


@dataclass(frozen=True, slots=True)
class Codec:
    """Reader of one type. `head_bytes` is its size in a head: 32 if the head holds only an offset."""

    head_bytes: int
    dynamic: bool
    read: Read


def _word(data: bytes, at: int) -> int:
    word = data[at : at + WORD]
    if len(word) != WORD:
        raise AbiDecodeError("the data ends early")
    return int.from_bytes(word)


def unsigned(bits: int) -> Codec:
    """Return the codec of `uint<bits>`, as int."""

    def read(data: bytes, at: int) -> tuple[object, int]:
        value = _word(data, at)
        if value >> bits:
            raise AbiDecodeError(f"a value does not fit uint{bits}")
        return value, at + WORD

    return Codec(WORD, dynamic=False, read=read)


def _read_bool(data: bytes, at: int) -> tuple[object, int]:
    value = _word(data, at)
    if value > 1:
        raise AbiDecodeError("a bool is neither 0 nor 1")
    return value == 1, at + WORD


def _read_address(data: bytes, at: int) -> tuple[object, int]:
    value = _word(data, at)
    if value >> 160:
        raise AbiDecodeError("an address is longer than 20 bytes")
    return f"0x{value:040x}", at + WORD


def _read_bytes(data: bytes, at: int) -> tuple[bytes, int]:
    length = _word(data, at)
    start = at + WORD
    behind = start + (length + WORD - 1) // WORD * WORD
    if behind > len(data):
        raise AbiDecodeError("the data ends early")
    return data[start : start + length], behind


def _read_string(data: bytes, at: int) -> tuple[object, int]:
    # Users may write any bytes as names in their own account: these must not make lists unreadable.
    content, behind = _read_bytes(data, at)
    return content.decode(errors="replace"), behind


BOOL: Final = Codec(WORD, dynamic=False, read=_read_bool)
ADDRESS: Final = Codec(WORD, dynamic=False, read=_read_address)
"""As 0x-prefixed lower-case hex."""
BYTES: Final = Codec(WORD, dynamic=True, read=_read_bytes)
STRING: Final = Codec(WORD, dynamic=True, read=_read_string)
"""As str; bytes that are not UTF-8 become U+FFFD."""


def fixed_bytes(length: int) -> Codec:
    """Return the codec of `bytes<length>`, as bytes; its padding must be zero."""

    def read(data: bytes, at: int) -> tuple[object, int]:
        value = _word(data, at).to_bytes(WORD)
        if any(value[length:]):
            raise AbiDecodeError(f"a value does not fit bytes{length}")
        return value[:length], at + WORD

    return Codec(WORD, dynamic=False, read=read)


def _read_sequence(codecs: Sequence[Codec], head_bytes: int, data: bytes, at: int) -> tuple[list[object], int]:
    values: list[object] = []
    head, tail = at, at + head_bytes
    for codec in codecs:
        if codec.dynamic:
            if at + _word(data, head) != tail:
                raise AbiDecodeError("an offset is not where the value before it ends")
            value, tail = codec.read(data, tail)
        else:
            value, _ = codec.read(data, head)
        values.append(value)
        head += codec.head_bytes
    return values, tail


def tuple_of(codecs: Sequence[Codec]) -> Codec:
    """Return the codec of a struct or an argument list, as tuple."""
    head_bytes = sum(codec.head_bytes for codec in codecs)
    dynamic = any(codec.dynamic for codec in codecs)

    def read(data: bytes, at: int) -> tuple[object, int]:
        values, behind = _read_sequence(codecs, head_bytes, data, at)
        return tuple(values), behind

    return Codec(WORD if dynamic else head_bytes, dynamic=dynamic, read=read)


def array_of(item: Codec) -> Codec:
    """Return the codec of a dynamic array, as tuple. An item takes at least one word, so the length is bounded by the data's."""

    def read(data: bytes, at: int) -> tuple[object, int]:
        length = _word(data, at)
        start = at + WORD
        if length * item.head_bytes > len(data) - start:
            raise AbiDecodeError("an array is longer than the data")
        values, behind = _read_sequence((item,) * length, length * item.head_bytes, data, start)
        return tuple(values), behind

    return Codec(WORD, dynamic=True, read=read)


def decode_all(arguments: Codec, data: bytes) -> tuple[object, ...]:
    """Decode all of `data`. Raises AbiDecodeError."""
    value, behind = arguments.read(data, 0)
    if behind != len(data):
        raise AbiDecodeError("there is more data than the types explain")
    if not isinstance(value, tuple):
        raise TypeError("an argument list is read by tuple_of")
    return value

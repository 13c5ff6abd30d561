"""Computes the CIDv0 of a source, and parses CIDs from clients."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from node.engine.errors import InvalidCidError, InvalidSourceError

_BASE58: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BASE36: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_BASE32: Final = "abcdefghijklmnopqrstuvwxyz234567"
_BASE32_HEX: Final = "0123456789abcdefghijklmnopqrstuv"
_BASE16: Final = "0123456789abcdef"
_BASE64: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_BASE64_URL: Final = _BASE64[:-2] + "-_"

MAX_TEXT_LENGTH: Final = 192
"""Maximum text, longer than a CID of 64 bytes in any base, to limit work on hostile texts."""


@dataclass(frozen=True, slots=True)
class _Bits:
    """A base whose digits have a whole number of bits, most significant first (RFC 4648)."""

    alphabet: str
    bits: int
    padded_to: int | None = None

    def decode(self, text: str) -> bytes:
        digits, value = text, 0
        if self.padded_to is not None:
            digits = text.rstrip("=")
            if len(text) != -(-len(digits) // self.padded_to) * self.padded_to:
                raise ValueError("wrong padding")
        for digit in digits:
            value = value << self.bits | _index(self.alphabet, digit)
        length, spare = divmod(len(digits) * self.bits, 8)
        # RFC 4648, section 3.5: padding bits must be zero, so that each value has one text.
        if spare >= self.bits or value & ((1 << spare) - 1):
            raise ValueError("not a whole number of bytes")
        return (value >> spare).to_bytes(length)


def _index(alphabet: str, digit: str) -> int:
    position = alphabet.find(digit)
    if position < 0:
        raise ValueError("a character outside the base's alphabet")
    return position


def _decode_number(text: str, alphabet: str) -> bytes:
    value = 0
    for digit in text:
        value = value * len(alphabet) + _index(alphabet, digit)
    # As a number leading zeros vanish, so count them separately.
    zeros = len(text) - len(text.lstrip(alphabet[0]))
    return b"\0" * zeros + value.to_bytes((value.bit_length() + 7) // 8)


def decode_base58(text: str) -> bytes:
    """Decodes a base58btc text; leading `1`s are zero bytes. Raises ValueError."""
    return _decode_number(text, _BASE58)


def encode_base58(data: bytes) -> str:
    """Encodes `data` as base58btc."""
    value = int.from_bytes(data)
    digits: list[str] = []
    while value:
        value, remainder = divmod(value, 58)
        digits.append(_BASE58[remainder])
    zeros = len(data) - len(data.lstrip(b"\0"))
    return _BASE58[0] * zeros + "".join(reversed(digits))


_DECODERS: Final[Mapping[str, Callable[[str], bytes]]] = {
    "z": decode_base58,
    "k": lambda text: _decode_number(text, _BASE36),
    "K": lambda text: _decode_number(text, _BASE36.upper()),
    "f": _Bits(_BASE16, 4).decode,
    "F": _Bits(_BASE16.upper(), 4).decode,
    "b": _Bits(_BASE32, 5).decode,
    "B": _Bits(_BASE32.upper(), 5).decode,
    "c": _Bits(_BASE32, 5, 8).decode,
    "C": _Bits(_BASE32.upper(), 5, 8).decode,
    "v": _Bits(_BASE32_HEX, 5).decode,
    "V": _Bits(_BASE32_HEX.upper(), 5).decode,
    "t": _Bits(_BASE32_HEX, 5, 8).decode,
    "T": _Bits(_BASE32_HEX.upper(), 5, 8).decode,
    "m": _Bits(_BASE64, 6).decode,
    "M": _Bits(_BASE64, 6, 4).decode,
    "u": _Bits(_BASE64_URL, 6).decode,
    "U": _Bits(_BASE64_URL, 6, 4).decode,
}


def decode_multibase(text: str) -> bytes:
    """Decodes a multibase text, whose first character names the base. Raises ValueError."""
    if len(text) > MAX_TEXT_LENGTH:
        raise ValueError("too long")
    decoder = _DECODERS.get(text[:1])
    if decoder is None:
        raise ValueError("unknown base")
    return decoder(text[1:])


CHUNK_BYTES: Final = 262_144
MAX_LINKS: Final = 174

_SHA256_MULTIHASH: Final = b"\x12\x20"
_CIDV1_DAG_PB: Final = b"\x01\x70" + _SHA256_MULTIHASH
_CIDV0_LENGTH: Final = 46
_DIGEST_BYTES: Final = 32
_HASH_PATTERN: Final = re.compile(r"(0[xX])?[0-9a-fA-F]{64}")


@dataclass(frozen=True, slots=True)
class _Node:
    """A block of the tree, with its multihash, file bytes, and size including its children."""

    multihash: bytes
    file_bytes: int
    tree_bytes: int


def cid_of_source(text: str) -> str:
    """Returns a source's CIDv0. Raises InvalidSourceError for lone surrogates."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise InvalidSourceError(error.start) from None
    return cid_of_bytes(data)


def cid_of_bytes(data: bytes) -> str:
    """Returns the CIDv0 of a file with these bytes."""
    view = memoryview(data)
    # Like `ipfs add`: chunks of 256 KiB, 174 links a branch, a balanced tree.
    layer = [_leaf(view[start : start + CHUNK_BYTES]) for start in range(0, len(data), CHUNK_BYTES)] or [_leaf(view)]
    while len(layer) > 1:
        layer = [_branch(layer[start : start + MAX_LINKS]) for start in range(0, len(layer), MAX_LINKS)]
    return _v0(layer[0].multihash)


@lru_cache(maxsize=4096)
def _v0(multihash: bytes) -> str:
    """Encodes a multihash. Cached, since dividing 34 bytes costs more than hashing a source."""
    return encode_base58(multihash)


def parse_cid(text: str) -> str:
    """Returns the CIDv0 of a CIDv0, or of a dag-pb sha2-256 CIDv1 in any multibase.

    Raises InvalidCidError otherwise, with its own message for a hash or another kind of CID.
    """
    if _HASH_PATTERN.fullmatch(text):
        raise InvalidCidError("A hash was given where a CID belongs.")
    try:
        # CIDv0 has no multibase prefix. Its length and first bytes identify it (multiformats/cid).
        if len(text) == _CIDV0_LENGTH and text.startswith("Qm"):
            return encode_base58(_checked(decode_base58(text), _SHA256_MULTIHASH))
        return encode_base58(_checked(decode_multibase(text), _CIDV1_DAG_PB)[2:])
    except ValueError:
        raise InvalidCidError("This is not a CID.") from None


def _checked(decoded: bytes, prefix: bytes) -> bytes:
    if len(decoded) == len(prefix) + _DIGEST_BYTES and decoded.startswith(prefix):
        return decoded
    if decoded[:1] == b"\x01" and not decoded.startswith(prefix):
        raise InvalidCidError("This CID is not of a dag-pb file under sha2-256, so it cannot be an action's.")
    raise ValueError("no CID")


def _leaf(chunk: memoryview) -> _Node:
    size = len(chunk)
    content = _field(2, bytes(chunk)) if size else b""
    block = _field(1, _FILE + content + _number(3, size))
    return _Node(_multihash(block), size, len(block))


def _branch(children: Sequence[_Node]) -> _Node:
    size = sum(child.file_bytes for child in children)
    sizes = b"".join(_number(4, child.file_bytes) for child in children)
    links = b"".join(
        _field(2, _field(1, child.multihash) + _field(2, b"") + _number(3, child.tree_bytes)) for child in children
    )
    block = links + _field(1, _FILE + _number(3, size) + sizes)
    return _Node(_multihash(block), size, len(block) + sum(child.tree_bytes for child in children))


def _multihash(block: bytes) -> bytes:
    return _SHA256_MULTIHASH + hashlib.sha256(block).digest()


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


_FILE: Final = _number(1, 2)
"""UnixFS `Type: File`."""

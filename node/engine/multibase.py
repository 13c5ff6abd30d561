"""Text encodings of a CID, decoded strictly (multibase table of the multiformats project)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

_BASE58: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BASE36: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_BASE32: Final = "abcdefghijklmnopqrstuvwxyz234567"
_BASE32_HEX: Final = "0123456789abcdefghijklmnopqrstuv"
_BASE16: Final = "0123456789abcdef"
_BASE64: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_BASE64_URL: Final = _BASE64[:-2] + "-_"

MAX_TEXT_LENGTH: Final = 192
"""Longer than any CID of a 64-byte digest in any base listed here; bounds the work on a hostile text."""


@dataclass(frozen=True, slots=True)
class _Bits:
    """A base whose digits each carry a whole number of bits, most significant first (RFC 4648)."""

    alphabet: str
    bits: int
    padded_to: int | None = None

    def decode(self, text: str) -> bytes:
        digits = self._without_padding(text)
        value = 0
        for digit in digits:
            value = value << self.bits | _index(self.alphabet, digit)
        length, spare = divmod(len(digits) * self.bits, 8)
        if spare >= self.bits or value & ((1 << spare) - 1):
            raise ValueError("not a whole number of bytes")
        return (value >> spare).to_bytes(length)

    def _without_padding(self, text: str) -> str:
        if self.padded_to is None:
            return text
        digits = text.rstrip("=")
        if len(text) != -(-len(digits) // self.padded_to) * self.padded_to:
            raise ValueError("wrong padding")
        return digits


def _index(alphabet: str, digit: str) -> int:
    position = alphabet.find(digit)
    if position < 0:
        raise ValueError("a character outside the base's alphabet")
    return position


def _decode_number(text: str, alphabet: str) -> bytes:
    value = 0
    for digit in text:
        value = value * len(alphabet) + _index(alphabet, digit)
    zeros = len(text) - len(text.lstrip(alphabet[0]))
    return b"\0" * zeros + value.to_bytes((value.bit_length() + 7) // 8)


def decode_base58(text: str) -> bytes:
    """Decode a base58btc text; leading `1`s are zero bytes. Raises ValueError."""
    return _decode_number(text, _BASE58)


def encode_base58(data: bytes) -> str:
    """Encode `data` as base58btc."""
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
    """Decode a multibase text, whose first character names the base. Raises ValueError for anything else."""
    if len(text) > MAX_TEXT_LENGTH:
        raise ValueError("too long")
    decoder = _DECODERS.get(text[:1])
    if decoder is None:
        raise ValueError("unknown base")
    return decoder(text[1:])

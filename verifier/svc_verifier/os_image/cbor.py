"""The little of CBOR (RFC 8949) that an image's measurement document uses, read strictly and bounded.

Unsigned integers, byte strings, texts and maps with text keys, all of definite length and in their shortest form (section
4.2.1); nothing else. The document is hashed before it is read, so two readings of one text would be two images.
"""

from typing import Final, NoReturn, TypeAlias

from svc_verifier.errors import VerifierError, VerifierErrorCode

Cbor: TypeAlias = "int | bytes | str | dict[str, Cbor]"

LIMIT_BYTES: Final = 4_096
"""Real documents take 400 bytes."""

NESTING: Final = 4
_UNSIGNED, _BYTES, _TEXT, _MAP = 0, 2, 3, 5


def parse_cbor(data: bytes, what: str) -> Cbor:
    """`data` as one value. Raises VerifierError(TOO_LARGE, TRUNCATED, BAD_IMAGE) naming `what`, and nothing else."""
    if len(data) > LIMIT_BYTES:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{what}: more than {LIMIT_BYTES} bytes")
    reader = _Reader(data, what)
    value = reader.value(NESTING)
    if reader.position != len(data):
        reader.refuse("bytes follow the value")
    return value


class _Reader:
    def __init__(self, data: bytes, what: str) -> None:
        self._data = data
        self._what = what
        self.position = 0

    def value(self, depth: int) -> Cbor:
        major, number = self._head()
        if major == _UNSIGNED:
            return number
        if major == _BYTES:
            return self._take(number)
        if major == _TEXT:
            return self._text(number)
        if major != _MAP:
            self.refuse(f"major type {major} is none of those a measurement document uses")
        if depth == 0:
            raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{self._what}: nested more than {NESTING} deep")
        return self._map(number, depth - 1)

    def _map(self, entries: int, depth: int) -> dict[str, Cbor]:
        # every entry takes at least two bytes, so a length that promises more ends at the first missing one
        read: dict[str, Cbor] = {}
        for _ in range(entries):
            major, number = self._head()
            if major != _TEXT:
                self.refuse("a key is no text")
            key = self._text(number)
            if key in read:
                self.refuse(f"the key {key!r} appears twice")
            read[key] = self.value(depth)
        return read

    def _head(self) -> tuple[int, int]:
        first = self._take(1)[0]
        major, low = first >> 5, first & 0x1F
        if low < 24:
            return major, low
        if low > 27:
            self.refuse("a length that is not definite")
        width = 1 << (low - 24)
        number = int.from_bytes(self._take(width), "big")
        smallest = 24 if width == 1 else 1 << (4 * width)
        if number < smallest:
            self.refuse("a number that is not in its shortest form")
        return major, number

    def _text(self, length: int) -> str:
        try:
            return self._take(length).decode()
        except UnicodeDecodeError:
            self.refuse("a text that is not UTF-8")

    def _take(self, length: int) -> bytes:
        if length > len(self._data) - self.position:
            message = f"{self._what}: {length} bytes are announced at offset {self.position}, fewer are left"
            raise VerifierError(VerifierErrorCode.TRUNCATED, message)
        start = self.position
        self.position += length
        return self._data[start : self.position]

    def refuse(self, why: str) -> NoReturn:
        raise VerifierError(VerifierErrorCode.BAD_IMAGE, f"{self._what}: {why}")

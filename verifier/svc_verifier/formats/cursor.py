"""Reads fixed-size pieces from bytes that a stranger made: every step is bounds-checked, nothing is skipped."""

from svc_verifier.errors import VerifierError, VerifierErrorCode


class Cursor:
    """A position in `data`; integers are little-endian, as in every Intel structure."""

    def __init__(self, data: bytes, what: str) -> None:
        self._data = data
        self._what = what
        self.position = 0

    @property
    def remaining(self) -> int:
        """How many bytes are left."""
        return len(self._data) - self.position

    def take(self, length: int, name: str) -> bytes:
        """The next `length` bytes. Raises VerifierError(TRUNCATED) naming the field that does not fit."""
        if length > self.remaining:
            message = f"{self._what}: {name} needs {length} bytes at offset {self.position}, {self.remaining} are left"
            raise VerifierError(VerifierErrorCode.TRUNCATED, message)
        start = self.position
        self.position += length
        return self._data[start : self.position]

    def u16(self, name: str) -> int:
        """The next two bytes as an unsigned integer."""
        return int.from_bytes(self.take(2, name), "little")

    def u32(self, name: str) -> int:
        """The next four bytes as an unsigned integer."""
        return int.from_bytes(self.take(4, name), "little")

    def finish(self) -> None:
        """Raises VerifierError(INCONSISTENT_SIZES) when bytes are left over."""
        if self.remaining:
            message = f"{self._what}: {self.remaining} bytes are left over"
            raise VerifierError(VerifierErrorCode.INCONSISTENT_SIZES, message)

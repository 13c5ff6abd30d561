"""Identifiers that nobody else draws: of requests, and of what is paid for.

The random bits come from the operating system in blocks. A call of the system for each identifier gives the interpreter
lock away, which costs a busy node more than all the rest of it.
"""

import os
import time
from typing import Final

_BLOCK_BYTES: Final = 4096
_ID_BYTES: Final = 16
_VARIANT: Final = "89ab"
"""RFC 9562 4.1: the variant's two bits, before two random ones."""
_RANDOM_DIGITS: Final = 20


class UniqueIds:
    """Draws identifiers; used in one thread."""

    def __init__(self) -> None:
        self._block = b""
        self._used = 0

    def uuid(self) -> str:
        """Return a UUID of version 4 (RFC 9562 5.4)."""
        digits = self._digits()
        variant = _VARIANT[int(digits[16], 16) & 3]
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"

    def ordered(self) -> str:
        """32 hex digits that begin with the time in milliseconds: rows that are written together stand together.

        An index over random ones would touch a page of its own with each row.
        """
        return f"{time.time_ns() // 1_000_000:012x}{self._digits()[:_RANDOM_DIGITS]}"

    def _digits(self) -> str:
        if self._used == len(self._block):
            self._block, self._used = os.urandom(_BLOCK_BYTES), 0
        begin, self._used = self._used, self._used + _ID_BYTES
        return self._block[begin : self._used].hex()

"""The first bytes of a TLS connection: which protocols the client offers (RFC 8446, 4.1.2; ALPN: RFC 7301, 3.1).

Read only while a tls-alpn-01 challenge is open. Python's TLS tells a server which protocol was chosen after it had to
choose the certificate, and RFC 8737 wants another certificate for `acme-tls/1`.
"""

from typing import Final

RECORD_HEADER_BYTES: Final = 5
RECORD_MAX_BYTES: Final = 16_384
HANDSHAKE_RECORD: Final = 22
CLIENT_HELLO: Final = 1
ALPN_EXTENSION: Final = 16
VERSION_AND_RANDOM_BYTES: Final = 34


def needed_bytes(start: bytes) -> int | None:
    """How many bytes the first record has, as far as `start` tells; None when this is no TLS."""
    if len(start) < RECORD_HEADER_BYTES:
        return RECORD_HEADER_BYTES
    length = int.from_bytes(start[3:5])
    if start[0] != HANDSHAKE_RECORD or not 0 < length <= RECORD_MAX_BYTES:
        return None
    return RECORD_HEADER_BYTES + length


def offered_protocols(record: bytes) -> tuple[bytes, ...]:
    """The ALPN names in a whole first record, in the client's order; none when it is not a hello in one record."""
    try:
        return _protocols(_Bytes(record[RECORD_HEADER_BYTES:]))
    except ValueError:
        return ()


class _Bytes:
    """Takes lengths and values from the front. Raises ValueError past the end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, length: int) -> bytes:
        end = self._at + length
        if end > len(self._data):
            raise ValueError("cut short")
        taken, self._at = self._data[self._at : end], end
        return taken

    def number(self, length: int) -> int:
        return int.from_bytes(self.take(length))

    def vector(self, length_bytes: int) -> "_Bytes":
        return _Bytes(self.take(self.number(length_bytes)))

    def __bool__(self) -> bool:
        return self._at < len(self._data)


def _protocols(record: _Bytes) -> tuple[bytes, ...]:
    if record.number(1) != CLIENT_HELLO:
        return ()
    hello = record.vector(3)
    hello.take(VERSION_AND_RANDOM_BYTES)
    hello.vector(1)  # session id
    hello.vector(2)  # cipher suites
    hello.vector(1)  # compression methods
    extensions = hello.vector(2)
    while extensions:
        kind, content = extensions.number(2), extensions.vector(2)
        if kind == ALPN_EXTENSION:
            return tuple(_names(content.vector(2)))
    return ()


def _names(names: _Bytes) -> list[bytes]:
    found = []
    while names:
        found.append(names.take(names.number(1)))
    return found

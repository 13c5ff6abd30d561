"""Selects the certificate of each new connection: the served one, or the proof of an open tls-alpn-01 challenge.

The first bytes of a connection are read only while a tls-alpn-01 challenge is open. Python's TLS reveals the chosen
protocol after the server had to choose its certificate, and RFC 8737 wants another certificate for `acme-tls/1`.
"""

import ssl
from typing import Final

from attest.certificates.challenges import ACME_TLS, TlsAlpnSolver
from attest.certificates.serving import ServedCertificate

RECORD_HEADER_BYTES: Final = 5
RECORD_MAX_BYTES: Final = 16_384
HANDSHAKE_RECORD: Final = 22
CLIENT_HELLO: Final = 1
ALPN_EXTENSION: Final = 16
VERSION_AND_RANDOM_BYTES: Final = 34


def needed_bytes(start: bytes) -> int | None:
    """Returns the length of the first TLS record, as far as `start` shows it; None when this is no TLS."""
    if len(start) < RECORD_HEADER_BYTES:
        return RECORD_HEADER_BYTES
    length = int.from_bytes(start[3:5])
    if start[0] != HANDSHAKE_RECORD or not 0 < length <= RECORD_MAX_BYTES:
        return None
    return RECORD_HEADER_BYTES + length


def offered_protocols(record: bytes) -> tuple[bytes, ...]:
    """Returns the ALPN names of a ClientHello in one whole record, in the client's order (RFC 8446 §4.1.2, RFC 7301)."""
    try:
        return _protocols(_Bytes(record[RECORD_HEADER_BYTES:]))
    except ValueError:
        return ()


class _Bytes:
    """Reader of lengths and values. Raises ValueError past the end."""

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


class TlsFront:
    """Chooses the TLS context of a connection. `proofs` is None where tls-alpn-01 is not used."""

    def __init__(self, served: ServedCertificate, proofs: TlsAlpnSolver | None = None) -> None:
        self._served = served
        self._proofs = proofs

    @property
    def looking(self) -> bool:
        """Whether the first bytes of a connection decide: only while a challenge is open."""
        return self._proof is not None

    def needed_bytes(self, start: bytes) -> int | None:
        """Returns the length of the client's first record, as far as its `start` shows it; None when it is no TLS."""
        return needed_bytes(start)

    def context(self, first: bytes) -> ssl.SSLContext | None:
        """Returns the context for this connection; None: there is no certificate yet."""
        if first and self._proof is not None and ACME_TLS.encode() in offered_protocols(first):
            return self._proof
        return self._served.context

    def is_proof(self, context: ssl.SSLContext) -> bool:
        """Whether `context` shows the proof, over which no request is served (RFC 8737 §3)."""
        return context is self._proof

    @property
    def _proof(self) -> ssl.SSLContext | None:
        return None if self._proofs is None else self._proofs.context

"""TLS 1.3 client that sends KeyUpdates (RFC 8446, 4.6.3), which Python's own `ssl` cannot: libssl by ctypes."""

import _ssl
import ctypes
import socket
from typing import Final

REQUESTED: Final = 1
"""The other side must update its keys as well, and say so."""
_BUFFER_BYTES: Final = 1 << 20
_SET_HOSTNAME: Final = 55
_PTR, _INT = ctypes.c_void_p, ctypes.c_int
_FUNCTIONS: Final[dict[str, tuple[type | None, list[type]]]] = {
    "TLS_client_method": (_PTR, []),
    "SSL_CTX_new": (_PTR, [_PTR]),
    "SSL_CTX_free": (None, [_PTR]),
    "SSL_new": (_PTR, [_PTR]),
    "SSL_free": (None, [_PTR]),
    "BIO_s_mem": (_PTR, []),
    "BIO_new": (_PTR, [_PTR]),
    "BIO_read": (_INT, [_PTR, ctypes.c_char_p, _INT]),
    "BIO_write": (_INT, [_PTR, ctypes.c_char_p, _INT]),
    "SSL_set_bio": (None, [_PTR, _PTR, _PTR]),
    "SSL_set_connect_state": (None, [_PTR]),
    "SSL_ctrl": (ctypes.c_long, [_PTR, _INT, ctypes.c_long, ctypes.c_char_p]),
    "SSL_do_handshake": (_INT, [_PTR]),
    "SSL_in_init": (_INT, [_PTR]),
    "SSL_key_update": (_INT, [_PTR, _INT]),
    "SSL_read": (_INT, [_PTR, ctypes.c_char_p, _INT]),
    "SSL_write": (_INT, [_PTR, ctypes.c_char_p, _INT]),
}


def _libssl() -> ctypes.CDLL:
    """The libssl that Python itself uses."""
    library = ctypes.CDLL(_ssl.__file__)
    for name, (returned, taken) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = returned, taken
    return library


class KeyUpdater:
    """A connection after its handshake. What it sends is made first, and sent by its user."""

    def __init__(self, port: int, name: str) -> None:
        self._tls = _libssl()
        self._context = self._tls.SSL_CTX_new(self._tls.TLS_client_method())
        self._ssl = self._tls.SSL_new(self._context)
        self._in, self._out = (self._tls.BIO_new(self._tls.BIO_s_mem()) for _ in range(2))
        self._tls.SSL_set_bio(self._ssl, self._in, self._out)
        self._tls.SSL_set_connect_state(self._ssl)
        self._tls.SSL_ctrl(self._ssl, _SET_HOSTNAME, 0, name.encode())
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.settimeout(20)
        self._shake()

    def close(self) -> None:
        """Free everything."""
        self.socket.close()
        self._tls.SSL_free(self._ssl)
        self._tls.SSL_CTX_free(self._context)

    def updates(self, count: int, content: bytes = b"") -> bytes:
        """So many KeyUpdates, each followed by the content, as they go over the wire."""
        for _ in range(count):
            assert self._tls.SSL_key_update(self._ssl, REQUESTED) == 1
            self._tls.SSL_do_handshake(self._ssl)
            if content:
                self._tls.SSL_write(self._ssl, content, len(content))
        return self._made()

    def records(self, content: bytes, size: int) -> bytes:
        """The content in records of so many bytes."""
        for at in range(0, len(content), size):
            piece = content[at : at + size]
            self._tls.SSL_write(self._ssl, piece, len(piece))
        return self._made()

    def content(self) -> bytes:
        """The first content that comes."""
        buffer = ctypes.create_string_buffer(_BUFFER_BYTES)
        while (count := self._tls.SSL_read(self._ssl, buffer, _BUFFER_BYTES)) <= 0:
            self._arrive()
        return buffer.raw[:count]

    def _shake(self) -> None:
        while True:
            self._tls.SSL_do_handshake(self._ssl)
            self.socket.sendall(self._made())
            if not self._tls.SSL_in_init(self._ssl):
                return
            self._arrive()

    def _arrive(self) -> None:
        received = self.socket.recv(65_536)
        assert received, "the connection was closed"
        self._tls.BIO_write(self._in, received, len(received))

    def _made(self) -> bytes:
        buffer, made = ctypes.create_string_buffer(_BUFFER_BYTES), b""
        while (count := self._tls.BIO_read(self._out, buffer, _BUFFER_BYTES)) > 0:
            made += buffer.raw[:count]
        return made

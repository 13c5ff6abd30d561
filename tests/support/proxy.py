"""What a proxy writes ahead of its client's bytes, by HAProxy's specification."""

import os
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address

TIMEOUT_S = 20.0
V2_START = b"\r\n\r\n\0\r\nQUIT\n"
LOCAL = V2_START + b"\x20\x00\x00\x00"
UNKNOWN = b"PROXY UNKNOWN\r\n"


def line(client: str, port: int = 56_324) -> bytes:
    """Version 1."""
    family, own = ("TCP4", "192.0.2.1") if ip_address(client).version == 4 else ("TCP6", "2001:db8::1")
    return f"PROXY {family} {client} {own} {port} 443\r\n".encode()


def binary(client: str, extensions: bytes = b"") -> bytes:
    """Version 2."""
    source = ip_address(client).packed
    addresses = source + bytes(len(source)) + (56_324).to_bytes(2) + (443).to_bytes(2) + extensions
    family = b"\x11" if len(source) == 4 else b"\x21"
    return V2_START + b"\x21" + family + len(addresses).to_bytes(2) + addresses


@contextmanager
def connected(
    port: int, header: bytes, source: str, context: ssl.SSLContext | None, name: str, at_once: int = 600
) -> Iterator[socket.socket]:
    """A loopback connection from `source` that begins with the header, so many bytes at a time; then TLS if wanted.

    The socket is wrapped before the header is sent: `wrap_socket` leaks one that the other side has reset already.
    """
    with socket.create_connection(("127.0.0.1", port), TIMEOUT_S, (source, 0)) as raw:
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        wrapped = None
        if context is not None:
            wrapped = context.wrap_socket(raw, server_hostname=name, do_handshake_on_connect=False)
        with wrapped or raw as used:
            for start in range(0, len(header), at_once):
                os.write(used.fileno(), header[start : start + at_once])
            if wrapped is not None:
                wrapped.do_handshake()
            yield used

"""TLS of one connection, with bounds on what its client may have the node do without sending any content.

TLS 1.3 has messages that ask for work and carry nothing: a KeyUpdate of 27 bytes (RFC 8446, 4.6.3) costs two derivations
of keys and an answer. asyncio's own class reads 256 KiB at a time, in which there is room for ten thousand of them.
"""

import asyncio
import ssl
from asyncio.sslproto import SSLProtocol
from typing import Final, cast

from typing_extensions import Buffer

READ_BYTES: Final = 16 * 1024
"""Bytes of TLS read in one step of the event loop: KeyUpdates of that size take some fifteen milliseconds."""
UNSENT_BYTES: Final = 64 * 1024
"""Encrypted bytes from which on the writer of an answer waits; asyncio's own bound is 512 KiB for each connection."""
GOODBYE_TIMEOUT_S: Final = 5.0
"""Longest wait for the other side's answer to TLS's close_notify."""
WITHOUT_CONTENT_MAX_BYTES: Final = 64 * 1024
"""Bytes of TLS that may come with no content. Clients send a KeyUpdate in hours, and alerts at the end."""
UNREAD_MAX_BYTES: Final = 256 * 1024
"""Encrypted bytes that may wait for the client. The writers of answers wait long before; answers to KeyUpdates do not."""
_BYTES_A_BYTE: Final = 32
"""Bytes of TLS that one byte of content pays for: a record takes 22 beside it, and a client may send each byte in its own."""


class _Content(ssl.SSLObject):
    """TLS that counts the bytes of content it read."""

    read_bytes = 0

    def read(self, length: int = 1024, buffer: Buffer | None = None) -> bytes:
        """Read content; see the class of the standard library."""
        found = super().read(length, buffer)
        # With a buffer the standard library returns a number, though its stubs know bytes alone.
        self.read_bytes += len(found) if buffer is None else cast("int", found)
        return found


class TlsConnection(SSLProtocol):
    """Server's side of TLS: hands `protocol` a transport after the handshake, of whose end `shaken` tells.

    A client that sends too much TLS without any content is disconnected, the handshake included; so is one that sends on
    and reads nothing of what TLS itself answers.
    """

    max_size = READ_BYTES
    # Of asyncio's class; its stubs leave them out.
    _sslobj: _Content
    _incoming: ssl.MemoryBIO
    _outgoing: ssl.MemoryBIO

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        protocol: asyncio.BaseProtocol,
        context: ssl.SSLContext,
        shaken: "asyncio.Future[None]",
    ) -> None:
        # The public way to a class of one's own; contexts are shared, and it is the same for every connection.
        context.sslobject_class = _Content
        # asyncio gives a handshake 60 s; the listener's deadline around it ends first.
        super().__init__(loop, protocol, context, shaken, server_side=True, ssl_shutdown_timeout=GOODBYE_TIMEOUT_S)
        # What waits here while the protocol does not read is taken in one step later. More than a record, which must fit.
        self._app_transport.set_read_buffer_limits(2 * READ_BYTES)
        self._app_transport.set_write_buffer_limits(UNSENT_BYTES)
        self._without_content = 0
        self._seen_content = 0
        self._not_taken = 0

    def buffer_updated(self, nbytes: int) -> None:
        """Take what has arrived, and hang up on a client that sent too much without content."""
        super().buffer_updated(nbytes)
        content, not_taken = self._sslobj.read_bytes, self._incoming.pending
        # Bytes that the protocol is not ready for are content, as far as anybody knows.
        taken = self._not_taken + nbytes - not_taken
        paid = _BYTES_A_BYTE * (content - self._seen_content)
        self._without_content = max(0, self._without_content + taken - paid)
        self._seen_content, self._not_taken = content, not_taken
        is_too_much = self._without_content > WITHOUT_CONTENT_MAX_BYTES or self._outgoing.pending > UNREAD_MAX_BYTES
        if is_too_much and self._transport is not None:
            cast("asyncio.Transport", self._transport).abort()

    def _fatal_error(self, exc: BaseException, message: str = "Fatal error on transport") -> None:
        """Send the alert that says why TLS ends (RFC 8446, 6.2) before the connection is closed.

        asyncio leaves it where OpenSSL put it, and a client is told of a broken connection, not of a version or a cipher that
        is refused (CPython gh-98078). Needless from Python 3.16 on, whose asyncio sends it; 3.14.6 does not.
        """
        # At most a few bytes, which the kernel takes at once: closing drops what it has not taken.
        if isinstance(exc, ssl.SSLError) and self._transport is not None and not self._transport.is_closing():
            self._process_outgoing()  # type: ignore[attr-defined]  # of asyncio's class; its stubs leave it out
        super()._fatal_error(exc, message)

"""TLS of one connection, with bounds on the work that a client can cause without content.

Some messages of TLS 1.3 cause work and carry no content. A KeyUpdate of 27 bytes (RFC 8446, 4.6.3)
costs two key derivations and a reply. asyncio's class reads 256 KiB at a time, or 10,000 of them.
"""

import asyncio
import ssl
from asyncio.sslproto import SSLProtocol
from typing import Final, cast

from typing_extensions import Buffer

READ_BYTES: Final = 16 * 1024
"""Bytes of TLS read in one step of the event loop; KeyUpdates of this size take about 15 ms."""
UNSENT_BYTES: Final = 64 * 1024
"""Unsent encrypted bytes at which writers of responses wait; asyncio's own bound is 512 KiB."""
GOODBYE_TIMEOUT_S: Final = 5.0
"""Longest wait for the client's reply to TLS's close_notify."""
WITHOUT_CONTENT_MAX_BYTES: Final = 64 * 1024
"""Most bytes of TLS without content. Clients send hardly any KeyUpdates and alerts."""
UNREAD_MAX_BYTES: Final = 256 * 1024
"""Most unsent encrypted bytes. Writers wait long before, but replies to KeyUpdates do not."""
_BYTES_A_BYTE: Final = 32
"""Bytes of TLS allowed per byte of content. A record adds 22 and may contain a single byte."""


class _Content(ssl.SSLObject):
    """TLS object that counts the bytes of content it read."""

    read_bytes = 0

    def read(self, length: int = 1024, buffer: Buffer | None = None) -> bytes:
        """Read content; see the class of the standard library."""
        found = super().read(length, buffer)
        # With a buffer, the standard library returns a number; its stubs declare only bytes.
        self.read_bytes += len(found) if buffer is None else cast("int", found)
        return found


class TlsConnection(SSLProtocol):
    """Server side of TLS. After the handshake, `protocol` gets a transport and `shaken` a result.

    A client is disconnected if it sends too much TLS without content, also in the handshake, or if
    it keeps sending without reading TLS's replies.
    """

    max_size = READ_BYTES
    # Attributes of asyncio's class that its stubs omit.
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
        # The public way to set the class. Contexts are shared, and all connections need it.
        context.sslobject_class = _Content
        # asyncio gives a handshake 60 s; the listener's deadline around it ends first.
        super().__init__(loop, protocol, context, shaken, server_side=True, ssl_shutdown_timeout=GOODBYE_TIMEOUT_S)
        # Data that waits for the protocol is later read in one step. A record must fit.
        self._app_transport.set_read_buffer_limits(2 * READ_BYTES)
        self._app_transport.set_write_buffer_limits(UNSENT_BYTES)
        self._without_content = 0
        self._seen_content = 0
        self._not_taken = 0

    def buffer_updated(self, nbytes: int) -> None:
        """Take what has arrived; disconnect a client that sent too much without content."""
        super().buffer_updated(nbytes)
        content, not_taken = self._sslobj.read_bytes, self._incoming.pending
        # Bytes that the protocol has not taken yet count as content for now.
        taken = self._not_taken + nbytes - not_taken
        paid = _BYTES_A_BYTE * (content - self._seen_content)
        self._without_content = max(0, self._without_content + taken - paid)
        self._seen_content, self._not_taken = content, not_taken
        is_too_much = self._without_content > WITHOUT_CONTENT_MAX_BYTES or self._outgoing.pending > UNREAD_MAX_BYTES
        if is_too_much and self._transport is not None:
            cast("asyncio.Transport", self._transport).abort()

    def _fatal_error(self, exc: BaseException, message: str = "Fatal error on transport") -> None:
        """Send the alert that says why TLS ends (RFC 8446, 6.2) before the connection is closed.

        asyncio does not send it, so a client sees a broken connection instead of a refused version
        or cipher (CPython gh-98078). Python 3.14.6 needs this method; 3.16 does not.
        """
        # The kernel takes these few bytes at once; closing drops bytes it has not taken.
        if isinstance(exc, ssl.SSLError) and self._transport is not None and not self._transport.is_closing():
            self._process_outgoing()  # type: ignore[attr-defined]  # of asyncio's class; its stubs leave it out
        super()._fatal_error(exc, message)

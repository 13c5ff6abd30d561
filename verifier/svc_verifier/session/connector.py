"""Connections of a session, which are handed out only after their peer is attested."""

import ssl
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit
from weakref import WeakSet

import aiohttp

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.addresses import HTTPS_PORT
from svc_verifier.session.attestation import Attestation

if TYPE_CHECKING:
    from aiohttp.client_reqrep import ClientRequest
    from aiohttp.connector import Connection

CONNECTIONS: Final = 3
"""Connections for one request. A kept one may have ended, and servers close some early."""


class AttestedConnector(aiohttp.TCPConnector):
    """Hands out connections whose other end holds an attested key, and no others."""

    def __init__(self, attestation: Attestation, context: ssl.SSLContext) -> None:
        super().__init__(ssl=context)
        self._attestation = attestation
        self._handed_out: WeakSet[object] = WeakSet()

    async def connect(
        self,
        req: "ClientRequest",
        traces: "list[aiohttp.tracing.Trace]",
        timeout: "aiohttp.ClientTimeout",  # noqa: ASYNC109 - aiohttp's own signature
    ) -> "Connection":
        """Returns an attested connection. Raises VerifierError for another host or key."""
        # First, since a redirect or a wrong URL must not carry a request to another host.
        there = urlsplit(self._attestation.address.origin)
        host = ("https", there.hostname, there.port or HTTPS_PORT)
        if (req.url.scheme, req.url.host, req.url.port) != host:
            raise VerifierError(VerifierErrorCode.OTHER_HOST, f"this session is with {self._attestation.address.name}")
        refusal: VerifierError | None = None
        attempts = 0
        while attempts < CONNECTIONS:
            connection = await super().connect(req, traces, timeout)
            # The pool may hand out a connection whose attestation is too old by now.
            is_kept = connection.protocol in self._handed_out
            # Only new ones count, since kept ones are finitely many and refused ones are closed.
            attempts += not is_kept
            try:
                await self._attestation.require(connection)
            except VerifierError as error:
                _abort(connection)
                if error.code is not VerifierErrorCode.UNREACHABLE:
                    if not is_kept:
                        raise refusal or error from None
                    # A kept one may predate a change of certificate; a new one has evidence.
                    refusal = refusal or error
                continue
            # Cancelled during a verification, when the connection must not return to the pool.
            except BaseException:
                _abort(connection)
                raise
            if not _is_spent(connection):
                self._handed_out.add(connection.protocol)
                # From here on the request may be sent; before, only the verifier's own (spec 13.4).
                REACHED.get().is_proven = True
                return connection
            _abort(connection)
        if refusal is not None:
            raise refusal
        message = f"{self._attestation.address.name} ends each connection before a request can be sent on it"
        raise VerifierError(VerifierErrorCode.UNREACHABLE, message)


def _abort(connection: "Connection") -> None:
    """Abort an unused connection. TLS would wait half a minute for the other end's farewell."""
    if connection.transport is not None:
        connection.transport.abort()
    connection.close()


@dataclass(slots=True)
class Reached:
    """Progress of one request. If `is_proven`, bytes of it may have left."""

    is_proven: bool = False


REACHED: Final[ContextVar[Reached]] = ContextVar("REACHED")


class NoAnswerError(VerifierError):
    """A request had no response. `was_sent` is False if no byte of it can have left."""

    def __init__(self, message: str, *, was_sent: bool) -> None:
        super().__init__(VerifierErrorCode.UNREACHABLE, message)
        self.was_sent = was_sent


def _is_spent(connection: "Connection") -> bool:
    """Whether nothing more can be sent on a connection."""
    protocol, transport = connection.protocol, connection.transport
    return protocol is None or transport is None or transport.is_closing() or protocol.should_close

"""The certificate that new TLS connections get, and its replacement."""

import asyncio
import os
import ssl
from collections.abc import Sequence
from typing import Final

from attest.certificates.credentials import Credentials
from attest.certificates.port import Certificate, Evidence
from attest.errors import AttestError, AttestErrorCode

HTTP_PROTOCOLS: Final = ("http/1.1",)
"""ALPN names (RFC 7301) that the node speaks."""


def server_context(credentials: Credentials, protocols: Sequence[str] = HTTP_PROTOCOLS) -> ssl.SSLContext:
    """Returns a TLS context that serves `credentials`. Raises AttestError(CERTIFICATE)."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    # TLS 1.3 alone has AEAD suites and ephemeral keys only (RFC 8446).
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    # No tickets: a resumed session shows no certificate, and evidence describes a shown one.
    context.options |= ssl.OP_NO_TICKET
    context.num_tickets = 0
    context.set_alpn_protocols(list(protocols))
    # A file in memory (memfd_create(2)), since `load_cert_chain` reads files alone and no disk may
    # see the key. CLOEXEC keeps it from DNS hooks and engine processes.
    descriptor = os.memfd_create("tls", os.MFD_CLOEXEC)
    try:
        with os.fdopen(os.dup(descriptor), "wb") as file:
            file.write(credentials.key.pem() + credentials.certificate.chain_pem)
        context.load_cert_chain(f"/proc/self/fd/{descriptor}")
    except (ssl.SSLError, OSError) as error:
        why = f"TLS does not take the certificate ({type(error).__name__})."
        raise AttestError(AttestErrorCode.CERTIFICATE, why) from None
    finally:
        os.close(descriptor)
    return context


class ServedCertificate:
    """Certificate that new connections get. Implements `CurrentCertificates`.

    Open connections keep their certificate, whose evidence set stays readable by name.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._certificate: Certificate | None = None
        self._context: ssl.SSLContext | None = None
        self._first = asyncio.Event()
        self.problem: str | None = None
        """Reason why a newer certificate is missing though one is due."""
        self.failed_at_s: float | None = None
        """Unix time of the last failed attempt to get one; None if none failed since the start."""

    @property
    def current(self) -> Sequence[Certificate]:
        """The certificate in use; empty before the first."""
        return () if self._certificate is None else (self._certificate,)

    @property
    def context(self) -> ssl.SSLContext | None:
        """TLS context of new connections; None before the first certificate."""
        return self._context

    def failed(self, problem: str, at_s: float) -> None:
        """Record a failed attempt at that unix time. /health publishes `problem`."""
        self.problem, self.failed_at_s = problem, at_s

    async def wait_for_first(self) -> None:
        """Wait for the first certificate."""
        await self._first.wait()

    async def adopt(self, credentials: Credentials) -> None:
        """Publish evidence of these credentials and serve them. On AttestError nothing changes."""
        # Before the evidence, since a certificate that TLS rejects must not be quoted.
        context = server_context(credentials)
        prepared = await self._evidence.prepare([credentials.certificate], credentials.acme_account)
        # No await from here on, so that no client sees the new certificate without its evidence or
        # the reverse.
        prepared.publish()
        self._certificate, self._context, self.problem = credentials.certificate, context, None
        self._first.set()

"""What TLS serves now, and how another certificate takes its place."""

import asyncio
import ssl
from collections.abc import Sequence

from attest.certificates.credentials import Credentials
from attest.certificates.port import Certificate, Evidence
from attest.certificates.tls import server_context


class ServedCertificate:
    """The certificate that new connections get. Implements `CurrentCertificates`.

    Connections that are open keep the one they began with, whose evidence set stays readable under its own name.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._certificate: Certificate | None = None
        self._context: ssl.SSLContext | None = None
        self._first = asyncio.Event()
        self.problem: str | None = None
        """Why there is no newer one though one is wanted."""
        self.failed_at_s: float | None = None
        """When whoever keeps it supplied last failed, in unix seconds; None: not since the start."""

    @property
    def current(self) -> Sequence[Certificate]:
        """The one in use; empty before the first."""
        return () if self._certificate is None else (self._certificate,)

    @property
    def context(self) -> ssl.SSLContext | None:
        """What a new connection is to be given; None before the first certificate."""
        return self._context

    def failed(self, problem: str, at_s: float) -> None:
        """Whoever keeps it supplied could not, at that unix time; `problem` is shown to anybody."""
        self.problem, self.failed_at_s = problem, at_s

    async def first(self) -> None:
        """Return as soon as there is one."""
        await self._first.wait()

    async def adopt(self, credentials: Credentials) -> None:
        """Serve these from now on, and show their evidence: both in one turn of the event loop, once it is complete.

        Raises AttestError, and then everything is as it was.
        """
        context = server_context(credentials)
        prepared = await self._evidence.prepare([credentials.certificate], credentials.acme_account)
        prepared.publish()
        self._certificate, self._context, self.problem = credentials.certificate, context, None
        self._first.set()

"""The attestation of one node: quotes, evidence and their endpoints."""

import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from attest.certificates.port import Certificate, CurrentCertificates, Evidence
from attest.evidence import EvidenceMaker, EvidenceStore
from attest.evidence_folder import EvidenceFolder
from attest.guest_agent import GuestAgent
from attest.quote_queue import QuoteQueue
from node.attestation import routes
from node.attestation.service import AttestationService, EvidenceService, Identity, Platform
from node.http.endpoint import AnyEndpoint
from node.runtime.clock import Clock
from node.runtime.tasks import TaskSet
from node.settings import Settings


class NoCertificates:
    """Certificates of a node that terminates no TLS: a proxy in front of it does."""

    @property
    def current(self) -> Sequence[Certificate]:
        """No certificate."""
        return ()

    @property
    def problem(self) -> str | None:
        """No problem: there is no certificate to get."""
        return None

    @property
    def failed_at_s(self) -> float | None:
        """No failure: there is no certificate to get."""
        return None


class AttestationComponent:
    """Quotes and evidence of the platform behind `agent`.

    With `evidence_folder` set, a sidecar makes the evidence. Otherwise the node makes it of its own certificates.
    """

    def __init__(self, agent: GuestAgent, settings: Settings, clock: Clock | None = None) -> None:
        self._settings = settings
        self._clock = clock = clock or Clock()
        self.quotes = QuoteQueue(agent, settings, clock.monotonic)
        self._platform = Platform(agent, self.quotes, settings, clock.monotonic)
        self.evidence_store = EvidenceStore()
        self._folder: EvidenceFolder | None = None
        self.evidence: Evidence
        if settings.evidence_folder:
            folder, alone = Path(settings.evidence_folder), not settings.certificate_mode
            self._folder = EvidenceFolder(folder, self.evidence_store, clock.unix, clock.sleep, alone=alone)
            self.evidence = self._folder
        else:
            self.evidence = EvidenceMaker(self.quotes, self.evidence_store, clock.unix, clock.sleep)

    def endpoints(self, certificates: CurrentCertificates, identity: Identity) -> list[AnyEndpoint]:
        """Returns the endpoints at the host's root."""
        service = AttestationService(
            self._platform, self.evidence_store, certificates, identity, self._settings, self._clock.monotonic
        )
        return routes.endpoints(service, EvidenceService(self.evidence_store))

    def quote_age_s(self) -> float | None:
        """Returns the age of the quote of `/attestation` without a nonce; None before the first."""
        return self._platform.zero_quote.age_s()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Follow the sidecar's folder until the context ends; then cancel the calls under way."""
        tasks = TaskSet("attestation")
        if self._folder is not None:
            tasks.keep(self._folder.follow)
        try:
            yield
        finally:
            await tasks.stop()
            await self._platform.close()

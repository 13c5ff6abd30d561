"""The attestation of one node with its parts, endpoints and metrics."""

import contextlib
import math
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

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


@dataclass(frozen=True)
class NoCertificates:
    """Certificates of a node that leaves TLS to a proxy. Their absence is no failure."""

    current: Sequence[Certificate] = ()
    problem: str | None = None
    failed_at_s: float | None = None


class AttestationComponent:
    """Serves quotes and evidence of the platform behind `agent`.

    With `evidence_folder` set, a sidecar makes the evidence; otherwise the node does.
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
            # A node without certificates publishes each set as a whole, as the sidecar ends TLS.
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
        """Follows the sidecar's folder until the context ends, then cancels all calls."""
        tasks = TaskSet("attestation")
        if self._folder is not None:
            tasks.keep(self._folder.follow)
        try:
            yield
        finally:
            await tasks.stop()
            await self._platform.close()


class AgentContact:
    """Time and result of the last health check of the guest agent. `monotonic` is in seconds."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._answered_at: float | None = None
        self.reachable: bool | None = None
        """Whether the last check succeeded; None before the first."""

    def succeeded(self) -> None:
        """Records a response."""
        self.reachable, self._answered_at = True, self._monotonic()

    def failed(self) -> None:
        """Records that no response came in time."""
        self.reachable = False

    def age_s(self) -> float | None:
        """Returns the seconds since the last response; None before the first."""
        return None if self._answered_at is None else self._monotonic() - self._answered_at


class AttestationMetrics(Collector):
    """Exports certificate, guest agent and approval. NaN means unknown, or no certificate.

    `compose_allowed` returns whether the app's contract allows the running compose hash, or None.
    """

    def __init__(
        self,
        registry: CollectorRegistry,
        certificates: CurrentCertificates,
        contact: AgentContact,
        compose_allowed: Callable[[], bool | None],
    ) -> None:
        self._compose_allowed = compose_allowed
        self._certificates = certificates
        self._contact = contact
        registry.register(self)

    def collect(self) -> Iterable[Metric]:
        """Returns the present values."""
        yield from self._of_certificate()
        yield _gauge(
            "svc_guest_agent_reachable", "Whether the guest agent answered last: 1 or 0.", self._contact.reachable
        )
        yield _gauge(
            "svc_guest_agent_answer_age_seconds",
            "Since the guest agent's last answer to a health check.",
            self._contact.age_s(),
        )
        yield _gauge(
            "svc_compose_hash_allowed",
            "Whether the app's contract allows the running compose hash: 1 or 0; NaN: unknown.",
            self._compose_allowed(),
        )

    def _of_certificate(self) -> Iterable[Metric]:
        # An alarm concerns the certificate that expires first.
        first = min(self._certificates.current, key=lambda each: each.not_after_s, default=None)
        yield _gauge(
            "svc_certificate_not_before_timestamp_seconds",
            "When the life of the certificate in use began, in unix seconds.",
            None if first is None else first.not_before_s,
        )
        yield _gauge(
            "svc_certificate_not_after_timestamp_seconds",
            "When the certificate in use expires, in unix seconds; of several the first.",
            None if first is None else first.not_after_s,
        )
        yield _gauge(
            "svc_certificate_renewal_failing",
            "1: a certificate is wanted, and the last attempt to get one failed.",
            self._certificates.problem is not None,
        )
        yield _gauge(
            "svc_certificate_last_failure_timestamp_seconds",
            "When an attempt to get a certificate last failed, in unix seconds; NaN: none has since the start.",
            self._certificates.failed_at_s,
        )


def _gauge(name: str, meaning: str, value: float | None) -> Metric:
    return GaugeMetricFamily(name, meaning, value=math.nan if value is None else float(value))

"""Metrics of certificate and guest agent. Reading them asks neither."""

import math
from collections.abc import Callable, Iterable

from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from attest.certificates.port import CurrentCertificates


class AgentContact:
    """Outcome and time of the last health check of the guest agent. `monotonic` is a clock in seconds."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._answered_at: float | None = None
        self.reachable: bool | None = None
        """Whether the last check succeeded; None before the first."""

    def succeeded(self) -> None:
        """Record a response."""
        self.reachable, self._answered_at = True, self._monotonic()

    def failed(self) -> None:
        """Record that no response came in time."""
        self.reachable = False

    def age_s(self) -> float | None:
        """Returns the seconds since the last response; None before the first."""
        return None if self._answered_at is None else self._monotonic() - self._answered_at


class AttestationMetrics(Collector):
    """Exports certificate, contact and approval. An unknown value is NaN: a node that terminates no TLS has no certificate.

    `compose_allowed` returns whether the app's contract allows the running compose hash; None: unknown.
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
        """Returns the values as of now."""
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

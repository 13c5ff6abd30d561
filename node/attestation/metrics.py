"""Certificate and guest agent as Prometheus is shown them; neither is asked for it."""

import math
from collections.abc import Iterable

from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from attest.certificates.port import CurrentCertificates
from node.attestation.contact import AgentContact


class AttestationMetrics(Collector):
    """Shows what these two know; what they do not is NaN: a node that ends no TLS has no certificate."""

    def __init__(self, registry: CollectorRegistry, certificates: CurrentCertificates, contact: AgentContact) -> None:
        self._certificates = certificates
        self._contact = contact
        registry.register(self)

    def collect(self) -> Iterable[Metric]:
        """As of now."""
        yield from self._of_certificate()
        yield _gauge(
            "svc_guest_agent_reachable", "Whether the guest agent answered last: 1 or 0.", self._contact.reachable
        )
        yield _gauge(
            "svc_guest_agent_answer_age_seconds",
            "Since the guest agent's last answer to a health check.",
            self._contact.age_s(),
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

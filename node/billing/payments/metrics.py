"""Metrics of card payments; no label names an account."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge


class PaymentMetrics:
    """Counters and gauges for Prometheus. `unix` is unix time in seconds."""

    def __init__(self, registry: CollectorRegistry, unix: Callable[[], float]) -> None:
        self._unix = unix
        self._swept_s = unix()
        self._postings = Counter(
            "svc_processor_postings", "Changes of credit by the card processor.", ["kind"], registry=registry
        )
        self._waiting = Gauge(
            "svc_processor_outbox_rows", "What is yet to be sent to the card processor.", ["kind"], registry=registry
        )
        self._oldest = Gauge(
            "svc_processor_outbox_oldest_seconds", "Age of the oldest of it; 0: nothing waits.", registry=registry
        )
        lag = Gauge("svc_processor_sweep_lag_seconds", "Since the begin of the last whole sweep.", registry=registry)
        lag.set_function(lambda: max(0.0, self._unix() - self._swept_s))
        self._webhooks = Counter(
            "svc_processor_webhooks", "Webhook calls, by what became of them.", ["result"], registry=registry
        )

    def posted(self, cause: str) -> None:
        """Count a change of credit; the part of `cause` before its colon is the kind."""
        self._postings.labels(cause.partition(":")[0]).inc()

    def outbox(self, deltas: int, customers: int, oldest_s: float) -> None:
        """Set how much waits in the outbox, and since how many seconds."""
        self._waiting.labels("balance").set(deltas)
        self._waiting.labels("customer").set(customers)
        self._oldest.set(oldest_s)

    def swept(self, begun_s: float) -> None:
        """Note the begin (unix seconds) of a sweep that ended well, here or on another node."""
        self._swept_s = max(self._swept_s, begun_s)

    def webhook(self, result: str) -> None:
        """Count a call of the webhook: "accepted", "bad_signature", "unreadable", "too_large"."""
        self._webhooks.labels(result).inc()

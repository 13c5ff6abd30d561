"""Metrics of runs that were paid for, and of runs that a node left unfinished."""

from typing import Final

from prometheus_client import CollectorRegistry, Gauge

from node.ledger.port import MICRODOLLARS_PER_CENT, Ledger
from node.runtime.counts import Counts, Durations

_BUCKETS_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0, 900.0)


class LostRuns:
    """Implements RunRecall for runs whose node ended before it responded."""

    def __init__(self, ledger: Ledger, registry: CollectorRegistry) -> None:
        self._ledger = ledger
        documentation = "Runs with an Idempotency-Key whose node ended before it answered them."
        self._lost = Counts("svc_executions_outcome_unknown", documentation, [], registry)
        self._lost.begin()

    async def charged_cents(self, cause: str, account: int | None) -> int:
        """Recalls a run. See RunRecall. Raises LedgerUnavailableError."""
        # Release first: the node may still run it, and must not charge after this response.
        await self._ledger.release(cause, account)
        charged = await self._ledger.charged(cause)
        self._lost.add()
        return charged // MICRODOLLARS_PER_CENT


class ExecutionMetrics:
    """Prometheus metrics of every run that was authorised and paid for."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._runs = Counts("svc_executions", "Actions that ran, by how they ended.", ["result"], registry)
        self._running = 0
        running = Gauge("svc_executions_in_progress", "Actions running now.", registry=registry)
        running.set_function(lambda: self._running)
        self._duration = Durations("svc_execution_duration_seconds", "From dispatch to the end.", _BUCKETS_S, registry)

    def started(self) -> None:
        """Counts one more running action."""
        self._running += 1

    def ended(self, result: str, duration_s: float) -> None:
        """Counts an end: "ok", a StopReason, "error", "cancelled" or "node_fault"."""
        self._running -= 1
        self._runs.add(result)
        self._duration.add(duration_s)

"""Metrics of actions: by how they ended, and for how long they ran. Labels are a closed set."""

from typing import Final, Protocol

from prometheus_client import CollectorRegistry, Gauge

from node.runtime.counts import Counts, Durations

_BUCKETS_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0, 900.0)


class ExecutionObserver(Protocol):
    """Observer of every run that was authorised and paid for."""

    def started(self) -> None:
        """Count one more running."""
        ...

    def ended(self, result: str, duration_s: float) -> None:
        """`result` is one of `node.execution.service`'s: "ok", a limit's name, "error", "cancelled", "node_fault"."""
        ...


class ExecutionMetrics:
    """An ExecutionObserver that shows its counts to Prometheus."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._runs = Counts("svc_executions", "Actions that ran, by how they ended.", ["result"], registry)
        self._running = 0
        running = Gauge("svc_executions_in_progress", "Actions running now.", registry=registry)
        running.set_function(lambda: self._running)
        self._duration = Durations("svc_execution_duration_seconds", "From dispatch to the end.", _BUCKETS_S, registry)

    def started(self) -> None:
        """Count one more running."""
        self._running += 1

    def ended(self, result: str, duration_s: float) -> None:
        """Count one as ended."""
        self._running -= 1
        self._runs.add(result)
        self._duration.add(duration_s)

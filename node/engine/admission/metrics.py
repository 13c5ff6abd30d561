"""Metrics of admission: waiting, refusals, memory, workers."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge

from node.runtime.counts import Durations

_BUCKETS_S: Final = (0.0001, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class AdmissionMetrics:
    """Counts for Prometheus; labels are a closed set."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._queue = Gauge("svc_action_queue_length", "Actions waiting to be admitted.", registry=registry)
        self._waited = Durations(
            "svc_action_queue_wait_seconds", "Time that actions waited to be admitted.", _BUCKETS_S, registry
        )
        self._refused = Counter(
            "svc_action_queue_refusals", "Actions that were not admitted, by reason.", ["reason"], registry=registry
        )
        self._shed = Counter("svc_action_sheds", "Actions ended because the node lacked memory.", registry=registry)
        self._available = Gauge(
            "svc_action_memory_available_bytes", "What the container has left, reserve included.", registry=registry
        )
        self._workers = Gauge(
            "svc_action_workers", "Processes that run actions, by what they do.", ["state"], registry=registry
        )

    def watch(self, waiting: Callable[[], int]) -> None:
        """Show the number of waiting actions, read at each scrape."""
        self._queue.set_function(waiting)

    def watch_workers(self, counts: Callable[[], Mapping[str, int]]) -> None:
        """Show the numbers of workers, read at each scrape."""
        for state in ("busy", "idle", "spare"):
            self._workers.labels(state).set_function(partial(_count, counts, state))

    def waited(self, seconds: float) -> None:
        """Count the wait of an action that was admitted."""
        self._waited.add(seconds)

    def refused(self, reason: str) -> None:
        """Count a refusal: "full" or "waited"."""
        self._refused.labels(reason).inc()

    def shed(self) -> None:
        """Count an action that was ended."""
        self._shed.inc()

    def memory(self, available_bytes: int) -> None:
        """Set the memory that was measured."""
        self._available.set(available_bytes)


def _count(counts: Callable[[], Mapping[str, int]], state: str) -> int:
    return counts()[state]

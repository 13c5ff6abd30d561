"""What /health says part by part, as Prometheus is shown it: as of the last time anybody asked. Nothing is probed."""

from collections.abc import Callable, Iterable, Mapping

from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from node.status.health import Component, ProbeResult
from node.status.models import ComponentStatus


class HealthMetrics(Collector):
    """Shows what `latest` says of each component that was probed; `instance` is the name payers are derived by."""

    def __init__(
        self, registry: CollectorRegistry, latest: Callable[[], Mapping[Component, ProbeResult]], instance: str
    ) -> None:
        self._latest = latest
        self._instance = instance
        registry.register(self)

    def collect(self) -> Iterable[Metric]:
        """As of now."""
        components = GaugeMetricFamily(
            "svc_component_status", "1 for the status /health tells of a component.", labels=["component", "status"]
        )
        for component, result in self._latest().items():
            for status in ComponentStatus:
                components.add_metric([component, status], float(result.status is status))
        yield components
        named = GaugeMetricFamily("svc_instance_info", "The id this instance's payers follow from.", labels=["id"])
        named.add_metric([self._instance], 1.0)
        yield named

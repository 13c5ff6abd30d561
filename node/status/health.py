"""Health of the node from that of its components, for /health and for metrics."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Final, Literal, Protocol

from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from node.runtime.single_flight import TtlCache
from node.status.models import ComponentStatus

PROBE_TIMEOUT_S: Final = 2.0
"""A component that has not responded by then is down. Below the time-out of a load balancer's health check."""
PROBE_MAX_AGE_S: Final = 2.0
"""Age up to which a result is reused, so that /health cannot load the components."""
WATCH_INTERVAL_S: Final = 15.0
"""Interval of the node's own health checks, for metrics: the usual scrape interval of Prometheus."""


class Component(StrEnum):
    """Components whose health is published; each is a field of the response."""

    ACTION_RUNNER = "action_runner"
    CHAIN = "chain"
    BILLING = "billing"
    TEE = "tee"


ESSENTIAL: Final = frozenset({Component.ACTION_RUNNER, Component.CHAIN})
"""Components without which the node cannot serve."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """Health of one component. The note is public: it holds no URL and no secret."""

    status: ComponentStatus
    note: str | None = None


class HealthProbe(Protocol):
    """Port of a component's health check."""

    async def check(self) -> ProbeResult:
        """Returns the health of the component. An exception counts as down. Cancelled at the time-out."""
        ...


class HealthMonitor:
    """Checks every component, each at most once in PROBE_MAX_AGE_S. `monotonic` is a clock in seconds."""

    def __init__(self, probes: Mapping[Component, HealthProbe], monotonic: Callable[[], float]) -> None:
        # At the start and not at the first /health: a missing probe would look like a healthy component.
        if probes.keys() != set(Component):
            raise ValueError("Every component needs a probe.")
        self._probes = {
            component: TtlCache(partial(_checked, probe), PROBE_MAX_AGE_S, monotonic)
            for component, probe in probes.items()
        }

    async def findings(self) -> Mapping[Component, ProbeResult]:
        """Returns the health of all components, checked concurrently."""
        results = await asyncio.gather(*(probe.get() for probe in self._probes.values()))
        return dict(zip(self._probes, results, strict=True))

    def latest(self) -> Mapping[Component, ProbeResult]:
        """Returns the last result of each component without a check. A component never checked is missing."""
        found = {component: probe.latest for component, probe in self._probes.items()}
        return {component: result for component, result in found.items() if result is not None}

    async def close(self) -> None:
        """Cancel the checks under way."""
        for probe in self._probes.values():
            await probe.close()


async def _checked(probe: HealthProbe) -> ProbeResult:
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            return await probe.check()
    except TimeoutError:
        return ProbeResult(ComponentStatus.DOWN, f"no answer within {PROBE_TIMEOUT_S:g} s")
    except Exception as error:  # noqa: BLE001 - a probe that fails, however, shows a component that fails
        # By type alone: the note is public, and texts of errors hold URLs.
        return ProbeResult(ComponentStatus.DOWN, type(error).__name__)


def overall(findings: Mapping[Component, ProbeResult]) -> Literal["ok", "degraded", "down"]:
    """Returns down when an essential component is down, degraded when any is less than well, else ok."""
    # DEGRADED of an essential component still serves: a lag alone is never a 503 (spec 9.5).
    if any(findings[component].status is ComponentStatus.DOWN for component in ESSENTIAL):
        return "down"
    # What the settings switched off is not missing.
    well = {ComponentStatus.OK, ComponentStatus.OFF}
    return "ok" if all(result.status in well for result in findings.values()) else "degraded"


@contextlib.asynccontextmanager
async def watching(
    monitor: HealthMonitor, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
) -> AsyncIterator[None]:
    """Check at once and then every WATCH_INTERVAL_S until the context ends. A probe that fails or hangs ends nothing."""

    async def check_regularly() -> None:
        while True:
            await monitor.findings()
            await sleep(WATCH_INTERVAL_S)

    checking = asyncio.create_task(check_regularly())
    try:
        yield
    finally:
        # Before the monitor: a round that goes on would begin checks on what is closed.
        checking.cancel()
        await asyncio.gather(checking, return_exceptions=True)
        await monitor.close()


class HealthMetrics(Collector):
    """Exports the last result of each component. `instance` is the id that payers are derived from."""

    def __init__(
        self, registry: CollectorRegistry, latest: Callable[[], Mapping[Component, ProbeResult]], instance: str
    ) -> None:
        self._latest = latest
        self._instance = instance
        registry.register(self)

    def collect(self) -> Iterable[Metric]:
        """Returns the values as of the last check."""
        components = GaugeMetricFamily(
            "svc_component_status", "1 for the status /health tells of a component.", labels=["component", "status"]
        )
        # Every state of every component: an alarm on one that was never met would otherwise have no series.
        for component, result in self._latest().items():
            for status in ComponentStatus:
                components.add_metric([component, status], float(result.status is status))
        yield components
        named = GaugeMetricFamily("svc_instance_info", "The id this instance's payers follow from.", labels=["id"])
        named.add_metric([self._instance], 1.0)
        yield named

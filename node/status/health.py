"""The node's health from its parts, asked at most every few seconds and never waited for long."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, Protocol

from node.status.models import ComponentStatus


class Component(StrEnum):
    """The parts whose health is told; each is a field of the answer."""

    ACTION_RUNNER = "action_runner"
    CHAIN = "chain"
    BILLING = "billing"
    TEE = "tee"


ESSENTIAL: Final = frozenset({Component.ACTION_RUNNER, Component.CHAIN})
"""Without these the node cannot serve."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What a probe found; the note is shown to anybody, so it holds no URL and no secret."""

    status: ComponentStatus
    note: str | None = None


class HealthProbe(Protocol):
    """One part of the node that can tell how it does."""

    async def check(self) -> ProbeResult:
        """How it does now. What it raises counts as down; it is cancelled at the deadline."""
        ...


@dataclass(frozen=True, slots=True)
class HealthLimits:
    """Settings."""

    probe_deadline_s: float = 2.0
    """A part that has not answered by then is down."""
    probe_max_age_s: float = 2.0
    """How long a finding is told again, so that asking for health is no load."""
    watch_interval_s: float = 15.0
    """How often the node asks itself, for the metrics."""


class _CachedProbe:
    """A probe whose last finding is good for a while; callers at the same time share one check."""

    def __init__(self, probe: HealthProbe, limits: HealthLimits, clock: Callable[[], float]) -> None:
        self._probe = probe
        self._limits = limits
        self._clock = clock
        self._lock = asyncio.Lock()
        self._found: tuple[float, ProbeResult] | None = None

    async def check(self) -> ProbeResult:
        async with self._lock:
            if self._found is None or self._clock() - self._found[0] >= self._limits.probe_max_age_s:
                self._found = (self._clock(), await self._ask())
            return self._found[1]

    @property
    def latest(self) -> ProbeResult | None:
        """What was found last, however long ago; None before the first check."""
        return None if self._found is None else self._found[1]

    async def _ask(self) -> ProbeResult:
        try:
            async with asyncio.timeout(self._limits.probe_deadline_s):
                return await self._probe.check()
        except TimeoutError:
            return ProbeResult(ComponentStatus.DOWN, f"no answer within {self._limits.probe_deadline_s:g} s")
        except Exception as error:  # noqa: BLE001 - a probe that fails, however, tells of a part that fails
            return ProbeResult(ComponentStatus.DOWN, type(error).__name__)


class HealthMonitor:
    """Asks every part. `clock` is monotonic, in seconds."""

    def __init__(
        self, probes: Mapping[Component, HealthProbe], clock: Callable[[], float], limits: HealthLimits | None = None
    ) -> None:
        if probes.keys() != set(Component):
            raise ValueError("Every component needs a probe.")
        limits = limits or HealthLimits()
        self._probes = {component: _CachedProbe(probe, limits, clock) for component, probe in probes.items()}

    async def findings(self) -> Mapping[Component, ProbeResult]:
        """What every probe finds, asked at once."""
        results = await asyncio.gather(*(probe.check() for probe in self._probes.values()))
        return dict(zip(self._probes, results, strict=True))

    def latest(self) -> Mapping[Component, ProbeResult]:
        """What each probe found last, without asking it; those that were never asked are not there."""
        found = {component: probe.latest for component, probe in self._probes.items()}
        return {component: result for component, result in found.items() if result is not None}


def overall(findings: Mapping[Component, ProbeResult]) -> Literal["ok", "degraded", "down"]:
    """Down when an essential part is, degraded when any part is less than well, else ok."""
    if any(findings[component].status is ComponentStatus.DOWN for component in ESSENTIAL):
        return "down"
    well = {ComponentStatus.OK, ComponentStatus.OFF}
    return "ok" if all(result.status in well for result in findings.values()) else "degraded"

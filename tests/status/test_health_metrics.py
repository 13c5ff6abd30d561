"""Health as Prometheus is shown it: what was found last; the node asks itself now and then, and scrapes ask nobody."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from attest.errors import AttestError, AttestErrorCode
from attest.responses import Info
from node.attestation.component import AgentContact, AttestationMetrics, NoCertificates
from node.status.health import (
    WATCH_INTERVAL_S,
    Component,
    HealthMetrics,
    HealthMonitor,
    ProbeResult,
    guest_agent_probe,
    watching,
)
from node.status.models import ComponentStatus
from tests.support.clock import FakeClock, Waits

INSTANCE = "0123abcd"
NOTHING: dict[str, Any] = {}
INFO = Info.model_construct(**NOTHING)
"""Nobody looks into it."""


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.status.health.PROBE_TIMEOUT_S", 0.05)


class Probe:
    """A part of the node that does as the test says."""

    def __init__(self) -> None:
        self.found: ProbeResult | Exception = ProbeResult(ComponentStatus.OK)
        self.asked = 0

    async def check(self) -> ProbeResult:
        self.asked += 1
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


class Agent:
    """A guest agent that answers, refuses, or hangs."""

    def __init__(self) -> None:
        self.error: AttestError | None = None
        self.hangs = False
        self.asked = 0

    async def info(self) -> Info:
        self.asked += 1
        if self.hangs:
            await asyncio.Event().wait()
        if self.error is not None:
            raise self.error
        return INFO


@dataclass
class Node:
    """The parts, what is asked of them, and what is shown."""

    clock: FakeClock = field(default_factory=FakeClock)
    agent: Agent = field(default_factory=Agent)
    parts: dict[Component, Probe] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.waits, self.registry = Waits(self.clock), CollectorRegistry()
        contact = AgentContact(self.clock)
        self.parts |= {component: Probe() for component in Component if component is not Component.TEE}
        of_agent = partial(guest_agent_probe, self.agent.info, lambda: None, contact)
        probes = {component: part.check for component, part in self.parts.items()}
        self.monitor = HealthMonitor({**probes, Component.TEE: of_agent}, self.clock)
        HealthMetrics(self.registry, self.monitor.latest, INSTANCE)
        AttestationMetrics(self.registry, NoCertificates(), contact, lambda: None)

    def status(self, component: Component) -> list[str]:
        """The statuses shown as the present one."""
        return [status for status in ComponentStatus if self._shown(component, status) == 1.0]

    def _shown(self, component: Component, status: ComponentStatus) -> float | None:
        return self.registry.get_sample_value("svc_component_status", {"component": component, "status": status})

    def value(self, name: str) -> float | None:
        value = self.registry.get_sample_value(name)
        return None if value != value else value

    async def next_look(self) -> None:
        """Until the parts have been asked once more."""
        await self.waits.pass_by()
        await self.waits.waiting()


@pytest.fixture
async def node() -> AsyncIterator[Node]:
    here = Node()
    async with watching(here.monitor, here.waits.sleep):
        await here.waits.waiting()
        yield here


def test_before_anybody_asked_nothing_is_said() -> None:
    here = Node()
    assert all(here.status(component) == [] for component in Component)
    assert (here.value("svc_guest_agent_reachable"), here.value("svc_guest_agent_answer_age_seconds")) == (None, None)
    assert here.registry.get_sample_value("svc_instance_info", {"id": INSTANCE}) == 1.0


async def test_the_node_asks_itself_and_shows_what_it_found(node: Node) -> None:
    assert all(node.status(component) == ["ok"] for component in Component)
    node.parts[Component.BILLING].found = ProbeResult(ComponentStatus.OFF)
    node.parts[Component.CHAIN].found = ProbeResult(ComponentStatus.DEGRADED, "why")
    node.parts[Component.ACTION_RUNNER].found = RuntimeError("http://user:password@host")
    began = node.clock.now
    await node.next_look()
    assert node.clock.now - began == WATCH_INTERVAL_S
    assert node.status(Component.BILLING) == ["off"]
    assert node.status(Component.CHAIN) == ["degraded"]
    assert node.status(Component.ACTION_RUNNER) == ["down"], "and the watch goes on"
    text = generate_latest(node.registry).decode()
    assert not any(told in text for told in ("password", "http", "why"))
    node.parts[Component.ACTION_RUNNER].found = ProbeResult(ComponentStatus.OK)
    await node.next_look()
    assert node.status(Component.ACTION_RUNNER) == ["ok"]


async def test_a_scrape_asks_no_part_and_no_guest_agent(node: Node) -> None:
    node.clock.advance(1000.0)
    asked = [node.agent.asked, *(part.asked for part in node.parts.values())]
    for _ in range(10):
        generate_latest(node.registry)
        await asyncio.sleep(0)
    assert [node.agent.asked, *(part.asked for part in node.parts.values())] == asked


@pytest.mark.parametrize("hangs", [False, True])
async def test_a_guest_agent_that_does_not_answer_shows_and_its_last_answer_ages(node: Node, *, hangs: bool) -> None:
    assert (node.value("svc_guest_agent_reachable"), node.value("svc_guest_agent_answer_age_seconds")) == (1.0, 0.0)
    node.agent.hangs, node.agent.error = hangs, AttestError(AttestErrorCode.UNREACHABLE, "Info: it is not there.")
    await node.next_look()
    assert node.status(Component.TEE) == ["down"]
    assert node.value("svc_guest_agent_reachable") == 0.0
    assert node.value("svc_guest_agent_answer_age_seconds") == WATCH_INTERVAL_S
    node.agent.hangs, node.agent.error = False, None
    await node.next_look()
    assert (node.value("svc_guest_agent_reachable"), node.value("svc_guest_agent_answer_age_seconds")) == (1.0, 0.0)

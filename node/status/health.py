"""Health of the node and its components for /health and metrics, public and without URLs.

`HealthMonitor` runs the probes. The probes and reports of each component follow it.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from typing import Final, Literal, TypeAlias

from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from attest.certificates.port import CurrentCertificates
from attest.errors import AttestError
from node.attestation.component import AgentContact, AttestationComponent
from node.chain.assembly import ChainComponent
from node.chain.foreign_contracts import ComposeApproval
from node.chain.writes.payer_status import PayersStatus
from node.engine.process_engine import ProcessEngine
from node.errors import DomainError
from node.runtime.single_flight import TtlCache
from node.status.models import (
    AccountContractState,
    AttestationState,
    AuthorisationCacheSize,
    ChainHead,
    ComponentStatus,
    Freshness,
    RpcEndpointState,
    ScheduledOwnerChange,
    Tee,
)

PROBE_TIMEOUT_S: Final = 2.0
"""Time after which a component counts as down, shorter than a load balancer's time-out."""
PROBE_MAX_AGE_S: Final = 2.0
"""Age up to which a result is reused, so that /health cannot load the components."""
WATCH_INTERVAL_S: Final = 15.0
"""Interval of the node's own health checks, which is the usual scrape interval of Prometheus."""


class Component(StrEnum):
    """Components with published health; each is a field of the response."""

    ACTION_RUNNER = "action_runner"
    CHAIN = "chain"
    BILLING = "billing"
    TEE = "tee"


ESSENTIAL: Final = frozenset({Component.ACTION_RUNNER, Component.CHAIN})
"""Components without which the node cannot serve."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """Health of one component. The note is public and has no URL or secret."""

    status: ComponentStatus
    note: str | None = None


Probe: TypeAlias = Callable[[], Awaitable[ProbeResult]]
"""Checks the health of one component. An exception or a time-out counts as down."""


class HealthMonitor:
    """Checks each component at most once in PROBE_MAX_AGE_S. `monotonic` is a clock in seconds."""

    def __init__(self, probes: Mapping[Component, Probe], monotonic: Callable[[], float]) -> None:
        # Refuse at the start, as a missing probe would look like a healthy component.
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
        """Returns the last result of each component that has been checked, without a check."""
        found = {component: probe.latest for component, probe in self._probes.items()}
        return {component: result for component, result in found.items() if result is not None}

    async def close(self) -> None:
        """Cancels the checks in progress."""
        for probe in self._probes.values():
            await probe.close()


async def _checked(probe: Probe) -> ProbeResult:
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            return await probe()
    except TimeoutError:
        return ProbeResult(ComponentStatus.DOWN, f"no answer within {PROBE_TIMEOUT_S:g} s")
    except Exception as error:  # noqa: BLE001 - any failure of a probe is its component's
        # Publish only the type, since texts of errors contain URLs.
        return ProbeResult(ComponentStatus.DOWN, type(error).__name__)


def overall(findings: Mapping[Component, ProbeResult]) -> Literal["ok", "degraded", "down"]:
    """Returns down if an essential component is down, degraded if any has a problem, else ok."""
    # A degraded essential component still serves, so a lag alone is not a 503 (spec 9.5).
    if any(findings[component].status is ComponentStatus.DOWN for component in ESSENTIAL):
        return "down"
    # A component that the settings switched off counts as well.
    well = {ComponentStatus.OK, ComponentStatus.OFF}
    return "ok" if all(result.status in well for result in findings.values()) else "degraded"


@contextlib.asynccontextmanager
async def watching(
    monitor: HealthMonitor, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
) -> AsyncIterator[None]:
    """Checks at once and then every WATCH_INTERVAL_S until the context ends."""

    async def check_regularly() -> None:
        while True:
            await monitor.findings()
            await sleep(WATCH_INTERVAL_S)

    checking = asyncio.create_task(check_regularly())
    try:
        yield
    finally:
        # Cancel before closing the monitor, or another round would check closed components.
        checking.cancel()
        await asyncio.gather(checking, return_exceptions=True)
        await monitor.close()


class HealthMetrics(Collector):
    """Exports the last result of each component, and `instance`, which payers derive from."""

    def __init__(
        self, registry: CollectorRegistry, latest: Callable[[], Mapping[Component, ProbeResult]], instance: str
    ) -> None:
        self._latest = latest
        self._instance = instance
        registry.register(self)

    def collect(self) -> Iterable[Metric]:
        """Returns the values of the last check."""
        components = GaugeMetricFamily(
            "svc_component_status", "1 for the status /health tells of a component.", labels=["component", "status"]
        )
        # Export every state, since an alarm on a state that never occurred needs a series.
        for component, result in self._latest().items():
            for status in ComponentStatus:
                components.add_metric([component, status], float(result.status is status))
        yield components
        named = GaugeMetricFamily("svc_instance_info", "The id this instance's payers follow from.", labels=["id"])
        named.add_metric([self._instance], 1.0)
        yield named


def degraded_by(problem: str | None) -> ProbeResult:
    """Returns the health of a working component, degraded if there is a problem."""
    return ProbeResult(ComponentStatus.OK if problem is None else ComponentStatus.DEGRADED, problem)


class ChainProbe:
    """Checks the RPC quorum by `agree`, every provider, the listener's lag and the payers.

    A listener has stalled if it lags more than `stalled_after_s`. Before its first poll, the lag
    counts from the making of this probe. `clock` is in monotonic seconds.
    """

    def __init__(
        self,
        agree: Callable[[], Awaitable[object]],
        report: Callable[[], Freshness],
        payers: Callable[[], PayersStatus],
        stalled_after_s: float,
        clock: Callable[[], float],
    ) -> None:
        self._agree = agree
        self._report = report
        self._payers = payers
        self._stalled_after_s = stalled_after_s
        self._clock = clock
        self._made_at = clock()

    async def check(self) -> ProbeResult:
        """Returns down without an agreed head, degraded if anything else is wrong."""
        try:
            await self._agree()
        except DomainError as error:
            return ProbeResult(ComponentStatus.DOWN, error.message)
        # Report all problems, or one provider's outage would hide that the gas runs out.
        problems = [
            problem for problem in (self._of_reading(), self._of_paying(), self._of_owner()) if problem is not None
        ]
        return degraded_by("; ".join(problems) or None)

    def _of_reading(self) -> str | None:
        report = self._report()
        ill = [str(endpoint.number) for endpoint in report.rpc_endpoints if not endpoint.healthy]
        if ill:
            return f"RPC endpoints that do not answer: {', '.join(ill)}"
        # Before the first poll count from the start, or a listener that never polls is hidden.
        lag_s = report.account_event_listener_lag_seconds
        if lag_s is None:
            lag_s = self._clock() - self._made_at
        if lag_s > self._stalled_after_s:
            return f"the listener of account events lags {lag_s:.0f} s; cached decisions are kept for a shorter time"
        return None

    def _of_paying(self) -> str | None:
        status = self._payers()
        if status.problem is not None:
            return status.problem
        if status.read_age_s is None:
            return "payers' balances are not known yet: they have not been read since the start"
        # Degraded and not down, since reads and actions need no payer.
        idle = [payer.address for payer in status.payers if not payer.ready]
        return f"payers without gas or not named yet: {', '.join(idle)}" if idle else None

    def _of_owner(self) -> str | None:
        read = self._payers().administration
        if read is None or read.scheduled is None:
            return None
        due = datetime.fromtimestamp(read.scheduled.effective_at, UTC)
        return (
            f"the contract's owner {read.owner} has scheduled {read.scheduled.admin_payer} as admin payer, from "
            f"{due:%Y-%m-%d %H:%M:%S} UTC on: API-mode accounts are then its payers', for good if it is not this node's; cancelOwnerChange stops it"
        )


async def runner_probe(engine: ProcessEngine) -> ProbeResult:
    """Returns down if no action process can be started, degraded under memory pressure."""
    try:
        await engine.check()
    except DomainError as error:
        return ProbeResult(ComponentStatus.DOWN, error.message)
    return degraded_by(engine.strain)


async def guest_agent_probe(
    info: Callable[[], Awaitable[object]], problem: Callable[[], str | None], contact: AgentContact
) -> ProbeResult:
    """Returns down if the guest agent does not respond; actions with their keys continue.

    `problem` returns what is wrong with the published attestation. `contact` records the result.
    """
    try:
        await info()
    except AttestError as error:
        contact.failed()
        return ProbeResult(ComponentStatus.DOWN, f"guest agent: {error.code}")
    except BaseException:
        # Usually the cancellation by the probe's time-out, when the agent hangs.
        contact.failed()
        raise
    contact.succeeded()
    return degraded_by(problem())


async def billing_probe(alive: Callable[[], Awaitable[object]], report: Callable[[], ProbeResult]) -> ProbeResult:
    """Returns down if the ledger is unavailable, since nothing that costs runs then.

    Otherwise returns the result of `report`, the health of buying credit.
    """
    try:
        await alive()
    except DomainError as error:
        return ProbeResult(ComponentStatus.DOWN, f"ledger: {error.message}")
    return report()


def administration(status: PayersStatus) -> AccountContractState:
    """Returns the administration of the account contract from the last funding round."""
    read = status.administration
    scheduled = None if read is None else read.scheduled
    return AccountContractState(
        admin_payer=status.admin_state.value,
        admin_payer_replacements=None if read is None else read.admin_payer_replacements,
        owner=None if read is None else read.owner,
        owner_change_delay_seconds=None if read is None else read.owner_change_delay_s,
        scheduled_owner_change=None
        if scheduled is None
        else ScheduledOwnerChange(admin_payer=scheduled.admin_payer, effective_at=scheduled.effective_at),
        # Every payer in the contract writes API-mode accounts, so users must see foreign ones.
        payers_of_others=None if read is None else list(status.payers_of_others),
    )


def freshness(chain: ChainComponent, now: Callable[[], float]) -> Freshness:
    """Returns the state of the chain component without I/O. `now` is in unix seconds."""
    head, cache = chain.quorum.head, chain.authorisations
    # Followers have the order of the providers; a chain without a listener has none.
    followed = () if chain.listener is None else chain.listener.status()
    states: list[RpcEndpointState] = []
    for number, provider in enumerate(chain.rpc.providers, start=1):
        health, its_head = provider.health(), chain.quorum.head_of(provider)
        states.append(
            RpcEndpointState(
                number=number,
                healthy=health.healthy,
                block_number=None if its_head is None else its_head.number,
                latency_ms=None if health.latency_s is None else round(health.latency_s * 1000, 3),
                consecutive_faults=health.consecutive_faults,
                disagreements=chain.disagreements.count_of(provider.host),
                websocket=bool(followed) and followed[number - 1].websocket,
            )
        )
    return Freshness(
        account_event_listener_lag_seconds=chain.lag_s(),
        chain_head=None
        if head is None
        # A block's timestamp may be some seconds ahead of this machine's clock.
        else ChainHead(
            block_number=head.number, timestamp=head.timestamp, age_seconds=max(0.0, now() - head.timestamp)
        ),
        rpc_quorum=chain.client.quorum,
        rpc_endpoints=states,
        authorisation_cache=AuthorisationCacheSize(keys=cache.keys, readings=cache.readings),
    )


@dataclass(frozen=True, slots=True)
class AttestationReport:
    """Reports attestation, certificates and approval of the app. `now` is in unix seconds."""

    tee: Tee
    attestation: AttestationComponent
    certificates: CurrentCertificates
    approval: ComposeApproval
    now: Callable[[], float]

    def state(self) -> AttestationState:
        """Returns the present state without I/O."""
        age_s, current = self.attestation.quote_age_s(), self.attestation.evidence_store.current
        expiries = [certificate.not_after_s for certificate in self.certificates.current]
        return AttestationState(
            tee=self.tee,
            quote_age_seconds=None if age_s is None else round(age_s, 3),
            certificate_not_after=min(expiries, default=None),
            evidence_made_at=None if current is None else int(current.made_at_s),
            compose_hash_allowed=self.approval.allowed,
        )

    def problem(self) -> str | None:
        """Returns what is wrong with the published attestation; None if nothing is."""
        expired = any(certificate.not_after_s <= self.now() for certificate in self.certificates.current)
        # An expired certificate is more important than an old problem of its renewal.
        of_certificate = "the certificate has expired" if expired else self.certificates.problem
        # Report all: a failing renewal must not hide that the app is no longer approved.
        problems = [of_certificate, self.attestation.evidence_store.problem, self.approval.problem]
        return "; ".join(problem for problem in problems if problem is not None) or None

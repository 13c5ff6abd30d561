"""Builds node information and health for the endpoints from the parts of the node."""

import contextlib
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from typing import Final, Protocol

import structlog
from prometheus_client import CollectorRegistry
from pydantic import JsonValue

from attest.certificates.port import CurrentCertificates
from attest.errors import AttestError
from attest.guest_agent import GuestAgent
from node.attestation.component import AgentContact, AttestationComponent, AttestationMetrics
from node.chain.assembly import ChainComponent
from node.chain.foreign_contracts import AppIdentity, ComposeApproval
from node.chain.writes.payer_status import PayerMetrics
from node.chain.writes.payers import PayerPool
from node.engine.process_engine import ProcessEngine
from node.errors import DomainError
from node.runtime.single_flight import TtlCache
from node.settings import Settings
from node.status.health import (
    AttestationReport,
    ChainProbe,
    Component,
    HealthMetrics,
    HealthMonitor,
    Probe,
    administration,
    freshness,
    guest_agent_probe,
    overall,
    runner_probe,
    watching,
)
from node.status.limits import client_config
from node.status.models import (
    AccountContractState,
    AttestationState,
    ChainConfig,
    Freshness,
    Health,
    Tee,
    Version,
)

MAX_AGE_S: Final = 10.0
"""Maximum age of cached payers, equal to a listener's poll interval without a websocket."""
FAILED_MAX_AGE_S: Final = 1.0
"""Time for which a failed read is repeated, so that callers do not load failing providers."""
NAME: Final = "svc-node"
PACKAGE: Final = "svc-node"


class PayerReads(Protocol):
    """Port of the contract's payers, implemented by `node.chain.port.AccountReads`."""

    async def api_payers(self) -> Sequence[str]:
        """Returns the contract's payers, EIP-55. Raises NodeError `chain_unavailable`."""
        ...

    async def admin_api_payer(self) -> str:
        """Returns the contract's admin payer, EIP-55. Raises NodeError `chain_unavailable`."""
        ...


class RecentPayers:
    """Caches `reads` for MAX_AGE_S. Implements PayerReads. `monotonic` is a clock in seconds."""

    def __init__(self, reads: PayerReads, monotonic: Callable[[], float]) -> None:
        # No key is needed, and each read calls every provider.
        failed_s = FAILED_MAX_AGE_S
        self._payers = TtlCache(reads.api_payers, MAX_AGE_S, monotonic, errors=DomainError, error_max_age_s=failed_s)
        self._admin = TtlCache(
            reads.admin_api_payer, MAX_AGE_S, monotonic, errors=DomainError, error_max_age_s=failed_s
        )

    async def api_payers(self) -> Sequence[str]:
        """Returns the contract's payers, EIP-55. Raises NodeError `chain_unavailable`."""
        return await self._payers.get()

    async def admin_api_payer(self) -> str:
        """Returns the contract's admin payer, EIP-55. Raises NodeError `chain_unavailable`."""
        return await self._admin.get()


@dataclass(frozen=True, slots=True)
class StatusService:
    """Reports of the components, as of now or of their last read, without I/O.

    `isolation` names the optional isolation measures in force, `client_config` has every limit, and
    `insecure` names the stand-ins in use.
    """

    chain: ChainConfig
    payers: PayerReads
    version: Version
    monitor: HealthMonitor
    freshness: Callable[[], Freshness]
    contract: Callable[[], AccountContractState]
    attestation: Callable[[], AttestationState]
    isolation: Callable[[], Sequence[str]]
    client_config: Mapping[str, JsonValue]
    insecure: Sequence[str] = ()

    async def health(self) -> Health:
        """Returns the node's health, at most a few seconds old."""
        # The only await. The reports below are of one moment, since they need no I/O.
        findings = await self.monitor.findings()
        return Health(
            status=overall(findings),
            version=self.version.version,
            action_runner=findings[Component.ACTION_RUNNER].status,
            chain=findings[Component.CHAIN].status,
            billing=findings[Component.BILLING].status,
            tee=findings[Component.TEE].status,
            account_contract=self.contract(),
            attestation=self.attestation(),
            action_isolation=list(self.isolation()),
            notes={str(component): result.note for component, result in findings.items() if result.note is not None},
            insecure=list(self.insecure),
            **dict(self.freshness()),
        )


@dataclass(frozen=True, slots=True)
class ReportedComponents:
    """Components that /health reports. `insecure` names stand-ins; `instance` derives payers."""

    tee: Tee
    insecure: Sequence[str]
    instance: str
    chain: ChainComponent
    payers: PayerPool
    engine: ProcessEngine
    agent: GuestAgent
    attestation: AttestationComponent
    certificates: CurrentCertificates
    billing: Probe


@contextlib.asynccontextmanager
async def running_status(
    settings: Settings, parts: ReportedComponents, registry: CollectorRegistry
) -> AsyncIterator[StatusService]:
    """Provides the status service and its metrics, and checks the health, in its context."""
    payers, chain, contact = parts.payers, parts.chain, AgentContact(time.monotonic)
    approval = ComposeApproval(chain.quorum, partial(_identity, parts.agent))
    report = AttestationReport(parts.tee, parts.attestation, parts.certificates, approval, time.time)
    fresh = partial(freshness, chain, time.time)
    stalled_after_s = settings.authorisation_stalled_after_s
    probes: Mapping[Component, Probe] = {
        Component.CHAIN: ChainProbe(chain.quorum.look, fresh, payers.status, stalled_after_s, time.monotonic).check,
        Component.ACTION_RUNNER: partial(runner_probe, parts.engine),
        Component.TEE: partial(guest_agent_probe, parts.agent.info, report.problem, contact),
        Component.BILLING: parts.billing,
    }
    monitor = HealthMonitor(probes, time.monotonic)
    PayerMetrics(registry, payers.status, settings)
    AttestationMetrics(registry, parts.certificates, contact, lambda: approval.allowed)
    HealthMetrics(registry, monitor.latest, parts.instance)
    structlog.get_logger("node").info(
        "payers", instance=parts.instance, admin=payers.admin_address, payers=list(payers.addresses)
    )
    # Check without requests, since alarms by metrics must not depend on calls of /health.
    async with approval.checking(), watching(monitor):
        yield StatusService(
            chain=ChainConfig(
                chain_name=settings.chain_name,
                chain_id=settings.chain_id,
                testnet=settings.chain_testnet,
                token=settings.chain_token,
                contract_address=settings.contract_address,
            ),
            payers=RecentPayers(chain.reads, time.monotonic),
            version=await _version(settings, parts.agent),
            monitor=monitor,
            freshness=fresh,
            contract=lambda: administration(payers.status()),
            attestation=report.state,
            isolation=lambda: parts.engine.isolation,
            client_config=client_config(settings),
            insecure=parts.insecure,
        )


async def _identity(agent: GuestAgent) -> AppIdentity | None:
    # The agent's own probe reports its failure; the approval is then unknown.
    try:
        info = await agent.info()
    except AttestError:
        return None
    return AppIdentity(info.app_id, info.compose_hash or info.tcb_info.compose_hash)


async def _version(settings: Settings, agent: GuestAgent) -> Version:
    # Read once, since neither changes while the process runs.
    try:
        compose_hash: str | None = (await agent.info()).compose_hash.hex() or None
    except AttestError:
        compose_hash = None
    return Version(
        name=NAME,
        version=metadata.version(PACKAGE),
        commit=settings.source_commit or None,
        compose_hash=compose_hash,
    )

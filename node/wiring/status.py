"""What the node says of itself put together: /health and the endpoints beside it, and the same as metrics."""

import contextlib
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Final

import structlog
from prometheus_client import CollectorRegistry

from attest.certificates.port import CurrentCertificates
from attest.errors import AttestError
from attest.guest_agent import GuestAgent
from node.attestation.contact import AgentContact
from node.attestation.metrics import AttestationMetrics
from node.attestation.room import AttestationRoom
from node.chain.assembly import ChainRoom
from node.chain.writes.payer_status import PayerMetrics
from node.chain.writes.payers import PayerPool
from node.engine.process_engine import ProcessEngine
from node.settings import Settings
from node.status.health import Component, HealthLimits, HealthMonitor, HealthProbe
from node.status.metrics import HealthMetrics
from node.status.models import ChainConfig, Tee, Version
from node.status.payers import RecentPayers
from node.status.service import StatusService
from node.status.watch import watching
from node.wiring.attestation_report import AttestationReport
from node.wiring.client_config import client_config
from node.wiring.freshness import ChainReport, ContractReport
from node.wiring.probes import ChainProbe, EngineProbe, GuestAgentProbe
from node.wiring.sections import section

NAME: Final = "svc-node"
PACKAGE: Final = "svc-node"


@dataclass(frozen=True, slots=True)
class Parts:
    """What there is to tell of. `insecure` names the stand-ins in use; `instance` is the id that payers follow from."""

    tee: Tee
    insecure: Sequence[str]
    instance: str
    chain: ChainRoom
    payers: PayerPool
    engine: ProcessEngine
    agent: GuestAgent
    attestation: AttestationRoom
    certificates: CurrentCertificates
    billing: HealthProbe


@contextlib.asynccontextmanager
async def standing(settings: Settings, parts: Parts, registry: CollectorRegistry) -> AsyncIterator[StatusService]:
    """The node's word about itself, until the context ends; health is looked at all the while, for the metrics."""
    limits, contact = section(settings, HealthLimits), AgentContact(time.monotonic)
    report = AttestationReport(parts.tee, parts.attestation, parts.certificates, time.time)
    monitor = HealthMonitor(_probes(settings, parts, report, contact), time.monotonic, limits)
    PayerMetrics(registry, parts.payers.status, settings)
    AttestationMetrics(registry, parts.certificates, contact)
    HealthMetrics(registry, monitor.latest, parts.instance)
    payers = parts.payers
    structlog.get_logger("node").info(
        "payers", instance=parts.instance, admin=payers.admin_address, payers=list(payers.addresses)
    )
    async with watching(monitor, limits.watch_interval_s):
        yield StatusService(
            chain=_chain_config(settings),
            payers=RecentPayers(parts.chain.reads, time.monotonic),
            version=await _version(settings, parts.agent),
            monitor=monitor,
            freshness=ChainReport(parts.chain, time.time),
            contract=ContractReport(payers.status),
            attestation=report,
            engine=parts.engine,
            client_config=client_config(settings),
            insecure=parts.insecure,
        )


def _probes(
    settings: Settings, parts: Parts, report: AttestationReport, contact: AgentContact
) -> dict[Component, HealthProbe]:
    chain, freshness = parts.chain, ChainReport(parts.chain, time.time)
    stalled_after_s = settings.authorisation_stalled_after_s
    return {
        Component.CHAIN: ChainProbe(chain.quorum, freshness.report, parts.payers, stalled_after_s, time.monotonic),
        Component.ACTION_RUNNER: EngineProbe(parts.engine),
        Component.TEE: GuestAgentProbe(parts.agent, report.problem, contact),
        Component.BILLING: parts.billing,
    }


def _chain_config(settings: Settings) -> ChainConfig:
    return ChainConfig(
        chain_name=settings.chain_name,
        chain_id=settings.chain_id,
        testnet=settings.chain_testnet,
        token=settings.chain_token,
        contract_address=settings.contract_address,
    )


async def _version(settings: Settings, agent: GuestAgent) -> Version:
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

"""Node information: the status service, its metrics and the limits that clients see."""

import contextlib
import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from typing import Final

import structlog
from prometheus_client import CollectorRegistry
from pydantic import JsonValue

from attest.certificates.port import CurrentCertificates
from attest.errors import AttestError
from attest.guest_agent import GuestAgent
from node.attestation.component import AgentContact, AttestationComponent, AttestationMetrics
from node.chain.assembly import ChainComponent
from node.chain.contract.artifacts import GROUPS_MAX_PER_ACCOUNT, GROUPS_RESERVED_FOR_ACCOUNT_KEY
from node.chain.foreign_contracts import AppIdentity, ComposeApproval
from node.chain.writes.payer_status import PayerMetrics
from node.chain.writes.payers import PayerPool
from node.engine.process_engine import ProcessEngine
from node.engine.protocol import RESPONSE_VALUES_MAX
from node.keyring.signing import VALUES_MAX
from node.keyring.transactions import ACCESS_LIST_ENTRIES_MAX, ACCESS_LIST_STORAGE_KEYS_MAX, SIGNED_BYTES_MAX
from node.settings import Settings
from node.status.health import Component, HealthMetrics, HealthMonitor, HealthProbe, watching
from node.status.models import ChainConfig, Tee, Version
from node.status.service import RecentPayers, StatusService
from node.wiring.health import AttestationReport, ChainProbe, ChainReport, ContractReport, EngineProbe, GuestAgentProbe

SHOWN: Final = (
    "http_max_body_bytes",
    "action_code_bytes",
    "action_params_bytes",
    "action_timeout_s",
    "action_memory_bytes",
    "action_response_bytes",
    "action_log_bytes",
    "action_log_lines",
    "action_key_operations",
    "action_host_time_s",
    "egress_requests",
    "egress_response_body_bytes",
    "egress_request_body_bytes",
    "egress_timeout_s",
    "egress_redirects",
    "action_concurrent_max_per_account",
    "action_concurrent_max",
    "action_min_block_timeout_s",
    "explain_per_minute_per_account",
    "usage_export_max_rows",
    "usage_exports_per_minute_per_account",
    "name_bytes",
    "description_bytes",
    "list_max_entries_per_call",
    "http_idempotency_account_max_bytes",
    "http_idempotency_account_max_answers",
    "http_chain_reads_per_minute_per_account",
    "http_chain_reads_per_minute_per_address",
    "write_gas_limit_max",
    "http_mints_per_minute_per_address",
    "free_writes_per_hour_wei",
    "price_write_cents",
    "price_execution_cents_per_second",
)
"""Published settings: limits that a client meets, limits with a Retry-After, and prices (docs/api.md)."""

OF_THE_CONTRACT: Final[dict[str, JsonValue]] = {
    "groups_max_per_account": GROUPS_MAX_PER_ACCOUNT,
    "groups_reserved_for_account_key": GROUPS_RESERVED_FOR_ACCOUNT_KEY,
}
"""Limits that the account contract sets for every node."""


FIXED: Final[Mapping[str, JsonValue]] = {
    "action_response_values": RESPONSE_VALUES_MAX,
    "action_signed_bytes": SIGNED_BYTES_MAX,
    "action_access_list_entries": ACCESS_LIST_ENTRIES_MAX,
    "action_access_list_storage_keys": ACCESS_LIST_STORAGE_KEYS_MAX,
    "action_typed_data_values": VALUES_MAX,
}
"""Limits of what is signed, which are no settings: no chain and no wallet uses more."""


def client_config(settings: Settings) -> dict[str, JsonValue]:
    """Returns the published limits and prices by name."""
    shown: dict[str, JsonValue] = json.loads(settings.model_dump_json(include=set(SHOWN)))
    # JSON numbers are exact up to 2^53 in most clients (RFC 8259, 6): amounts of wei are decimal text.
    public = {name: str(shown[name]) if name.endswith("_wei") else shown[name] for name in SHOWN}
    return {**public, **OF_THE_CONTRACT, **FIXED}


NAME: Final = "svc-node"
PACKAGE: Final = "svc-node"


@dataclass(frozen=True, slots=True)
class ReportedComponents:
    """Components that /health reports. `insecure` names the stand-ins in use; payers are derived from `instance`."""

    tee: Tee
    insecure: Sequence[str]
    instance: str
    chain: ChainComponent
    payers: PayerPool
    engine: ProcessEngine
    agent: GuestAgent
    attestation: AttestationComponent
    certificates: CurrentCertificates
    billing: HealthProbe


@contextlib.asynccontextmanager
async def running_status(
    settings: Settings, parts: ReportedComponents, registry: CollectorRegistry
) -> AsyncIterator[StatusService]:
    """Provide the status service and its metrics, and check the health regularly, until the context ends."""
    contact = AgentContact(time.monotonic)
    approval = ComposeApproval(parts.chain.quorum, partial(_identity, parts.agent))
    report = AttestationReport(parts.tee, parts.attestation, parts.certificates, approval, time.time)
    monitor = HealthMonitor(_probes(settings, parts, report, contact), time.monotonic)
    PayerMetrics(registry, parts.payers.status, settings)
    AttestationMetrics(registry, parts.certificates, contact, lambda: approval.allowed)
    HealthMetrics(registry, monitor.latest, parts.instance)
    payers = parts.payers
    structlog.get_logger("node").info(
        "payers", instance=parts.instance, admin=payers.admin_address, payers=list(payers.addresses)
    )
    # Checked from the start and without requests: alarms by metrics must not depend on somebody asking /health.
    async with approval.checking(), watching(monitor):
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
    settings: Settings, parts: ReportedComponents, report: AttestationReport, contact: AgentContact
) -> dict[Component, HealthProbe]:
    chain, freshness = parts.chain, ChainReport(parts.chain, time.time)
    stalled_after_s = settings.authorisation_stalled_after_s
    return {
        Component.CHAIN: ChainProbe(
            chain.quorum.look, freshness.report, parts.payers.status, stalled_after_s, time.monotonic
        ),
        Component.ACTION_RUNNER: EngineProbe(parts.engine),
        Component.TEE: GuestAgentProbe(parts.agent.info, report.problem, contact),
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


async def _identity(agent: GuestAgent) -> AppIdentity | None:
    # An agent that does not answer is reported by its own probe; here the approval is only not known.
    try:
        info = await agent.info()
    except AttestError:
        return None
    return AppIdentity(info.app_id, info.compose_hash or info.tcb_info.compose_hash)


async def _version(settings: Settings, agent: GuestAgent) -> Version:
    # Once at the start: neither changes while the process runs.
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

"""Builds a serving node from its settings, and closes everything in reverse order.

One call here builds each component: node/wiring/components.py has chain, writes, credits and
actions, node/status/service.py node information, and listeners.py the listeners.
"""

import contextlib
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from typing import Final

import structlog
from aiohttp import web
from prometheus_client import CollectorRegistry
from pydantic import JsonValue

from attest.errors import AttestError
from attest.guest_agent import GuestAgent
from node.accounts import routes as accounts
from node.accounts.service import AccountService
from node.actions import routes as actions
from node.actions.service import ActionService
from node.attestation.component import AttestationComponent, NoCertificates
from node.attestation.service import Identity
from node.billing.charged_writes import MeteredWrites
from node.billing.charging import Prices
from node.chain.assembly import ChainComponent
from node.chain.reads import AccountReader
from node.chain.writes.payer_accounts import persisted_instance
from node.chainsecured import routes as chainsecured
from node.chainsecured.service import ChainSecuredService
from node.chainsecured.verification import AdminWallets, EnvelopeVerifier
from node.dashboard.assets import Dashboard, load_dashboard, processor_script
from node.dashboard.routes import add_dashboard
from node.database.sqlite import SqliteDatabase
from node.engine.admission.admission import Admission
from node.engine.admission.gate import AdmissionMetrics
from node.engine.process_engine import ProcessEngine
from node.errors import StartupRefusedError
from node.execution.host_calls import Derivation
from node.execution.metrics import ExecutionMetrics, LostRuns
from node.execution.service import ExecutionService
from node.groups import routes as groups
from node.groups.service import GroupService
from node.http.endpoint import AnyEndpoint
from node.http.openapi import ApiDescription
from node.http.server import HttpServices, create_application
from node.keyring.backend import require_native_backend
from node.keyring.enclave import EnclaveKeyring, obtain_root
from node.ledger.port import LedgerDatabase
from node.runtime.http_client import plain_session
from node.settings import Settings
from node.settings.published import published_settings
from node.status import routes as status
from node.status.models import Tee
from node.status.service import PACKAGE, ReportedComponents, running_status
from node.usage_keys import routes as usage_keys
from node.usage_keys.service import UsageKeyService
from node.wallets import routes as wallets
from node.wallets.service import WalletService
from node.wiring.components import (
    Credits,
    Wrap,
    action_egress,
    as_it_is,
    chain_writes,
    connect_chain,
    execution_endpoints,
    metered_writes,
    open_ledger,
    running_credits,
)
from node.wiring.listeners import Https, RunningNode, client_addresses, listening

DATABASE: Final = "node.sqlite3"
SIMULATED: Final = "TEE simulator behind the guest agent: no hardware vouches for anything"

FREE: Final = {"price_write_cents": 0, "price_execution_cents_per_second": 0}
"""Prices while billing is off, since a response states what was charged."""

_STORING_S: Final = 1.0
"""Time before the end of a stop at which keyed runs end, so that their responses are stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIns:
    """Stand-ins for real components in development, with announcements that they are insecure.

    `kms_public_key` is the 33-byte key in which the guest agent's key chain must end.
    `egress_allow_loopback` lets actions reach this machine. `api_without_tls` keeps the API on the
    HTTP port beside HTTPS. `tee` is the kind of platform. `wrap_ledger` changes the ledger.
    """

    kms_public_key: bytes
    insecure: Sequence[str] = ()
    egress_allow_loopback: bool = False
    api_without_tls: bool = False
    tee: Tee = "dstack"
    wrap_ledger: Wrap = as_it_is


@contextlib.asynccontextmanager
async def running_node(
    settings: Settings, stand_ins: StandIns, registry: CollectorRegistry | None = None
) -> AsyncIterator[RunningNode]:
    """Serves until the context ends, after running requests. `registry` holds the caller's metrics.

    Raises StartupRefusedError naming the setting, or DomainError if a dependency is unavailable.
    """
    require_native_backend()
    settings, dashboard = _priced(settings), _dashboard(settings)
    async with contextlib.AsyncExitStack() as stack:
        registry = CollectorRegistry() if registry is None else registry
        chain = await connect_chain(settings, await stack.enter_async_context(plain_session()), registry)
        agent = await stack.enter_async_context(GuestAgent(settings.guest_agent))
        attestation = AttestationComponent(agent, settings)
        await stack.enter_async_context(attestation.running())
        keyring = await _keyring(settings, agent, chain, stand_ins.kms_public_key)
        stand_ins = await _announced(stand_ins, agent)
        database, instance, ledger = await _databases(settings, stack)
        https = Https(settings, attestation.evidence, keyring, instance) if settings.certificate_mode else None
        certificates = NoCertificates() if https is None else https.served
        writes = await chain_writes(settings, chain, ledger, keyring, instance)
        credit = await stack.enter_async_context(
            running_credits(settings, chain, registry, ledger, keyring, stand_ins.wrap_ledger)
        )
        metered = await metered_writes(settings, writes, credit, ledger, registry)
        admission = Admission(settings, metrics=AdmissionMetrics(registry))
        engine = await stack.enter_async_context(ProcessEngine(settings, admission=admission))
        # Entered after credits and closed before them, so that a write ending late is settled.
        await stack.enter_async_context(writes.running(metered))
        stack.push_async_callback(metered.close)
        await stack.enter_async_context(chain.listening(database))
        verifier = EnvelopeVerifier(settings.chain_id, chain.wallet_contracts, time.time)
        endpoints = _subjects(settings, chain.reads, metered, keyring, credit, verifier)
        service = ExecutionService(
            authorisations=chain.authorisations,
            derivation=Derivation(keyring, chain.admins),
            engine=engine,
            keyring=keyring,
            ledger=credit.ledger,
            metrics=ExecutionMetrics(registry),
            egress=action_egress(settings, allow_loopback=stand_ins.egress_allow_loopback),
            prices=Prices.of(settings),
            settings=settings,
        )
        stack.push_async_callback(service.close)
        endpoints += execution_endpoints(settings, service, chain)
        endpoints += attestation.endpoints(certificates, await _identity(settings, chain, keyring, dashboard))
        reported = ReportedComponents(
            tee=stand_ins.tee,
            insecure=stand_ins.insecure,
            instance=instance,
            chain=chain,
            payers=writes.payers,
            engine=engine,
            agent=agent,
            attestation=attestation,
            certificates=certificates,
            billing=credit.probe,
        )
        endpoints += status.endpoints(await stack.enter_async_context(running_status(settings, reported, registry)))
        services = HttpServices(
            callers=chain.reads,
            cached_callers=chain.authorisations,
            wallets=AdminWallets(verifier, chain.reads),
            books=ledger.database,
            books_are_shared=bool(settings.ledger_url.get_secret_value()),
            keyring=keyring,
            writes=writes.writer,
            runs=LostRuns(credit.ledger, registry),
            registry=registry,
            addresses=client_addresses(settings),
        )
        application = create_application(endpoints, services, _described(stand_ins.insecure), settings)
        add_dashboard(application, dashboard)
        _stop_runs(application, service, settings)
        # Last, so that requests are accepted only while every part runs.
        yield await listening(settings, application, https, registry, stack, api_without_tls=stand_ins.api_without_tls)


def _stop_runs(application: web.Application, service: ExecutionService, settings: Settings) -> None:
    """Makes the application end its runs when it shuts down."""
    # Actions may run for minutes. Those without an Idempotency-Key end at once, the others late,
    # but with time to store their response, since they are never started again.
    keyed_s = max(0.0, settings.http_shutdown_timeout_s - _STORING_S)
    application.on_shutdown.append(lambda _: service.stop(keyed_s))


async def _keyring(
    settings: Settings, agent: GuestAgent, chain: ChainComponent, kms_public_key: bytes
) -> EnclaveKeyring:
    """Returns the app's keys if the contract accepts their payer. Raises StartupRefusedError."""
    # Require the pinned key, since the host could offer a key service of its own.
    root = await obtain_root(agent, kms_public_key)
    keyring = EnclaveKeyring(root.reveal(), settings.chain_id, settings.contract_address)
    # Check before any write, or new accounts would belong to the payers of another admin payer.
    await chain.require_admin_payer(keyring.admin_payer().address)
    return keyring


async def _databases(
    settings: Settings, stack: contextlib.AsyncExitStack
) -> tuple[SqliteDatabase, str, LedgerDatabase]:
    """Opens this machine's database, which keeps the instance's id, and the shared ledger."""
    # Private to the node's user, since other containers may share the volume.
    settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    database = await SqliteDatabase.open(settings.data_dir / DATABASE)
    stack.push_async_callback(database.close)
    instance = settings.instance_id or await persisted_instance(database)
    ledger = await open_ledger(settings, instance)
    stack.push_async_callback(ledger.close)
    return database, instance, ledger


def _subjects(
    settings: Settings,
    reads: AccountReader,
    writes: MeteredWrites,
    keyring: EnclaveKeyring,
    credit: Credits,
    verifier: EnvelopeVerifier,
) -> list[AnyEndpoint]:
    """Returns the endpoints with which users administer accounts in API and ChainSecured mode."""
    return [
        *accounts.endpoints(AccountService(writes, credit.new_accounts, keyring)),
        *usage_keys.endpoints(UsageKeyService(reads, writes, settings)),
        *wallets.endpoints(WalletService(reads, writes, keyring)),
        *groups.endpoints(GroupService(reads, writes, settings)),
        *actions.endpoints(ActionService(reads, writes)),
        *credit.endpoints,
        *chainsecured.endpoints(ChainSecuredService(verifier, reads, keyring, writes)),
    ]


def _priced(settings: Settings) -> Settings:
    """Returns the settings with the prices that are charged."""
    # For all parts at once, so that all charge the same prices.
    return settings.model_copy(update=FREE) if settings.billing == "off" else settings


def _dashboard(settings: Settings) -> Dashboard | None:
    """Returns the files of the dashboard; None if it is off. Raises StartupRefusedError."""
    if settings.dashboard == "off":
        return None
    return load_dashboard(None if settings.billing == "off" else processor_script(settings))


async def _identity(
    settings: Settings, chain: ChainComponent, keyring: EnclaveKeyring, dashboard: Dashboard | None
) -> Identity:
    """Returns the statement's identity with domain, settings, contract, dashboard and payer."""
    config: dict[str, JsonValue] = {
        **published_settings(settings),
        "account_contract": await chain.attested_contract(),
        "dashboard": None if dashboard is None else {"manifest_sha256": dashboard.manifest_sha256},
    }
    return Identity(settings.domain, config, keyring.admin_payer().address)


async def _announced(stand_ins: StandIns, agent: GuestAgent) -> StandIns:
    """Announces a simulator behind the guest agent, also when the operator pinned its key.

    Raises StartupRefusedError if the agent does not respond.
    """
    try:
        simulated = (await agent.info()).says_simulator
    except AttestError as error:
        raise StartupRefusedError("guest_agent", error.message) from None
    if not simulated:
        return stand_ins
    # A pinned key does not help, since the operator of a simulator knows its root.
    structlog.get_logger("node").warning("insecure", reason=SIMULATED)
    if stand_ins.tee == "simulator":
        return stand_ins
    return replace(stand_ins, tee="simulator", insecure=(SIMULATED, *stand_ins.insecure))


def _described(insecure: Sequence[str]) -> ApiDescription:
    """Returns the head of the API page, which warns if the node has insecure stand-ins."""
    text = "Accounts on chain, wallets in the TEE, and actions that sign with them."
    if insecure:
        reasons = "\n".join(f"* {reason}" for reason in insecure)
        text = f"# INSECURE development node\n\n{reasons}\n\n{text}"
    return ApiDescription(PACKAGE, metadata.version(PACKAGE), text)

"""The only place that wires things together: from settings to a node that serves, and everything closed in order."""

import contextlib
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Final

import aiohttp
import structlog
from prometheus_client import CollectorRegistry

from attest.errors import AttestError
from attest.evidence.limits import EvidenceLimits
from attest.guest_agent import GuestAgent, GuestAgentLimits
from attest.quote_queue import QuoteLimits
from node.accounts import routes as accounts
from node.accounts.service import AccountService
from node.actions import routes as actions
from node.actions.service import ActionService
from node.attestation.limits import AttestationLimits
from node.attestation.room import AttestationRoom, NoCertificates, RoomLimits
from node.attestation.service import Identity
from node.billing.free_writes import FreeWriteBudget
from node.billing.metering import MeteredWrites
from node.billing.pricing import Prices
from node.chain.admins.limits import AdminHistoryLimits
from node.chain.assembly import ChainLimits, ChainPlace, ChainRoom
from node.chain.authorisations.limits import AuthorisationLimits
from node.chain.listener import ListenerLimits
from node.chain.quorum.limits import QuorumLimits
from node.chain.reads import AccountReader
from node.chain.rpc import JsonRpc, RpcLimits
from node.chain.wallet_contracts import WalletContractLimits
from node.chain.writes.assembly import ChainWrites, WritesWiring
from node.chain.writes.lease import persisted_instance
from node.chain.writes.limits import PayerLimits, WriteLimits
from node.chain.writes.model import Chain
from node.chainsecured import routes as chainsecured
from node.chainsecured.service import ChainSecuredService
from node.chainsecured.verification import EnvelopeVerifier
from node.chainsecured.wallet_auth import AdminWallets
from node.database.sqlite import SqliteDatabase
from node.engine.admission.admission import Admission
from node.engine.admission.limits import AdmissionLimits
from node.engine.admission.metrics import AdmissionMetrics
from node.engine.egress.egress import Egress
from node.engine.egress.limits import EgressLimits
from node.engine.egress.reach import Reach
from node.engine.limits import EngineLimits
from node.engine.process_engine import ProcessEngine
from node.errors import StartupRefusedError
from node.execution import explain
from node.execution import routes as execution
from node.execution.explain import ExplainLimits, ExplainService
from node.execution.limits import ExecutionLimits
from node.execution.metrics import ExecutionMetrics
from node.execution.service import ExecutionParts, ExecutionService
from node.execution.wallet_keys import Derivation
from node.groups import routes as groups
from node.groups.service import GroupService
from node.http.endpoint import AnyEndpoint
from node.http.openapi import ApiDescription
from node.http.rate import AccountGate
from node.http.server import HttpServices, create_application
from node.keyring.backend import require_native_backend
from node.keyring.enclave import EnclaveKeyring
from node.keyring.root import obtain_root
from node.ledger.port import LedgerDatabase
from node.runtime.tls_trust import built_in_trust
from node.settings import Settings
from node.settings.host_list import HostList
from node.settings.published import published_settings
from node.status import routes as status
from node.status.models import Tee
from node.usage_keys import routes as usage_keys
from node.usage_keys.service import UsageKeyService
from node.wallets import routes as wallets
from node.wallets.service import WalletService
from node.wiring.credits import Credits, Wrap, as_it_is, open_ledger, running_credits
from node.wiring.https import Https
from node.wiring.ports import Ports, RunningNode, listening
from node.wiring.proxies import client_addresses
from node.wiring.sections import section
from node.wiring.status import PACKAGE, Parts, standing

DATABASE: Final = "node.sqlite3"
SIMULATED: Final = "TEE simulator behind the guest agent: no hardware vouches for anything"

FREE: Final = {"price_write_cents": 0, "price_execution_cents_per_second": 0}
"""The prices while billing is off: what an answer says was charged is what was charged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIns:
    """What stands where a real part is not there, and what is insecure.

    `kms_public_key` is the 33-byte key the guest agent's key chain must end in. `egress_allow_loopback` opens this
    machine's loopback to actions. `api_without_tls` leaves the API on the HTTP port beside HTTPS. `tee` is what stands behind the guest agent.
    `wrap_ledger` changes what requests are charged to.
    """

    kms_public_key: bytes
    insecure: Sequence[str] = ()
    egress_allow_loopback: bool = False
    api_without_tls: bool = False
    tee: Tee = "dstack"
    wrap_ledger: Wrap = as_it_is


async def connect_chain(settings: Settings, session: aiohttp.ClientSession, registry: CollectorRegistry) -> ChainRoom:
    """The contract the settings name, checked. Raises StartupRefusedError naming the setting that is wrong."""
    if not settings.rpc_endpoints:
        raise StartupRefusedError("rpc_endpoints", "name at least one JSON-RPC endpoint.")
    rpc = JsonRpc(session, settings.rpc_endpoints, section(settings, RpcLimits))
    place = ChainPlace(rpc, settings.chain_id, settings.contract_address, settings.rpc_websocket_endpoints)
    limits = ChainLimits(
        quorum=section(settings, QuorumLimits),
        authorisations=section(settings, AuthorisationLimits),
        listener=section(settings, ListenerLimits),
        admins=section(settings, AdminHistoryLimits),
        wallet_contracts=section(settings, WalletContractLimits),
        min_block_timeout_s=settings.action_min_block_timeout_s,
        min_owner_change_delay_s=settings.min_owner_change_delay_s,
    )
    chain = ChainRoom(place, limits, registry)
    await chain.verify()
    return chain


def rpc_session(settings: Settings) -> aiohttp.ClientSession:
    """The session of the RPC endpoints alone: the operator's authorization goes nowhere else.

    The environment names neither authorities nor a proxy for it. To be made inside a running event loop.
    """
    authorization = settings.rpc_authorization.get_secret_value()
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(ssl=built_in_trust()),
        headers={"Authorization": authorization} if authorization else {},
        trust_env=False,
    )


@contextlib.asynccontextmanager
async def running_node(settings: Settings, stand_ins: StandIns) -> AsyncIterator[RunningNode]:
    """A node that serves until the context ends, when requests in work are let end first.

    Raises StartupRefusedError naming the setting, or NodeError when a dependency is out.
    """
    require_native_backend()
    if settings.billing == "off":
        settings = settings.model_copy(update=FREE)
    async with contextlib.AsyncExitStack() as stack:
        registry = CollectorRegistry()
        chain = await connect_chain(settings, await stack.enter_async_context(rpc_session(settings)), registry)
        agent = await stack.enter_async_context(GuestAgent(settings.guest_agent, section(settings, GuestAgentLimits)))
        attestation = _attestation(settings, agent)
        await stack.enter_async_context(attestation.running())
        root = await obtain_root(agent, stand_ins.kms_public_key)
        stand_ins = await _announced(stand_ins, agent)
        keyring = EnclaveKeyring(root.reveal(), settings.chain_id, settings.contract_address)
        await chain.require_admin_payer(keyring.admin_payer().address)
        database, instance, ledger = await _databases(settings, stack)
        https = Https(settings, attestation.evidence, keyring, instance) if settings.certificate_mode else None
        certificates = NoCertificates() if https is None else https.served
        writes = await _writes(settings, chain, ledger, keyring, instance)
        credit = await stack.enter_async_context(
            running_credits(settings, chain, registry, ledger, stand_ins.wrap_ledger)
        )
        metered = await _metered_writes(settings, writes, credit, ledger, registry)
        admission = Admission(section(settings, AdmissionLimits), metrics=AdmissionMetrics(registry))
        engine = await stack.enter_async_context(ProcessEngine(section(settings, EngineLimits), admission=admission))
        await stack.enter_async_context(writes.running(metered))
        stack.push_async_callback(metered.close)
        await stack.enter_async_context(chain.listening(database))
        endpoints = _subjects(settings, chain.reads, metered, keyring, credit)
        verifier = EnvelopeVerifier(settings.chain_id, chain.wallet_contracts, time.time)
        endpoints += chainsecured.endpoints(ChainSecuredService(verifier, chain.reads, keyring, metered))
        egress = _egress(settings, stand_ins)
        metrics = ExecutionMetrics(registry)
        limits = section(settings, ExecutionLimits)
        derivation = Derivation(keyring, chain.admins, limits.derivations_remembered)
        runs = ExecutionParts(chain.authorisations, derivation, engine, keyring, credit.ledger, metrics, egress)
        service = ExecutionService(runs, section(settings, Prices), limits)
        stack.push_async_callback(service.close)
        endpoints += _execution(settings, service, chain)
        config = {**published_settings(settings), "account_contract": await chain.attested_contract()}
        identity = Identity(settings.domain, config, keyring.admin_payer().address)
        endpoints += attestation.endpoints(certificates, identity)
        told = (stand_ins.tee, stand_ins.insecure, instance)
        parts = Parts(*told, chain, writes.payers, engine, agent, attestation, certificates, credit.probe)
        endpoints += status.endpoints(await stack.enter_async_context(standing(settings, parts, registry)))
        services = HttpServices(
            callers=chain.reads,
            cached_callers=chain.authorisations,
            wallets=AdminWallets(verifier, chain.reads),
            books=ledger.database,
            books_are_shared=bool(settings.ledger_url.get_secret_value()),
            keyring=keyring,
            writes=writes.writer,
            registry=registry,
            addresses=client_addresses(settings),
        )
        about = ApiDescription(
            title=PACKAGE,
            version=metadata.version(PACKAGE),
            description=_description(stand_ins.insecure),
        )
        application = create_application(endpoints, services, about, settings)
        application.on_shutdown.append(lambda _: service.stop())
        ports = Ports(application=application, https=https, api_without_tls=stand_ins.api_without_tls or https is None)
        yield await listening(settings, ports, registry, stack)


async def _databases(
    settings: Settings, stack: contextlib.AsyncExitStack
) -> tuple[SqliteDatabase, str, LedgerDatabase]:
    """This machine's own file, the instance's id, which it keeps, and the ledger, which other nodes may share."""
    settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    database = await SqliteDatabase.open(settings.data_dir / DATABASE)
    stack.push_async_callback(database.close)
    instance = settings.instance_id or await persisted_instance(database)
    ledger = await open_ledger(settings, instance)
    stack.push_async_callback(ledger.close)
    return database, instance, ledger


async def _metered_writes(
    settings: Settings, writes: ChainWrites, credit: Credits, ledger: LedgerDatabase, registry: CollectorRegistry
) -> MeteredWrites:
    """Writes that are charged, or take their gas from the budget of free ones, whose level the ledger's database keeps."""
    free_writes = FreeWriteBudget(ledger, settings.chain_id, settings.free_writes_per_hour_wei, time.time, registry)
    await free_writes.open()
    return MeteredWrites(writes.writer, credit.ledger, section(settings, Prices), free_writes)


def _attestation(settings: Settings, agent: GuestAgent) -> AttestationRoom:
    """Quotes and evidence, of this node's own making or a sidecar's."""
    limits = RoomLimits(
        attestation=section(settings, AttestationLimits),
        quotes=section(settings, QuoteLimits),
        evidence=section(settings, EvidenceLimits),
    )
    folder = Path(settings.evidence_folder) if settings.evidence_folder else None
    return AttestationRoom(agent, limits, folder, tls_elsewhere=not settings.certificate_mode)


async def _writes(
    settings: Settings, chain: ChainRoom, ledger: LedgerDatabase, keyring: EnclaveKeyring, instance: str
) -> ChainWrites:
    """The writes of this instance, with its own payers."""
    on_chain = Chain(
        witnesses=chain.client,
        chain_id=settings.chain_id,
        contract=settings.contract_address,
        abi=chain.abi,
        floor=chain.floor,
        news=chain.news,
    )
    wiring = WritesWiring(on_chain, ledger.database, keyring, chain.reads, instance)
    return ChainWrites(wiring, section(settings, WriteLimits), section(settings, PayerLimits))


def _subjects(
    settings: Settings, reads: AccountReader, writes: MeteredWrites, keyring: EnclaveKeyring, credit: Credits
) -> list[AnyEndpoint]:
    """What API users administer."""
    return [
        *accounts.endpoints(AccountService(writes, credit.new_accounts, keyring)),
        *usage_keys.endpoints(UsageKeyService(reads, writes, settings)),
        *wallets.endpoints(WalletService(reads, writes, keyring)),
        *groups.endpoints(GroupService(reads, writes, settings)),
        *actions.endpoints(ActionService(reads, writes)),
        *credit.endpoints,
    ]


def _execution(settings: Settings, service: ExecutionService, chain: ChainRoom) -> list[AnyEndpoint]:
    """Running actions, and telling who may."""
    prices = section(settings, Prices)
    explaining = ExplainService(
        chain.explanations, chain.reads, prices, service.cid_of, section(settings, ExplainLimits), time.monotonic
    )
    gate = AccountGate(settings.action_concurrent_max_per_account, settings.action_retry_after_max_s)
    return [
        *execution.endpoints(
            service,
            gate,
            chain.reach,
            execution.largest_answer_bytes(settings.action_response_bytes, settings.action_log_bytes),
        ),
        *explain.endpoints(explaining),
    ]


def _egress(settings: Settings, stand_ins: StandIns) -> Egress:
    """Outbound requests of actions, as far as this deployment lets them."""
    reach = Reach(
        allow=HostList.of(settings.egress_allow_hosts),
        deny=HostList.of(settings.egress_deny_hosts),
        allow_loopback=stand_ins.egress_allow_loopback,
    )
    return Egress(section(settings, EgressLimits), reach)


async def _announced(stand_ins: StandIns, agent: GuestAgent) -> StandIns:
    """A simulator behind the guest agent is told wherever stand-ins are, also where its key was pinned.

    Raises StartupRefusedError when the agent does not say what it is.
    """
    try:
        simulated = (await agent.info()).says_simulator
    except AttestError as error:
        raise StartupRefusedError("guest_agent", error.message) from None
    if not simulated:
        return stand_ins
    structlog.get_logger("node").warning("insecure", reason=SIMULATED)
    if stand_ins.tee == "simulator":
        return stand_ins
    return replace(stand_ins, tee="simulator", insecure=(SIMULATED, *stand_ins.insecure))


def _description(insecure: Sequence[str]) -> str:
    """What the API page says first: on a node with stand-ins, that it is insecure and why."""
    what = "Accounts on chain, wallets in the TEE, and actions that sign with them."
    if not insecure:
        return what
    reasons = "\n".join(f"* {reason}" for reason in insecure)
    return f"# INSECURE development node\n\n{reasons}\n\n{what}"

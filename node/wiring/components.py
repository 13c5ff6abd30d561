"""Builds chain, writes, credits and actions of a node from its settings."""

import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import aiohttp
from prometheus_client import CollectorRegistry

from node.billing import routes as billing
from node.billing import usage
from node.billing.charged_writes import MeteredWrites
from node.billing.charging import Prices, UnbilledLedger
from node.billing.free_writes import FreeWriteBudget
from node.billing.payments.service import PaymentService
from node.billing.routes import usage_endpoints
from node.billing.service import BillingService, IgnoredAccounts, NewAccounts
from node.billing.tokens.book import TokenBook, Watched
from node.billing.tokens.prices import TokenPrices
from node.billing.tokens.service import TokenService, TokenTerms
from node.chain.assembly import ChainComponent
from node.chain.deposits.reader import DepositEvents, DepositReader, verify_deposit_contract, verify_token_decimals
from node.chain.deposits.watcher import DepositRunner, DepositWatcher
from node.chain.rpc import JsonRpc
from node.chain.writes.journal import Journal
from node.chain.writes.model import Chain
from node.chain.writes.transactor import Transactor
from node.chain.writes.writer import ChainWrites
from node.database.port import Database, Statement
from node.database.postgres_address import require_database
from node.engine.admission.gate import RETRY_AFTER_MAX_S
from node.engine.egress.egress import Egress
from node.engine.egress.targets import AddressPolicy
from node.errors import StartupRefusedError
from node.execution import routes as execution
from node.execution.authority import ExplainService
from node.execution.service import ExecutionService
from node.http.endpoint import AnyEndpoint, account_gate
from node.keyring.enclave import EnclaveKeyring
from node.ledger.port import Ledger, LedgerDatabase, Postings
from node.ledger.postgres_ledger import PostgresLedger
from node.ledger.sqlite_ledger import FILE_NAME, SqliteLedger
from node.processor.keys import ProcessorKeys, validate_keys
from node.processor.port import Fault, ProcessorError
from node.processor.shapes import service_name
from node.processor.stripe_processor import StripeProcessor
from node.settings import Settings
from node.settings.execution import HostList
from node.status.health import Probe, ProbeResult, billing_probe, degraded_by
from node.status.models import ComponentStatus


@dataclass(frozen=True, slots=True)
class TokenPayments:
    """The token service, and its problem with crediting deposits (None without deposits)."""

    service: TokenService
    problem: Callable[[], str | None] | None = None


@contextlib.asynccontextmanager
async def token_payments(
    settings: Settings, chain: ChainComponent, books: Postings, registry: CollectorRegistry
) -> AsyncIterator[TokenPayments]:
    """Credits deposits until the context ends, if the settings name a deposit contract.

    Raises StartupRefusedError, ChainUnavailableError, LedgerUnavailableError.
    """
    if not settings.token_deposit_contract:
        if settings.token_prices:
            raise StartupRefusedError("token_deposit_contract", "must be set where token_prices are.")
        yield TokenPayments(TokenService())
        return
    if not settings.token_prices:
        raise StartupRefusedError("token_prices", "is empty: a deposit contract without a price credits nothing.")
    prices = TokenPrices.of(settings.token_prices, settings.token_max_credit_microdollars)
    # Check before the first deposit, since a wrong credit cannot be taken back.
    await verify_deposit_contract(chain.quorum, settings.token_deposit_contract, settings.contract_address)
    await verify_token_decimals(chain.quorum, {token: price.decimals for token, price in prices.by_token.items()})
    book = TokenBook(books, Watched(settings.chain_id, settings.token_deposit_contract), prices, time.time)
    await book.open()
    events = DepositEvents.of(settings.token_deposit_contract)
    reader = DepositReader(chain.client, events)
    watcher = DepositWatcher(chain.quorum, reader, book, settings, time.monotonic)
    runner = DepositRunner(watcher, settings.token_poll_s, time.monotonic, registry)
    # A new head wakes the watcher; `token_poll_s` covers heads that were not reported.
    chain.quorum.on_report(runner.wake)
    terms = TokenTerms(
        settings.chain_id,
        settings.token_deposit_contract,
        settings.token_confirmations,
        prices,
        lambda: None if chain.quorum.head is None else chain.quorum.head.number,
    )
    async with runner.running():
        yield TokenPayments(TokenService(terms, book), runner.problem)


_PROBED: Final = "probe"
"""Component without tables. Its row exists only during a transaction."""
PLAY_MONEY: Final = "test key of the card processor: payments move no money"
_OFF: Final = ProbeResult(ComponentStatus.OFF, "billing = off: nothing is charged")

Wrap = Callable[[LedgerDatabase], Ledger]
"""Replacement of the ledger that requests are charged to, for stand-ins."""


@dataclass(frozen=True, slots=True)
class Credits:
    """Credits as the rest of the node uses them."""

    ledger: Ledger
    new_accounts: NewAccounts
    endpoints: Sequence[AnyEndpoint]
    probe: Probe


def as_it_is(database: LedgerDatabase) -> Ledger:
    """Returns the ledger without a stand-in."""
    return database


@contextlib.asynccontextmanager
async def running_credits(
    settings: Settings,
    chain: ChainComponent,
    registry: CollectorRegistry,
    database: LedgerDatabase,
    keyring: EnclaveKeyring,
    wrap: Wrap = as_it_is,
) -> AsyncIterator[Credits]:
    """Runs credits in this database until the context ends.

    Raises StartupRefusedError naming the setting, LedgerUnavailableError, ChainUnavailableError.
    """
    if settings.billing == "off":
        yield _unbilled(database)
        return
    async with contextlib.AsyncExitStack() as stack:
        ledger = wrap(database)
        # Opened before the payments and closed after them, so that a call in progress may end.
        processor = await _processor(settings, stack)
        payments = None
        problems: list[Callable[[], str | None]] = []
        if processor is not None:
            problems.append(lambda: processor.problem)
            payments = PaymentService(database, processor, registry, keyring.email_sealer(), settings)
            await stack.enter_async_context(payments.running())
        # Cards and tokens have separate problems, and each works without the other.
        deposits = await stack.enter_async_context(token_payments(settings, chain, database, registry))
        if deposits.problem is not None:
            problems.append(deposits.problem)
        yield Credits(
            ledger,
            IgnoredAccounts() if payments is None else payments.customers,
            [
                *billing.endpoints(BillingService(ledger, payments, chain.reads)),
                *usage_endpoints(usage.UsageService(database, settings)),
                *billing.token_endpoints(deposits.service),
            ],
            partial(billing_probe, partial(require_writable, database), partial(_report, problems)),
        )


def _unbilled(database: LedgerDatabase) -> Credits:
    """Returns free credits, with a check of the database that writes and idempotency use."""
    ledger = UnbilledLedger()
    endpoints = [
        *billing.endpoints(BillingService(ledger)),
        *usage_endpoints(usage.UsageService(None)),
        *billing.token_endpoints(TokenService()),
    ]
    return Credits(
        ledger, IgnoredAccounts(), endpoints, partial(billing_probe, partial(require_writable, database), lambda: _OFF)
    )


def _report(problems: Sequence[Callable[[], str | None]]) -> ProbeResult:
    """Returns degraded if credit cannot be bought; spending it still works."""
    notes = [note for problem in problems if (note := problem()) is not None]
    return degraded_by("; ".join(notes) or None)


async def require_writable(database: Database) -> None:
    """Writes to the ledger and deletes it: balances are cached, and a full disk is readable.

    Raises LedgerUnavailableError.
    """
    await database.execute(
        Statement("INSERT INTO schema_version (component, steps) VALUES (?, ?) ON CONFLICT DO NOTHING", (_PROBED, 0)),
        Statement("DELETE FROM schema_version WHERE component = ?", (_PROBED,)),
    )


async def open_ledger(settings: Settings, instance: str) -> LedgerDatabase:
    """Opens the ledger that the settings name. Raises StartupRefusedError."""
    url = settings.ledger_url.get_secret_value()
    require_database(url, settings.ledger_ca_pem)
    if url:
        return await PostgresLedger.open(url, instance, settings, time.time)
    return await SqliteLedger.open(settings.data_dir / FILE_NAME, settings, time.time)


def processor_keys(settings: Settings) -> ProcessorKeys | None:
    """Returns the card processor's keys, None without any. Raises StartupRefusedError for some."""
    secret, webhook = (
        settings.processor_secret_key.get_secret_value(),
        settings.processor_webhook_secret.get_secret_value(),
    )
    if not secret and not webhook and not settings.processor_publishable_key:
        return None
    return ProcessorKeys(
        secret, settings.processor_publishable_key, webhook, settings.processor_url, settings.processor_payment_methods
    )


def play_money(settings: Settings) -> Sequence[str]:
    """Returns the announcement of a card processor that moves no money."""
    keys = processor_keys(settings)
    return [] if keys is None or keys.live else [PLAY_MONEY]


async def _processor(settings: Settings, stack: contextlib.AsyncExitStack) -> StripeProcessor | None:
    """Returns the card processor with checked keys; if it is unreachable they are checked later."""
    keys = processor_keys(settings)
    if keys is None:
        return None
    # Test keys move no money, so on a real chain they would give credit away.
    validate_keys(keys, production=not settings.chain_testnet)
    name = service_name(settings.chain_id, settings.contract_address)
    processor = StripeProcessor(keys, name)
    stack.push_async_callback(processor.close)
    try:
        await processor.check()
    except ProcessorError as error:
        # Users spend credit that they have, so the processor's outage must not stop the node.
        if error.fault is not Fault.UNAVAILABLE:
            raise StartupRefusedError(
                "processor_secret_key", f"the card processor refuses it: {error.reason}."
            ) from None
    return processor


async def connect_chain(
    settings: Settings, session: aiohttp.ClientSession, registry: CollectorRegistry
) -> ChainComponent:
    """Returns the checked chain component of the contract. Raises StartupRefusedError."""
    if not settings.rpc_endpoints:
        raise StartupRefusedError("rpc_endpoints", "name at least one JSON-RPC endpoint.")
    # Check first, since keys depend on chain and contract, and callers on the contract.
    chain = ChainComponent(JsonRpc(session, settings.rpc_urls, settings), settings, registry)
    await chain.verify()
    return chain


async def chain_writes(
    settings: Settings, chain: ChainComponent, ledger: LedgerDatabase, keyring: EnclaveKeyring, instance: str
) -> ChainWrites:
    """Returns the writer of this instance, with its own payers."""
    on_chain = Chain(
        client=chain.client,
        chain_id=settings.chain_id,
        contract=settings.contract_address,
        abi=chain.abi,
        floor=chain.floor,
        news=chain.news,
    )
    journal = Journal(ledger.database, keyring.idempotency_sealer(), settings.chain_id, instance)
    return ChainWrites(Transactor(on_chain, journal, settings), keyring, chain.reads)


async def metered_writes(
    settings: Settings, writes: ChainWrites, credit: Credits, ledger: LedgerDatabase, registry: CollectorRegistry
) -> MeteredWrites:
    """Returns writes that are charged, or take their gas from the budget of free writes."""
    # In the database, since a restart or another node must not begin with a full budget.
    free_writes = FreeWriteBudget(ledger, settings.chain_id, settings.free_writes_per_hour_wei, time.time, registry)
    await free_writes.open()
    return MeteredWrites(writes.writer, credit.ledger, Prices.of(settings), free_writes)


def execution_endpoints(settings: Settings, service: ExecutionService, chain: ChainComponent) -> list[AnyEndpoint]:
    """Returns the endpoints that run actions and that explain who may run them."""
    prices = Prices.of(settings)
    explaining = ExplainService(chain.reads, chain.reads, prices, service.cid_of, settings, time.monotonic)
    # HTTP's gate refuses at once; the engine's own gate queues what passes.
    gate = account_gate(settings.action_concurrent_max_per_account, RETRY_AFTER_MAX_S)
    return [
        *execution.endpoints(
            service,
            gate,
            chain.reach,
            execution.largest_answer_bytes(settings.action_response_bytes, settings.action_log_bytes),
        ),
        execution.explain_endpoint(explaining),
    ]


def action_egress(settings: Settings, *, allow_loopback: bool) -> Egress:
    """Returns the outbound requests of actions, within the limits of this deployment."""
    # Parse once; every connection of an action is compared with the policy.
    policy = AddressPolicy(
        allow=HostList.of(settings.egress_allow_hosts),
        deny=HostList.of(settings.egress_deny_hosts),
        allow_loopback=allow_loopback,
    )
    return Egress(settings, policy)

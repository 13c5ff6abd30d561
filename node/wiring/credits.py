"""Credits: the ledger, the card processor, token payments and their health."""

import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from prometheus_client import CollectorRegistry

from node.billing import routes as billing
from node.billing import usage
from node.billing.charging import UnbilledLedger
from node.billing.payments.service import PaymentService
from node.billing.service import BillingService, IgnoredAccounts, NewAccounts
from node.billing.tokens.book import TokenBook, Watched
from node.billing.tokens.prices import TokenPrices
from node.billing.tokens.service import TokenService, TokenTerms
from node.chain.assembly import ChainComponent
from node.chain.deposits.reader import DepositEvents, DepositReader, verify_deposit_contract, verify_token_decimals
from node.chain.deposits.watcher import DepositRunner, DepositWatcher
from node.database.port import Database, Statement
from node.errors import StartupRefusedError
from node.http.endpoint import AnyEndpoint
from node.keyring.enclave import EnclaveKeyring
from node.ledger.port import Ledger, LedgerDatabase, Postings
from node.ledger.postgres_ledger import PostgresLedger
from node.ledger.sqlite_ledger import FILE_NAME, SqliteLedger
from node.processor.keys import ProcessorKeys, validate_keys
from node.processor.port import Fault, ProcessorError
from node.processor.shapes import service_name
from node.processor.stripe_processor import StripeProcessor
from node.settings import Settings
from node.status.health import HealthProbe, ProbeResult
from node.status.models import ComponentStatus
from node.wiring.health import BillingProbe


@dataclass(frozen=True, slots=True)
class TokenPayments:
    """Token payments: their service, and the problem that keeps deposits from being credited (None: none are taken)."""

    service: TokenService
    problem: Callable[[], str | None] | None = None


@contextlib.asynccontextmanager
async def token_payments(
    settings: Settings, chain: ChainComponent, books: Postings, registry: CollectorRegistry
) -> AsyncIterator[TokenPayments]:
    """Credit deposits until the context ends, where the settings name a deposit contract.

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
    await verify_deposit_contract(chain.quorum, settings.token_deposit_contract, settings.contract_address)
    await verify_token_decimals(chain.quorum, {token: price.decimals for token, price in prices.by_token.items()})
    book = TokenBook(books, Watched(settings.chain_id, settings.token_deposit_contract), prices, time.time)
    await book.open()
    events = DepositEvents.of(settings.token_deposit_contract)
    reader = DepositReader(chain.client, events)
    watcher = DepositWatcher(chain.quorum, reader, book, settings, time.monotonic)
    runner = DepositRunner(watcher, settings.token_poll_s, time.monotonic, registry)
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
"""A component that has no tables: its row is there only while a transaction lasts."""
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
    probe: HealthProbe


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
    """Run credits in this database, as the settings demand, until the context ends.

    Raises StartupRefusedError naming the setting, LedgerUnavailableError, ChainUnavailableError.
    """
    if settings.billing == "off":
        yield _unbilled(database)
        return
    async with contextlib.AsyncExitStack() as stack:
        ledger = wrap(database)
        processor = await _processor(settings, stack)
        payments = None
        problems: list[Callable[[], str | None]] = []
        if processor is not None:
            problems.append(lambda: processor.problem)
            payments = PaymentService(database, processor, registry, keyring.email_sealer(), settings)
            await stack.enter_async_context(payments.running())
        deposits = await stack.enter_async_context(token_payments(settings, chain, database, registry))
        if deposits.problem is not None:
            problems.append(deposits.problem)
        yield Credits(
            ledger,
            IgnoredAccounts() if payments is None else payments.customers,
            [
                *billing.endpoints(BillingService(ledger, payments)),
                *usage.endpoints(usage.UsageService(database, settings)),
                *billing.token_endpoints(deposits.service),
            ],
            BillingProbe(lambda: require_writable(database), lambda: _report(problems)),
        )


def _unbilled(database: LedgerDatabase) -> Credits:
    """Returns credits that charge nothing. Writes and idempotency need the database all the same, so it is checked."""
    ledger = UnbilledLedger()
    endpoints = [
        *billing.endpoints(BillingService(ledger)),
        *usage.endpoints(usage.UsageService(None)),
        *billing.token_endpoints(TokenService()),
    ]
    return Credits(ledger, IgnoredAccounts(), endpoints, BillingProbe(lambda: require_writable(database), lambda: _OFF))


def _report(problems: Sequence[Callable[[], str | None]]) -> ProbeResult:
    """Returns degraded when credit cannot be bought; spending goes on."""
    notes = [note for problem in problems if (note := problem()) is not None]
    return ProbeResult(ComponentStatus.DEGRADED, "; ".join(notes)) if notes else ProbeResult(ComponentStatus.OK)


async def require_writable(database: Database) -> None:
    """Write to the ledger and delete it again: balances are in memory, and a full disk can still be read.

    Raises LedgerUnavailableError.
    """
    await database.execute(
        Statement("INSERT INTO schema_version (component, steps) VALUES (?, ?) ON CONFLICT DO NOTHING", (_PROBED, 0)),
        Statement("DELETE FROM schema_version WHERE component = ?", (_PROBED,)),
    )


async def open_ledger(settings: Settings, instance: str) -> LedgerDatabase:
    """Open the ledger that the settings name. Raises StartupRefusedError."""
    url = settings.ledger_url.get_secret_value()
    if url:
        return await PostgresLedger.open(url, instance, settings, time.time)
    # The host gives the URL. Without it the credit would be on this machine's disk, against what the measured file says.
    if settings.ledger_ca_pem:
        raise StartupRefusedError("ledger_ca_pem", "It is given without a database: set SVC_LEDGER_URL.")
    settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    return await SqliteLedger.open(settings.data_dir / FILE_NAME, settings, time.time)


def processor_keys(settings: Settings) -> ProcessorKeys | None:
    """Returns the configuration of the card processor; None: there is none. Raises StartupRefusedError when incomplete."""
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
    """Returns the card processor with checked keys; one that cannot be reached is checked again later."""
    keys = processor_keys(settings)
    if keys is None:
        return None
    validate_keys(keys, production=not settings.chain_testnet)
    name = service_name(settings.chain_id, settings.contract_address)
    processor = StripeProcessor(keys, name)
    stack.push_async_callback(processor.close)
    try:
        await processor.check()
    except ProcessorError as error:
        if error.fault is not Fault.UNAVAILABLE:
            raise StartupRefusedError(
                "processor_secret_key", f"the card processor refuses it: {error.reason}."
            ) from None
    return processor

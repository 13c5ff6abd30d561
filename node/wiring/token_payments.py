"""Token payments put together: the deposit contract the settings name, checked, and watched from then on."""

import contextlib
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from prometheus_client import CollectorRegistry

from node.billing.tokens.book import TokenBook, Watched
from node.billing.tokens.prices import TokenPrices
from node.billing.tokens.service import TokenService, TokenTerms
from node.chain.assembly import ChainRoom
from node.chain.deposits.limits import TokenLimits
from node.chain.deposits.reader import DepositEvents, DepositReader
from node.chain.deposits.running import DepositRunner
from node.chain.deposits.verification import verify_deposit_contract, verify_token_decimals
from node.chain.deposits.watcher import DepositWatcher
from node.errors import StartupRefusedError
from node.ledger.port import Postings
from node.settings import Settings
from node.wiring.sections import section


@dataclass(frozen=True, slots=True)
class TokenPayments:
    """What clients are told, and what keeps deposits from being credited (None: none are taken)."""

    service: TokenService
    problem: Callable[[], str | None] | None = None


@contextlib.asynccontextmanager
async def token_payments(
    settings: Settings, chain: ChainRoom, books: Postings, registry: CollectorRegistry
) -> AsyncIterator[TokenPayments]:
    """Credit deposits until the context ends, where the settings name a deposit contract.

    Raises StartupRefusedError, NodeError `chain_unavailable`, `billing_unavailable`.
    """
    if not settings.token_deposit_contract:
        if settings.token_prices:
            raise StartupRefusedError("token_deposit_contract", "must be set where token_prices are.")
        yield TokenPayments(TokenService())
        return
    if not settings.token_prices:
        raise StartupRefusedError("token_prices", "is empty: a deposit contract without a price credits nothing.")
    limits = section(settings, TokenLimits)
    prices = TokenPrices.of(settings.token_prices, limits.token_max_credit_microdollars)
    await verify_deposit_contract(chain.quorum, settings.token_deposit_contract, settings.contract_address)
    await verify_token_decimals(chain.quorum, {token: price.decimals for token, price in prices.by_token.items()})
    book = TokenBook(books, Watched(settings.chain_id, settings.token_deposit_contract), prices, time.time)
    await book.open()
    events = DepositEvents.of(settings.token_deposit_contract)
    reading = DepositReader(chain.client, events, limits)
    watcher = DepositWatcher(chain.quorum, reading, book, limits, time.monotonic)
    runner = DepositRunner(watcher, limits, time.monotonic, registry)
    chain.quorum.on_news(runner.wake)
    terms = TokenTerms(
        settings.chain_id,
        settings.token_deposit_contract,
        limits.token_confirmations,
        prices,
        lambda: None if chain.quorum.head is None else chain.quorum.head.number,
    )
    async with runner.running():
        yield TokenPayments(TokenService(terms, book), runner.problem)

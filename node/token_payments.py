"""Token payments put together: the deposit contract watched over the chain room's endpoints, into the ledger's books."""

import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry

from node.billing.tokens.book import TokenBook, Watched
from node.billing.tokens.prices import TokenPrices
from node.billing.tokens.routes import endpoints
from node.billing.tokens.service import TokenService, TokenTerms
from node.chain.assembly import ChainRoom
from node.chain.clocks import Clocks
from node.chain.deposits.limits import TokenLimits
from node.chain.deposits.logs import DepositEvents
from node.chain.deposits.reading import DepositReading
from node.chain.deposits.running import DepositRunner
from node.chain.deposits.verification import verify_deposit_contract, verify_token_decimals
from node.chain.deposits.watcher import DepositWatcher
from node.chain.elapsed import ElapsedTime
from node.chain.quorum.dissent import Dissent
from node.errors import StartupRefusedError
from node.http.endpoint import AnyEndpoint
from node.ledger.books import Books


@dataclass(frozen=True, slots=True)
class TokenPlace:
    """The deposit contract, on the chain and for the accounts of the account contract, and `token_prices` as in the settings."""

    chain_id: int
    account_contract: str
    deposit_contract: str
    prices: Sequence[str] = field(default=())


class TokenPayments:
    """Watches while its context is open. Raises StartupRefusedError for prices that are none."""

    def __init__(
        self,
        place: TokenPlace,
        chain: ChainRoom,
        books: Books,
        limits: TokenLimits,
        registry: CollectorRegistry,
        clocks: Clocks | None = None,
    ) -> None:
        if not place.prices:
            raise StartupRefusedError(
                "token_prices", "a deposit contract without a price for any token credits nothing."
            )
        clocks = clocks or Clocks()
        elapsed = ElapsedTime(clocks.unix, clocks.monotonic)
        self._place = place
        self._chain = chain
        self._prices = TokenPrices.of(place.prices, limits.token_max_credit_microdollars)
        self._book = TokenBook(books, Watched(place.chain_id, place.deposit_contract), self._prices, clocks.unix)
        events = DepositEvents.of(place.deposit_contract)
        dissent = Dissent(chain.disagreements, chain.rpc.limits, time.monotonic)
        reading = DepositReading(chain.rpc, events, chain.quorum.size, dissent, limits, time.monotonic)
        self._watcher = DepositWatcher(chain.quorum, reading, self._book, limits, elapsed)
        self._runner = DepositRunner(self._watcher, limits, elapsed, registry)
        terms = TokenTerms(place.chain_id, place.deposit_contract, limits.token_confirmations, self._prices, self._head)
        self.service = TokenService(terms, self._book)
        self.problem: Callable[[], str | None] = self._runner.problem
        """What keeps deposits from being credited, for /health."""

    @property
    def endpoints(self) -> list[AnyEndpoint]:
        """`/billing/token_config` and `/billing/token_payments`."""
        return endpoints(self.service)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Check contract and tokens, then watch.

        Raises StartupRefusedError (`token_deposit_contract`, `token_prices`), NodeError `chain_unavailable`,
        `billing_unavailable`.
        """
        place, quorum = self._place, self._chain.quorum
        await verify_deposit_contract(quorum, place.deposit_contract, place.account_contract)
        await verify_token_decimals(quorum, {price.token: price.decimals for price in self._prices.by_token.values()})
        await self._book.open()
        quorum.on_news(self._runner.wake)
        async with self._runner.running():
            yield

    def _head(self) -> int | None:
        return self._watcher.standing.head_number

"""A watcher of one deposit contract over several providers, each behind a proxy of its own, into a real ledger."""

import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from node.billing.tokens.book import TokenBook, TokenPayment, Watched
from node.billing.tokens.prices import TokenPrices
from node.chain.deposits.reader import DepositEvents, DepositReader
from node.chain.deposits.watcher import DepositWatcher, LookResult
from node.chain.port import Page
from node.ledger.port import LedgerDatabase, Postings
from node.settings.credits import TokenPaymentSettings
from tests.chain.quorum import bench as quorum
from tests.support.clock import FakeClock
from tests.support.deposits import Payments
from tests.support.ledgers import LedgerWorld
from tests.support.rpc_proxy import RpcProxy

CHAIN_ID: Final = 31337
DOLLAR: Final = 1_000_000
"""A dollar in micro-dollars; also in base units of the local dollar."""
SETTINGS: Final = TokenPaymentSettings(token_confirmations=3)
CONSTANTS: Final = {"OVERLAP_BLOCKS": 4, "REWIND_BLOCKS": 16}
MOST: Final = 10**14


@dataclass
class Bench:
    """`proxies` stand in the order in which the providers were named; `clock` is the watcher's."""

    payments: Payments
    providers: quorum.Bench
    ledger: LedgerDatabase
    clock: FakeClock

    @property
    def proxies(self) -> Sequence[RpcProxy]:
        return self.providers.proxies

    def prices(self, *entries: str) -> TokenPrices:
        """By entries; without any, a local dollar is a dollar."""
        return TokenPrices.of(entries or (f"{self.payments.token.address}:LUSD:6:{DOLLAR}",), MOST)

    def book(self, books: Postings | None = None, prices: TokenPrices | None = None) -> TokenBook:
        watched = Watched(CHAIN_ID, self.payments.contract.address)
        return TokenBook(books or self.ledger, watched, prices or self.prices(), self.clock)

    def watcher(self, book: TokenBook | None = None, **changes: Any) -> DepositWatcher:
        """As a process that has just started has it."""
        made = SETTINGS.model_copy(update=changes)
        events = DepositEvents.of(self.payments.contract.address)
        reading = DepositReader(self.providers.client, events)
        return DepositWatcher(self.providers.quorum, reading, book or self.book(), made, self.clock)

    async def mine(self, blocks: int = 1) -> None:
        await self.payments.chain.rpc.ask("anvil_mine", hex(blocks))

    async def reorganise(self, depth: int, blocks: int | None = None) -> None:
        """Replace the newest `depth` blocks by empty ones, one more unless it is said how many."""
        await self.payments.chain.rpc.ask("anvil_rollback", depth)
        timestamp = (await self.providers.head()).timestamp
        await self.payments.chain.rpc.ask("evm_setNextBlockTimestamp", timestamp + 100)
        await self.mine(depth + 1 if blocks is None else blocks)

    async def credit(self, account: int) -> int:
        """The account's credit in micro-dollars."""
        return (await self.ledger.balance(account)).credit_microdollars

    async def told(self, account: int) -> Sequence[TokenPayment]:
        """What its account reads of every deposit."""
        return (await self.book().payments(account, Page(0, 100))).items

    async def statuses(self, account: int) -> list[str]:
        return [each.status.value for each in await self.told(account)]


async def to_head(watcher: DepositWatcher, most: int = 200) -> None:
    """Look until the head is reached."""
    for _ in range(most):
        if await watcher.look() is LookResult.AT_HEAD:
            return
    raise AssertionError("the watcher does not reach the head")


@contextlib.asynccontextmanager
async def token_bench(payments: Payments, world: LedgerWorld, providers: int) -> AsyncIterator[Bench]:
    """With tables made."""
    ledger = await world.open()
    try:
        async with quorum.quorum_bench(payments.chain, providers) as made:
            bench = Bench(payments, made, ledger, FakeClock())
            await bench.book().open()
            yield bench
    finally:
        await ledger.close()

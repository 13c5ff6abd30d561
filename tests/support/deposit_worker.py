"""A life (tests.support.nursery) that follows deposits and kills itself at a call of the ledger's books."""

import os
import signal
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import aiohttp

from node.billing.tokens.book import TokenBook, Watched
from node.billing.tokens.prices import TokenPrices
from node.chain.deposits.reader import DepositEvents, DepositReader
from node.chain.deposits.watcher import DepositWatcher, LookResult
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.reader import MinimumBlock, QuorumReader
from node.chain.rpc import JsonRpc
from node.database.port import Row, Statement
from node.ledger.port import LedgerDatabase, Posting, Postings
from node.ledger.postgres_ledger import PostgresLedger
from node.ledger.sqlite_ledger import SqliteLedger
from node.settings.chain import RpcSettings
from node.settings.credits import TokenPaymentSettings
from node.settings.ledger import LedgerSettings
from tests.support.nursery import say
from tests.support.postgres_ledger import IMPATIENT

Answer = TypeVar("Answer")
SETTINGS = TokenPaymentSettings(token_confirmations=3)


@dataclass
class DyingBooks:
    """Postings whose process is gone, by SIGKILL, right `before` or after the call of this number (from 1)."""

    books: Postings
    call: int
    before: bool
    seen: int = 0

    async def _counted(self, work: Callable[[], Awaitable[Answer]]) -> Answer:
        self.seen += 1
        turn = self.seen
        if turn == self.call and self.before:
            os.kill(os.getpid(), signal.SIGKILL)
        answer = await work()
        if turn == self.call:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    async def migrate(self, component: str, steps: Sequence[str]) -> None:
        await self._counted(lambda: self.books.migrate(component, steps))

    async def execute(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        return await self._counted(lambda: self.books.execute(*statements))

    async def read(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        return await self._counted(lambda: self.books.read(*statements))

    async def post(self, posting: Posting, *also: Statement) -> bool:
        return await self._counted(lambda: self.books.post(posting, *also))


async def opened(place: str) -> LedgerDatabase:
    """The ledger in this file, or behind this URL."""
    if place.startswith("postgres"):
        return await PostgresLedger.open(place, str(uuid.uuid4()), IMPATIENT, time.time)
    return await SqliteLedger.open(Path(place), LedgerSettings(), time.time)


async def work(task: dict[str, Any]) -> None:
    """Follow the deposits of the task's contract to the head; says how many calls that took."""
    ledger = await opened(task["ledger"])
    books = DyingBooks(ledger, task["call"], task["before"])
    async with aiohttp.ClientSession() as session:
        rpc = JsonRpc(session, [task["url"]])
        client = QuorumClient(rpc, RpcSettings(chain_max_head_age_s=0))
        events = DepositEvents.of(task["contract"])
        reading = DepositReader(client, events)
        watched = Watched(task["chain_id"], task["contract"])
        book = TokenBook(books, watched, TokenPrices.of(task["prices"], 10**14), time.time)
        await book.open()
        watcher = DepositWatcher(QuorumReader(client, MinimumBlock()), reading, book, SETTINGS, time.monotonic)
        while await watcher.look() is LookResult.MORE:
            pass
    await ledger.close()
    say(books.seen)

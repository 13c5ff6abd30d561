"""The ledger goes out between a write's transaction and its charge: the client is answered, the charge follows, once."""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from devkit.local_chain import LocalChainOptions, local_chain
from node.billing.charged_writes import MeteredWrites, WriteOrder
from node.billing.charging import Prices
from node.chain.port import ContractCall, WriteResult
from node.database.port import Statement
from node.ledger.port import LedgerDatabase
from node.permissions.grants import Caller
from node.settings.chain import ChainWriteSettings
from tests.billing.gated_writes import GatedWrites
from tests.support.free_writes import Unbounded
from tests.support.ledgers import ACCOUNT, SqliteWorld, assert_adds_up, cents, give, rows
from tests.support.writes import WriteWorld, set_constants, write_world

OWNER = Caller(ACCOUNT, ACCOUNT, True, None)
CALL = ContractCall("newAccount", (ACCOUNT, True, "account", "", "0x" + "00" * 20))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    set_constants(monkeypatch, CHECK_INTERVAL_S=0.05)


@pytest.fixture
async def chain() -> AsyncIterator[WriteWorld]:
    async with local_chain(LocalChainOptions()) as chain, aiohttp.ClientSession() as session:
        yield await write_world(session, chain.url)


@dataclass
class Node:
    """Writes that are charged, in one life of a node."""

    ledger: LedgerDatabase
    metered: MeteredWrites

    async def pays_for_a_write(self) -> WriteResult:
        async def prepare() -> ContractCall:
            return CALL

        return await self.metered.write(WriteOrder(prepare, OWNER))


@pytest.fixture
def ledgers(tmp_path: Path) -> SqliteWorld:
    return SqliteWorld(tmp_path)


@contextlib.asynccontextmanager
async def node(chain: WriteWorld, ledgers: SqliteWorld) -> AsyncIterator[Node]:
    ledger = await ledgers.open()
    await ledger.execute(Statement("PRAGMA busy_timeout = 20"))
    try:
        observer = MeteredWrites(GatedWrites(), ledger, Prices(), Unbounded())
        async with chain.open(
            ledgers.path.with_name("node.sqlite3"), told=observer, settings=ChainWriteSettings()
        ) as writes:
            yield Node(ledger, MeteredWrites(writes.writer, ledger, Prices(), Unbounded()))
    finally:
        await ledger.close()


@contextlib.contextmanager
def locked(ledgers: SqliteWorld) -> Iterator[None]:
    """Somebody else writes in the ledger's file: nothing can be entered."""
    other = sqlite3.connect(ledgers.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.close()


@pytest.mark.exhaustive
async def test_a_write_is_answered_and_charged_when_the_ledger_is_back(chain: WriteWorld, ledgers: SqliteWorld) -> None:
    async with node(chain, ledgers) as first:
        await give(first.ledger, 10)
        with locked(ledgers):
            assert (await first.pays_for_a_write()).block_number
            assert await first.ledger.balance(ACCOUNT) == cents(10, 1)
        async with asyncio.timeout(20):
            while await first.ledger.balance(ACCOUNT) != cents(9):  # noqa: ASYNC110 - the ledger's own balance is what there is to watch
                await asyncio.sleep(0.02)
        await assert_adds_up(first.ledger)


@pytest.mark.exhaustive
async def test_a_write_whose_node_stops_before_the_ledger_is_back_is_charged_by_its_next_life(
    chain: WriteWorld, ledgers: SqliteWorld
) -> None:
    async with node(chain, ledgers) as first:
        await give(first.ledger, 10)
        lock = contextlib.ExitStack()
        lock.enter_context(locked(ledgers))
        result = await first.pays_for_a_write()
    lock.close()
    for _ in range(2):
        async with node(chain, ledgers) as later:
            assert await later.ledger.balance(ACCOUNT) == cents(9)
            charges = await rows(later.ledger, "SELECT cause, what FROM ledger_entry WHERE what IS NOT NULL")
            assert charges == [(result.write_id, "newAccount")]

"""What was journaled is paid for, however its launch went: reserved until its end is known, also by the node's next life."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from devkit.local_chain import LocalChainOptions, local_chain
from node.api.calls import Origin
from node.api.errors import ErrorCode, as_node_error
from node.billing.charged_writes import MeteredWrites, WriteOrder
from node.billing.charging import Prices
from node.chain.port import ContractCall, WriteResult
from node.chain.writes.model import OnStep, WriteStep, ignore_step
from node.errors import DomainError
from node.ledger.port import Balance, LedgerDatabase, Spender
from node.permissions.grants import Caller
from node.settings.chain import ChainWriteSettings
from tests.billing.gated_writes import GatedWrites
from tests.support.free_writes import Unbounded
from tests.support.ledgers import ACCOUNT, CENT, LedgerWorld, assert_adds_up, cents, give, rows
from tests.support.postgres import postgres
from tests.support.postgres_ledger import BOTH, PostgresWorld, world_of
from tests.support.writes import WriteWorld, set_constants, write_world

__all__ = ["postgres"]

OWNER = Caller(ACCOUNT, ACCOUNT, True, None)
SPENDER = Spender(ACCOUNT)
CALL = ContractCall("newAccount", (ACCOUNT, True, "account", "", "0x" + "00" * 20))
QUICK = ChainWriteSettings(write_receipt_timeout_s=0.2)
DEADLINE_S = 30.0


class LaunchFailedError(Exception):
    """What stands for any fault between the journal and the chain."""


@pytest.fixture
async def chain() -> AsyncIterator[WriteWorld]:
    async with local_chain(LocalChainOptions()) as chain, aiohttp.ClientSession() as session:
        yield await write_world(session, chain.url)


@pytest.fixture(params=BOTH)
def ledgers(request: pytest.FixtureRequest, tmp_path: Path) -> LedgerWorld:
    return world_of(request, tmp_path)


@dataclass
class Node:
    """Writes that are charged, in one life of a node."""

    ledger: LedgerDatabase
    metered: MeteredWrites

    async def pays_for_a_write(self, idempotency_id: str | None = None) -> WriteResult:
        async def prepare() -> ContractCall:
            return CALL

        return await self.metered.write(WriteOrder(prepare, OWNER, Origin("request", idempotency_id)))

    async def comes_to(self, balance: Balance) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while await self.ledger.balance(ACCOUNT) != balance:  # noqa: ASYNC110 - the ledger's own balance is what there is to watch
                await asyncio.sleep(0.02)


@dataclass
class Lives:
    """One node's directory, chain and ledger, through its lives."""

    chain: WriteWorld
    ledgers: LedgerWorld
    path: Path

    async def until_pending(self, transactions: int) -> None:
        async with asyncio.timeout(DEADLINE_S):
            await self.chain.until_pending(transactions)

    @contextlib.asynccontextmanager
    async def node(self, on_step: OnStep = ignore_step) -> AsyncIterator[Node]:
        ledger = await self.ledgers.open()
        try:
            observer = MeteredWrites(GatedWrites(), ledger, Prices(), Unbounded())
            async with self.chain.open(self.path, told=observer, settings=QUICK, on_step=on_step) as writes:
                yield Node(ledger, MeteredWrites(writes.writer, ledger, Prices(), Unbounded()))
        finally:
            await ledger.close()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    set_constants(monkeypatch, CHECK_INTERVAL_S=0.05, RESEND_AFTER_S=0.1, RECOVERY_WAIT_S=0.2)


@pytest.fixture
def lives(chain: WriteWorld, ledgers: LedgerWorld, tmp_path: Path) -> Lives:
    return Lives(chain, ledgers, tmp_path / "node.sqlite3")


@dataclass
class Fault:
    """Fails whatever passes the step, once armed, once."""

    step: WriteStep
    armed: bool = False

    def __call__(self, passed: WriteStep) -> None:
        if self.armed and passed is self.step:
            self.armed = False
            raise LaunchFailedError


async def prepared(lives: Lives) -> None:
    """Payers that have gas money already, and ten cents of credit: what follows is the account's write alone."""
    async with lives.node() as node:
        await give(node.ledger, 10)


async def charges(ledger: LedgerDatabase) -> list[tuple[object, ...]]:
    found = await rows(ledger, "SELECT what, amount_microdollars FROM ledger_entry WHERE what IS NOT NULL")
    return [tuple(row) for row in found]


async def code_of(work: Awaitable[object]) -> ErrorCode:
    with pytest.raises(DomainError) as raised:
        await work
    return as_node_error(raised.value).code


@pytest.mark.parametrize("step", [WriteStep.SIMULATED, WriteStep.SIGNED])
async def test_what_failed_before_it_was_journaled_is_released_at_once(lives: Lives, step: WriteStep) -> None:
    await prepared(lives)
    fault = Fault(step)
    async with lives.node(fault) as node:
        fault.armed = True
        with pytest.raises(LaunchFailedError):
            await node.pays_for_a_write()
        assert await node.ledger.balance(ACCOUNT) == cents(10)
        await node.pays_for_a_write()
        assert await node.ledger.balance(ACCOUNT) == cents(9)


async def test_a_write_whose_launch_failed_after_it_was_journaled_is_followed_and_charged(lives: Lives) -> None:
    await prepared(lives)
    fault = Fault(WriteStep.STORED)
    async with lives.node(fault) as node:
        await lives.chain.automine(False)
        fault.armed = True
        with pytest.raises(LaunchFailedError):
            await node.pays_for_a_write()
        assert await node.ledger.balance(ACCOUNT) == cents(10, 1)
        await lives.until_pending(1)
        assert await node.ledger.balance(ACCOUNT) == cents(10, 1)
        await lives.chain.mine()
        await node.comes_to(cents(9))
        assert await charges(node.ledger) == [("newAccount", CENT)]
        await assert_adds_up(node.ledger)


@pytest.mark.parametrize("lapses", [False, True])
async def test_it_stays_reserved_through_a_restart_until_its_end_is_known(lives: Lives, lapses: bool) -> None:
    await prepared(lives)
    fault = Fault(WriteStep.STORED)
    async with lives.node(fault) as node:
        await lives.chain.automine(False)
        fault.armed = True
        with pytest.raises(LaunchFailedError):
            await node.pays_for_a_write()
    if lapses and isinstance(lives.ledgers, PostgresWorld):
        await lives.ledgers.lapse()
    async with lives.node() as later:
        assert await later.ledger.balance(ACCOUNT) == cents(10, 1)
        assert await code_of(later.ledger.reserve(SPENDER, "all of it", 10 * CENT)) is ErrorCode.PAYMENT_REQUIRED
        await lives.until_pending(1)
        await lives.chain.mine()
        await later.comes_to(cents(9))
        assert await charges(later.ledger) == [("newAccount", CENT)]
    async with lives.node() as last:
        assert await last.ledger.balance(ACCOUNT) == cents(9)
        await assert_adds_up(last.ledger)


@pytest.mark.parametrize("restarts", [False, True])
async def test_of_two_that_create_the_same_the_one_that_fails_is_released(lives: Lives, restarts: bool) -> None:
    await prepared(lives)
    fault = Fault(WriteStep.STORED)
    async with contextlib.AsyncExitStack() as life:
        node = await life.enter_async_context(lives.node(fault))
        await lives.chain.automine(False)
        assert await code_of(node.pays_for_a_write()) is ErrorCode.CHAIN_TIMEOUT
        fault.armed = True
        with pytest.raises(LaunchFailedError):
            await node.pays_for_a_write()
        if restarts:
            await life.aclose()
            node = await life.enter_async_context(lives.node())
        await lives.until_pending(2)
        assert await node.ledger.balance(ACCOUNT) == cents(10, 2)
        await lives.chain.mine()
        await node.comes_to(cents(9))
        assert await charges(node.ledger) == [("newAccount", CENT)]


async def test_a_twin_that_waits_in_vain_for_the_first_keeps_nothing_reserved(lives: Lives) -> None:
    await prepared(lives)
    async with lives.node() as node:
        await lives.chain.automine(False)
        twins = await asyncio.gather(*(code_of(node.pays_for_a_write("the same request")) for _ in range(3)))
        assert set(twins) == {ErrorCode.CHAIN_TIMEOUT}
        assert await node.ledger.balance(ACCOUNT) == cents(10, 1)
        await lives.chain.mine()
        await node.comes_to(cents(9))

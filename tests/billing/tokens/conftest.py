"""A chain with the account contract and the deposit contract; each test finds it as it was."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.billing.tokens.bench import CONSTANTS, Bench, token_bench
from tests.chain.quorum import bench as quorum
from tests.support.account_chain import AccountChain, account_chain, undone
from tests.support.constants import replace_constants
from tests.support.deposits import Payments, payments_on
from tests.support.ledgers import LedgerWorld, SqliteWorld
from tests.support.postgres import postgres
from tests.support.postgres_ledger import BOTH, world_of

__all__ = ["postgres"]


@pytest.fixture(autouse=True)
def _constants(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_constants(monkeypatch, "node.chain", **quorum.CONSTANTS)
    replace_constants(monkeypatch, "node.chain.deposits", **CONSTANTS)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_chain() -> AsyncIterator[AccountChain]:
    """One chain a module."""
    async with account_chain() as running:
        await running.rpc.ask("anvil_autoImpersonateAccount", True)
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def deployed(shared_chain: AccountChain) -> Payments:
    """One deposit contract a module."""
    return await payments_on(shared_chain)


@pytest_asyncio.fixture(loop_scope="module")
async def payments(deployed: Payments) -> AsyncIterator[Payments]:
    """As deployed, whatever tests before did."""
    async with undone(deployed.chain):
        yield deployed


@pytest.fixture(params=BOTH)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> LedgerWorld:
    """A fresh, empty database."""
    return world_of(request, tmp_path)


@pytest_asyncio.fixture(loop_scope="module")
async def one(payments: Payments, world: LedgerWorld) -> AsyncIterator[Bench]:
    """One provider, on either database."""
    async with token_bench(payments, world, 1) as bench:
        yield bench


@pytest_asyncio.fixture(loop_scope="module")
async def three(payments: Payments, tmp_path: Path) -> AsyncIterator[Bench]:
    """Three providers, of which two must agree."""
    async with token_bench(payments, SqliteWorld(tmp_path), 3) as bench:
        yield bench

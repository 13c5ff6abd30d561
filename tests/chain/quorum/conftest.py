"""A chain with a populated account for the tests of one module; whatever a test does to it is taken back."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.chain.quorum.bench import CONSTANTS, UNHEDGED, Bench, quorum_bench
from tests.support.account_chain import AccountChain, account_chain, undone
from tests.support.constants import replace_constants
from tests.support.populated_account import populate


@pytest.fixture(autouse=True)
def _constants(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_constants(monkeypatch, "node.chain", **CONSTANTS)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chain() -> AsyncIterator[AccountChain]:
    async with account_chain() as running:
        await populate(running)
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def one(chain: AccountChain) -> AsyncIterator[Bench]:
    async with undone(chain), quorum_bench(chain, 1, UNHEDGED) as bench:
        yield bench


@pytest_asyncio.fixture(loop_scope="module")
async def two(chain: AccountChain) -> AsyncIterator[Bench]:
    async with undone(chain), quorum_bench(chain, 2, UNHEDGED) as bench:
        yield bench


@pytest_asyncio.fixture(loop_scope="module")
async def three(chain: AccountChain) -> AsyncIterator[Bench]:
    async with undone(chain), quorum_bench(chain, 3, UNHEDGED) as bench:
        yield bench

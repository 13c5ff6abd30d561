"""A chain with a populated account for the tests of one module, and what the tests reach it through."""

from collections.abc import AsyncIterator

import aiohttp
import pytest
import pytest_asyncio

from node.chain.quorum.reader import MinimumBlock
from node.chain.rpc import JsonRpc
from tests.support.account_chain import AccountChain, account_chain, undone
from tests.support.constants import replace_constants
from tests.support.populated_account import RPC, Bench, populate
from tests.support.rpc_proxy import RpcProxy
from tests.support.views import reader_over


@pytest.fixture(autouse=True)
def _constants(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_constants(monkeypatch, "node.chain", BEHIND_TIMEOUT_S=0.3, BEHIND_POLL_S=0.01)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chain() -> AsyncIterator[AccountChain]:
    async with account_chain() as running:
        await populate(running)
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def bench(chain: AccountChain) -> AsyncIterator[Bench]:
    async with undone(chain), RpcProxy(chain.url).running() as proxy, aiohttp.ClientSession() as session:
        rpc, floor = JsonRpc(session, [proxy.url], RPC), MinimumBlock()
        reader = reader_over(rpc, chain.contract.address, lambda: made.now, floor)
        made = Bench(chain, proxy, floor, reader)
        yield made

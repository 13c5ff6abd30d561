"""A chain with a populated account for the tests of one module, and what the tests reach it through."""

from collections.abc import AsyncIterator

import aiohttp
import pytest_asyncio

from node.chain.block_floor import BlockFloor
from node.chain.reads import AccountReader
from node.chain.rpc import JsonRpc
from node.chain.view import ContractViews
from tests.world.account_chain import AccountChain, account_chain, undone
from tests.world.populated_account import ABI, LIMITS, Bench, populate
from tests.world.rpc_proxy import RpcProxy


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chain() -> AsyncIterator[AccountChain]:
    async with account_chain() as running:
        await populate(running)
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def bench(chain: AccountChain) -> AsyncIterator[Bench]:
    async with undone(chain), RpcProxy(chain.url).running() as proxy, aiohttp.ClientSession() as session:
        floor = BlockFloor()
        views = ContractViews(JsonRpc(session, [proxy.url], LIMITS), ABI, chain.contract.address, floor)
        made = Bench(chain, proxy, floor, AccountReader(views, ABI, lambda: made.now))
        yield made

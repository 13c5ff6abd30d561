"""One chain and one deployment a module; every test starts from the same snapshot."""

from collections.abc import AsyncIterator

import aiohttp
import pytest_asyncio

from devkit.local_chain import LocalChainOptions, local_chain
from tests.chain.contract.world import ADMIN_PAYER, DELAY_S, EVERYBODY, OWNER, PAYER, World
from tests.support.contract import Rpc, deploy


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def rpc() -> AsyncIterator[Rpc]:
    """A fresh local chain on which everybody may send."""
    async with local_chain(LocalChainOptions()) as chain, aiohttp.ClientSession() as session:
        rpc = Rpc(session, chain.url)
        await rpc.ask("anvil_autoImpersonateAccount", True)
        for address in EVERYBODY:
            await rpc.ask("anvil_setBalance", address, hex(10**24))
        yield rpc


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def deployed(rpc: Rpc) -> World:
    """The contract with its admin payer and one payer."""
    contract = await deploy(rpc, OWNER, OWNER, ADMIN_PAYER, DELAY_S)
    await contract.send(ADMIN_PAYER, "addApiPayers", [PAYER])
    return World(rpc, contract)


@pytest_asyncio.fixture(loop_scope="module")
async def world(deployed: World) -> AsyncIterator[World]:
    """The deployment as it was, whatever tests before did."""
    snapshot = await deployed.rpc.ask("evm_snapshot")
    yield deployed
    assert await deployed.rpc.ask("evm_revert", snapshot)

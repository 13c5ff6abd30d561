"""A ready transaction that anvil has forgotten is mined; one that is meant to wait is left waiting."""

import asyncio
import time

import aiohttp
import pytest

from devkit.local_chain import LocalChainOptions, local_chain
from devkit.stuck_transactions import LOOK_INTERVAL_S, stuck_transactions_mined
from node.chain.rpc import JsonRpc


@pytest.mark.exhaustive
async def test_what_is_ready_is_mined_only_where_blocks_are_instant() -> None:
    async with local_chain(LocalChainOptions()) as chain, aiohttp.ClientSession() as session:
        rpc = JsonRpc(session, [chain.url])
        sender, other, *_ = await accounts(rpc)
        await rpc.call("evm_setAutomine", [False])
        async with stuck_transactions_mined(chain.url):
            await rpc.call("eth_sendTransaction", [{"from": sender, "to": other, "value": "0x1"}])
            until = time.monotonic() + 3 * LOOK_INTERVAL_S
            while time.monotonic() < until:
                assert await rpc.call("eth_blockNumber") == "0x0"
            assert await pending(rpc) == "0x1"
            # anvil does not look into its pool when this is switched: the transaction is stuck as in the bug.
            await rpc.call("evm_setAutomine", [True])
            async with asyncio.timeout(60):
                while await pending(rpc) != "0x0":
                    pass
            assert await rpc.call("eth_blockNumber") != "0x0"


async def accounts(rpc: JsonRpc) -> list[str]:
    listed = await rpc.call("eth_accounts")
    assert isinstance(listed, list)
    return [str(each) for each in listed]


async def pending(rpc: JsonRpc) -> object:
    pool = await rpc.call("txpool_status")
    assert isinstance(pool, dict)
    return pool["pending"]

"""Blocks disappear, with what stood in them: a grant is then none, and a revocation neither."""

from typing import Final

import pytest

from node.database.sqlite import SqliteDatabase
from tests.chain.freshness.bench import Key, proxies, watching
from tests.support.account_chain import AccountChain
from tests.support.rpc_proxy import RpcProxy

pytestmark = pytest.mark.asyncio(loop_scope="module")
POLLS_MAX: Final = 3
"""One that was on its way, one that sees it, and one that may have begun before the test looked."""


def polls(provider: RpcProxy) -> int:
    """How often a follower has looked at this provider."""
    return sum(1 for asked in provider.seen if isinstance(asked, list) and asked[0]["method"] == "eth_chainId")


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("granted", [True, False])
async def test_what_disappears_holds_no_longer(
    chain: AccountChain, database: SqliteDatabase, granted: bool, count: int
) -> None:
    key = await Key.made(chain)
    await key.switch(granted=not granted)
    async with proxies(chain, count) as providers, watching(chain, providers, database) as node:
        for provider in providers:
            provider.socket_behaviour = None
        before, after = (403, 200) if granted else (200, 403)
        await node.until_says(key, before)
        await key.switch(granted=granted)
        await node.until_says(key, after)
        polled = polls(providers[0])
        await chain.rpc.ask("anvil_reorg", 1, [])
        await node.until_says(key, before)
        assert polls(providers[0]) - polled <= POLLS_MAX
        assert [await node.says(key) for _ in range(3)] == [before] * 3

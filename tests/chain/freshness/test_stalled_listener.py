"""The listener stalls: what is stale is gone in time by the node's clock, the lag shows, and it ends by itself."""

from collections.abc import Sequence
from typing import Any, Final

import pytest
from aiohttp import web

from node.database.sqlite import SqliteDatabase
from tests.chain.freshness.bench import SETTINGS, Key, Node, proxies, watching
from tests.support.account_chain import AccountChain
from tests.support.lies import per_call, upon
from tests.support.long_chain import stretched
from tests.support.lying_heads import frozen_head
from tests.support.lying_rpc import limited_logs
from tests.support.rpc_proxy import Behaviour, Forward, RpcProxy, drop, hang, honest

pytestmark = pytest.mark.asyncio(loop_scope="module")
OF_FOLLOWERS: Final = {"eth_chainId", "eth_getLogs"}
"""One of these is in every request of a follower, and in none of a read."""
STEP_S: Final = 5.0
DENIAL_BOUND_S: Final = 30.0
GRANT_BOUND_S: Final = 300.0
OUTAGE_S: Final = 600.0
FACTOR: Final = 1000
BLOCKS: Final = 10
LOG_LIMIT_BLOCKS: Final = 2000


async def deaf(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
    """Reads are answered, followers are left hanging."""
    methods = {call["method"] for call in (asked if isinstance(asked, list) else [asked])}
    return await (hang if methods & OF_FOLLOWERS else honest)(request, asked, forward)


def all_do(providers: Sequence[RpcProxy], behaviour: Behaviour) -> None:
    for provider in providers:
        provider.behaviour = behaviour
        provider.socket_behaviour = None


async def cut_off(node: Node, providers: Sequence[RpcProxy], behaviour: Behaviour) -> None:
    """From now on they do this: also the polls that were on their way have ended."""
    all_do(providers, behaviour)
    seen = [len(provider.seen) for provider in providers]
    await node.until(lambda: all(len(each.seen) > before for each, before in zip(providers, seen, strict=True)))


async def age_until(node: Node, key: Key, status: int, *, may_reread: bool = True) -> float:
    """Let time pass until this is the answer; how much it took."""
    begun = node.clock.skipped_s
    while await node.says(key, may_reread=may_reread) != status:
        node.clock.skip(STEP_S)
        assert node.clock.skipped_s - begun <= GRANT_BOUND_S
    return node.clock.skipped_s - begun


async def test_a_stale_denial_is_gone_in_30_s(chain: AccountChain, database: SqliteDatabase) -> None:
    key = await Key.made(chain)
    async with proxies(chain, 3) as providers, watching(chain, providers, database) as node:
        assert await node.says(key) == 403
        await cut_off(node, providers, deaf)
        await key.switch(granted=True)
        assert await age_until(node, key, 200, may_reread=False) <= DENIAL_BOUND_S


async def test_a_stale_grant_is_gone_in_5_minutes(chain: AccountChain, database: SqliteDatabase) -> None:
    key = await Key.made(chain)
    await key.switch(granted=True)
    async with proxies(chain, 3) as providers, watching(chain, providers, database) as node:
        assert await node.says(key) == 200
        await cut_off(node, providers, deaf)
        await key.switch(granted=False)
        took = await age_until(node, key, 403)
        assert took <= GRANT_BOUND_S
        lag = node.listener.lag_s()
        assert lag is not None
        assert lag >= took


async def test_a_machine_that_was_suspended_shows_how_long_it_has_heard_nothing(
    chain: AccountChain, database: SqliteDatabase
) -> None:
    """Its monotonic clock stood still meanwhile."""
    quiet = SETTINGS.model_copy(update={"listener_poll_s": 3600})
    async with proxies(chain, 1) as providers:
        all_do(providers, honest)
        async with watching(chain, providers, database, quiet, monotonic=lambda: 0.0) as node:
            node.clock.skip(OUTAGE_S)
            lag = node.listener.lag_s()
            assert lag is not None
            assert lag >= OUTAGE_S


async def test_a_frozen_chain_grants_nothing_for_long(chain: AccountChain, database: SqliteDatabase) -> None:
    """Reads go on, but all of them at a block that gets old."""
    key = await Key.made(chain)
    await key.switch(granted=True)
    aging = SETTINGS.model_copy(update={"chain_max_head_age_s": 60})
    await chain.rpc.ask("evm_mine")
    async with proxies(chain, 3) as providers, watching(chain, providers, database, aging) as node:
        assert await node.says(key) == 200
        past = int(await chain.rpc.ask("eth_blockNumber"), 16)
        await cut_off(node, providers, per_call(frozen_head(past)))
        revoked_at = await key.switch(granted=False)
        assert await age_until(node, key, 503) <= GRANT_BOUND_S
        lag = node.listener.lag_s()
        assert lag is not None
        assert lag > 0
        all_do(providers, honest)
        await chain.mine_at(int(node.clock()) + revoked_at)
        await node.until_says(key, 403)


async def test_an_outage_ends_by_itself_however_many_blocks_it_took(
    chain: AccountChain, database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here only the event can end the grant: it would be believed for longer than the outage lasts."""
    lasting = SETTINGS.model_copy(update={"authorisation_grant_ttl_s": 10 * OUTAGE_S})
    monkeypatch.setattr("node.chain.authorisations.cache.STALLED_GRANT_TTL_S", 10 * OUTAGE_S)
    revoked, granted = await Key.made(chain), await Key.made(chain)
    await revoked.switch(granted=True)
    long = per_call(upon(limited_logs(LOG_LIMIT_BLOCKS), stretched(FACTOR)))
    async with proxies(chain, 3) as providers:
        all_do(providers, long)
        async with watching(chain, providers, database, lasting) as node:
            assert (await node.says(revoked), await node.says(granted)) == (200, 403)
            await cut_off(node, providers, drop)
            node.clock.skip(OUTAGE_S)
            await revoked.switch(granted=False)
            await granted.switch(granted=True)
            await chain.rpc.ask("anvil_mine", hex(BLOCKS - 2))
            assert await node.says(revoked) == 200
            assert await node.says(granted) == 503
            lag = node.listener.lag_s()
            assert lag is not None
            assert lag >= OUTAGE_S
            all_do(providers, long)
            await node.until(lambda: (node.listener.lag_s() or OUTAGE_S) < OUTAGE_S)
            assert (await node.says(revoked), await node.says(granted)) == (403, 200)
            assert node.quorum.head is not None
            assert node.quorum.head.number == FACTOR * int(await chain.rpc.ask("eth_blockNumber"), 16)

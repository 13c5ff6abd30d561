"""Everybody who decides decides the same, key by key, action by action, wallet by wallet, whatever was written before."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import aiohttp
import pytest
import pytest_asyncio
from hypothesis import Phase, given, settings

from node.chain.abi import account_config_abi
from node.chain.reads import AccountReader, ContractViews
from node.chain.rpc import JsonRpc
from tests.permissions.deciders import (
    Decision,
    Table,
    WatchedCache,
    cache_decides,
    contract_decides,
    explanations_decide,
    reader_decides,
)
from tests.permissions.histories import ACTIONS, EVERY_KIND, WALLETS, Account, Step, histories
from tests.support.account_chain import AccountChain, account_chain
from tests.support.views import quorum_over

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(600)]


@dataclass(frozen=True)
class World:
    """One chain for all histories, and the node's readers of it."""

    chain: AccountChain
    reads: AccountReader
    watched: WatchedCache


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world() -> AsyncIterator[World]:
    async with account_chain() as chain, aiohttp.ClientSession() as session:
        abi, quorum = account_config_abi(), quorum_over(JsonRpc(session, [chain.url]))
        views = ContractViews(quorum, abi, chain.contract.address)
        # The chain's own time alone counts, so that its views can agree.
        reads = AccountReader(views, abi, lambda: 0.0)
        watched = WatchedCache(chain, reads, abi, lambda: 0 if quorum.head is None else quorum.head.timestamp)
        yield World(chain, reads, watched)


async def compare(world: World, account: Account) -> Sequence[Decision]:
    """Every decider on every key, action and wallet; what they agree on."""
    await world.watched.follow()
    table = await Table.of(world.reads, account.master_hash)
    agreed: list[Decision] = []
    for key in account.keys:
        caller = await world.reads.caller(key)
        for action in ACTIONS:
            expected = table.decides(caller, action, WALLETS)
            reasons = [table.deciding(caller, action, wallet) for wallet in (None, *WALLETS)]
            decisions, contract_reasons = await contract_decides(world.chain.contract, key, action, WALLETS)
            explained, explained_reasons, callers = await explanations_decide(world.reads, key, action, WALLETS)
            read = await reader_decides(world.reads, key, action, WALLETS)
            cached = await cache_decides(world.watched.cache, key, action, WALLETS)
            case = (account.label, caller, action, table)
            assert [*decisions, explained, read, cached] == [expected] * (len(decisions) + 3), case
            assert contract_reasons == explained_reasons == reasons, case
            assert callers == [caller] * len(reasons), case
            agreed.append(expected)
    return agreed


@pytest.mark.exhaustive
@settings(max_examples=16, phases=[Phase.generate])  # shrinking on a chain would outlast the test's time
@given(histories)
async def test_after_any_history_all_deciders_agree(world: World, history: list[Step]) -> None:
    account = Account(world.chain)
    await account.open()
    await compare(world, account)
    for step in history:
        await account.carry_out(step)
    await compare(world, account)


@pytest.mark.exhaustive
async def test_each_kind_of_change_turns_some_decision_and_all_deciders_follow(world: World) -> None:
    account = Account(world.chain)
    await account.open()
    before = await compare(world, account)
    for step in EVERY_KIND:
        assert await account.carry_out(step)
        after = await compare(world, account)
        assert after != before, step
        before = after
    seen = {(each.runs, use) for each in before for use in each.uses}
    assert seen == {(False, False)}, "with every key cleared and the account converted nobody may anything"

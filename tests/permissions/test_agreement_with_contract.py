"""Everybody who decides decides the same, key by key, action by action, wallet by wallet, whatever was written before."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiohttp
import pytest
import pytest_asyncio
from hypothesis import given, settings

from node.chain.abi import account_config_abi
from node.chain.explanations import ExplanationReader
from node.chain.reads import AccountReader
from node.chain.rpc import JsonRpc
from tests.permissions.deciders import Table, contract_decides, explanations_decide, reader_decides
from tests.permissions.histories import ACTIONS, WALLETS, Account, Step, histories
from tests.world.account_chain import AccountChain, account_chain
from tests.world.views import views_over

pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass(frozen=True)
class World:
    """One chain for all histories, and the node's readers of it."""

    chain: AccountChain
    reads: AccountReader
    explanations: ExplanationReader
    seen: set[tuple[bool, bool]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world() -> AsyncIterator[World]:
    async with account_chain() as chain, aiohttp.ClientSession() as session:
        abi = account_config_abi()
        views = views_over(JsonRpc(session, [chain.url]), chain.contract.address)
        # The chain's own time alone counts, so that its views can agree.
        seen = set[tuple[bool, bool]]()
        yield World(chain, AccountReader(views, abi, lambda: 0.0), ExplanationReader(views, lambda: 0.0), seen)
        assert seen == {(False, False), (True, False), (True, True)}, "the histories left a case of the table out"


async def compare(world: World, account: Account) -> None:
    """Every decider on every key, action and wallet."""
    table = await Table.of(world.reads, account.master_hash)
    for key in account.keys:
        caller = await world.reads.caller(key)
        for action in ACTIONS:
            expected = table.decides(caller, action, WALLETS)
            reasons = [table.deciding(caller, action, wallet) for wallet in (None, *WALLETS)]
            decisions, contract_reasons = await contract_decides(world.chain.contract, key, action, WALLETS)
            explained, explained_reasons = await explanations_decide(world.explanations, key, action, WALLETS)
            read = await reader_decides(world.reads, key, action, WALLETS)
            case = (account.label, caller, action, table)
            assert [*decisions, explained, read] == [expected] * (len(decisions) + 2), case
            assert contract_reasons == explained_reasons == reasons, case
            world.seen.update((expected.runs, use) for use in expected.uses)


@settings(max_examples=40)
@given(histories)
async def test_after_any_history_all_deciders_agree(world: World, history: list[list[Step]]) -> None:
    account = Account(world.chain)
    await account.open()
    for part in history:
        for step in part:
            await account.carry_out(step)
        await compare(world, account)

"""Reading a decision with its reason: whole, of one block, in one round trip, and live."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiohttp
import pytest
import pytest_asyncio

from node.api.errors import ErrorCode, as_node_error
from node.chain.abi import account_config_abi
from node.chain.reads import AccountReader
from node.chain.rpc import JsonRpc
from node.errors import DomainError
from node.permissions.grants import Caller, DecidingGroups
from tests.support.account_chain import AccountChain, account_chain, undone
from tests.support.populated_account import (
    ACTION,
    BARE_ACTION,
    FAR,
    GRANTS,
    MASTER,
    PLAIN,
    RPC,
    SECOND_WALLET,
    THIRD_WALLET,
    UNKNOWN,
    USAGE,
    populate,
)
from tests.support.rpc_proxy import RpcProxy, saying
from tests.support.views import views_over

pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass
class Bench:
    """The populated account, read through a proxy; `now` is the node's clock."""

    chain: AccountChain
    proxy: RpcProxy
    explanations: AccountReader
    now: float = 0.0


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chain() -> AsyncIterator[AccountChain]:
    async with account_chain() as running:
        await populate(running)
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def bench(chain: AccountChain) -> AsyncIterator[Bench]:
    async with undone(chain), RpcProxy(chain.url).running() as proxy, aiohttp.ClientSession() as session:
        views = views_over(JsonRpc(session, [proxy.url], RPC), chain.contract.address)
        made = Bench(chain, proxy, AccountReader(views, account_config_abi(), lambda: made.now))
        yield made


async def test_who_what_and_why(bench: Bench) -> None:
    found = await bench.explanations.explanation(USAGE, ACTION, SECOND_WALLET)
    assert found is not None
    assert found.caller == Caller(USAGE, MASTER, managed=True, grants=GRANTS, expiration=FAR, cap_cents=777)
    assert (found.decision.may_execute, list(found.decision.wallets)) == (True, [True])
    assert found.groups == DecidingGroups(granted=1, granted_with_wallet=1)
    head = await bench.chain.rpc.ask("eth_blockNumber")
    assert found.decision.block_number == int(head, 16)


@pytest.mark.parametrize(
    ("key", "action", "wallet", "groups"),
    [
        (USAGE, ACTION, None, DecidingGroups(granted=1)),
        (USAGE, ACTION, THIRD_WALLET, DecidingGroups(granted=1)),
        (USAGE, BARE_ACTION, SECOND_WALLET, DecidingGroups()),
        (PLAIN, ACTION, SECOND_WALLET, DecidingGroups()),
        (MASTER, ACTION, SECOND_WALLET, DecidingGroups()),
    ],
)
async def test_the_groups_that_count(
    bench: Bench, key: int, action: int, wallet: str | None, groups: DecidingGroups
) -> None:
    found = await bench.explanations.explanation(key, action, wallet)
    assert found is not None
    assert found.groups == groups


async def test_it_is_one_round_trip_at_one_block_hash(bench: Bench) -> None:
    await bench.explanations.explanation(USAGE, ACTION, SECOND_WALLET)
    before = len(bench.proxy.seen)
    await bench.explanations.explanation(USAGE, ACTION, SECOND_WALLET)
    (asked,) = bench.proxy.seen[before:]
    pins = [call["params"][1] for call in asked if call["method"] == "eth_call"]
    assert len(pins) == 3
    assert all(pin == pins[0] for pin in pins)
    assert set(pins[0]) == {"blockHash", "requireCanonical"}


async def test_it_is_live(bench: Bench) -> None:
    before = await bench.explanations.explanation(USAGE, ACTION, SECOND_WALLET)
    block = await bench.chain.write("removePkpFromGroup", MASTER, 1, SECOND_WALLET)
    after = await bench.explanations.explanation(USAGE, ACTION, SECOND_WALLET)
    assert before is not None
    assert after is not None
    assert (list(before.decision.wallets), before.groups.granted_with_wallet) == ([True], 1)
    assert (list(after.decision.wallets), after.groups.granted_with_wallet) == ([False], None)
    assert after.decision.block_number == block


@pytest.mark.parametrize(("now", "known"), [(FAR - 1, True), (FAR, False)])
async def test_a_key_expires_by_the_nodes_clock(bench: Bench, now: float, known: bool) -> None:
    bench.now = now
    assert (await bench.explanations.explanation(USAGE, ACTION, None) is not None) is known


async def test_a_key_expires_by_the_chains_time(bench: Bench) -> None:
    await bench.chain.mine_at(FAR)
    assert await bench.explanations.explanation(USAGE, ACTION, None) is None
    assert await bench.explanations.explanation(PLAIN, ACTION, None) is not None


async def test_an_unknown_and_a_removed_key_have_no_explanation(bench: Bench) -> None:
    assert await bench.explanations.explanation(UNKNOWN, ACTION, None) is None
    await bench.chain.write("removeUsageApiKey", MASTER, USAGE)
    assert await bench.explanations.explanation(USAGE, ACTION, SECOND_WALLET) is None


async def test_without_the_chain_nothing_is_explained(bench: Bench) -> None:
    bench.proxy.behaviour = saying(b"no", 500)
    with pytest.raises(DomainError) as refused:
        await bench.explanations.explanation(USAGE, ACTION, None)
    assert as_node_error(refused.value).code is ErrorCode.CHAIN_UNAVAILABLE

"""Which block a read is of: pinned by hash, in as few round trips as can be, never an older one, never a stale one."""

import pytest

from node.api.errors import ErrorCode, as_node_error
from node.chain.port import Head
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.reader import QuorumReader
from node.errors import DomainError, StartupRefusedError
from node.settings.chain import RpcSettings
from tests.chain.quorum.bench import Bench
from tests.support.clock import FakeClock
from tests.support.forged_views import at_block
from tests.support.lies import forging, per_call
from tests.support.lying_heads import frozen_head
from tests.support.populated_account import GROUPS, MASTER, SECOND_WALLET, USAGE

pytestmark = pytest.mark.asyncio(loop_scope="module")

GROUPS_THEN = len(GROUPS)


async def test_a_read_asks_a_quorum_once_while_the_head_stands_and_twice_when_it_has_moved(three: Bench) -> None:
    await three.groups()
    three.requests()
    await three.groups()
    assert sorted(three.requests()) == [0, 1, 1]
    await three.add_group()
    assert await three.groups() == GROUPS_THEN + 1
    assert sorted(three.requests()) == [0, 2, 2]


async def test_news_of_the_followers_saves_the_second_round_trip(three: Bench) -> None:
    await three.groups()
    await three.add_group()
    three.requests()
    for provider in three.rpc.providers:
        three.quorum.saw(provider, await three.head())
    assert await three.groups() == GROUPS_THEN + 1
    assert sorted(three.requests()) == [0, 1, 1]


async def test_what_one_follower_says_alone_moves_nothing(three: Bench) -> None:
    await three.groups()
    head = await three.head()
    invented = Head(head.number + 10**9, "0x" + "ee" * 32, "0x" + "dd" * 32, head.timestamp + 10**9)
    woken: list[None] = []
    three.quorum.on_report(lambda: woken.append(None))
    three.quorum.saw(three.rpc.providers[0], invented)
    assert woken == []
    three.requests()
    assert await three.groups() == GROUPS_THEN
    assert sorted(three.requests()) == [0, 1, 1]
    assert (three.quorum.head, three.floor.value) == (head, head.number)


async def test_a_pinned_read_is_of_its_block_whatever_has_happened_since(three: Bench) -> None:
    head, _ = await three.views.at_head([("listGroups", (MASTER, 0, 1))])
    await three.add_group()
    assert await three.groups() == GROUPS_THEN + 1
    three.requests()
    again, (then,) = await three.views.at_head([("listGroups", (MASTER, 0, 1))], at=head)
    assert (again, then[1]) == (head, GROUPS_THEN)
    assert sorted(three.requests()) == [0, 1, 1]
    assert three.quorum.head == await three.head(), "a read of the past is no news of the head"


async def test_a_block_that_was_reorganised_away_answers_nothing_any_more(three: Bench) -> None:
    await three.add_group()
    orphan, _ = await three.views.at_head([("listGroups", (MASTER, 0, 1))])
    await three.chain.rpc.ask("anvil_reorg", 1, [])
    head, (now,) = await three.views.at_head([("listGroups", (MASTER, 0, 1))])
    assert (head, now[1]) == (await three.head(), GROUPS_THEN)
    assert (head.number, head.hash) != (orphan.number, orphan.hash)
    with pytest.raises(DomainError) as caught:
        await three.views.at_head([("listGroups", (MASTER, 0, 1))], at=orphan)
    assert as_node_error(caught.value).code is ErrorCode.CHAIN_UNAVAILABLE
    assert all(each.faults == 0 for each in three.rpc.health()), "not to know a block is no fault"


async def test_a_wallet_and_its_decision_are_of_one_block_in_one_round_trip_by_address_and_two_by_id(
    one: Bench,
) -> None:
    caller = await one.reader.caller(USAGE)
    assert caller is not None
    for wallet, trips in ((SECOND_WALLET, 1), (1, 2), ("0x" + "dd" * 20, 1), (99, 1)):
        one.requests()
        found, decision = await one.reader.wallet_authorisation(caller, 12345, wallet)
        assert one.requests() == [trips]
        if trips == 1 and wallet != SECOND_WALLET:
            assert (found, decision.wallets) == (None, ())
        else:
            assert found is not None
            assert (found.address, list(decision.wallets)) == (SECOND_WALLET, [False])


async def test_two_honest_endpoints_a_block_apart_agree_on_the_block_both_have(two: Bench) -> None:
    before = await two.head()
    await two.add_group()
    two.proxies[1].behaviour = per_call(frozen_head(before.number))
    assert await two.groups() == GROUPS_THEN
    assert two.quorum.head == before
    assert two.disagreements.hosts == {}


async def test_a_frozen_endpoint_cannot_pull_the_height_down_though_the_third_is_out(three: Bench) -> None:
    past = (await three.head()).number
    for _ in range(5):
        await three.add_group()
    before = await three.head()
    three.quorum.saw(three.rpc.providers[2], before)
    await three.add_group()
    three.proxies[0].behaviour = per_call(frozen_head(past))
    three.rpc.providers[2].fault("cannot be connected to")
    three.rpc.providers[2].passed_over(1)
    decision = await three.decision()
    assert decision.block_number >= before.number


async def test_an_endpoint_whose_head_is_far_off_is_shown_though_it_answers_like_the_others(three: Bench) -> None:
    past = (await three.head()).number
    for _ in range(5):
        await three.add_group()
    three.prefer(0).behaviour = per_call(frozen_head(past))
    assert await three.groups() == GROUPS_THEN + 5
    assert three.disagreements.hosts == {three.host_of(0): 1}


async def test_no_read_is_below_a_block_once_agreed_on_even_if_all_fall_back(two: Bench) -> None:
    past = (await two.head()).number
    await two.add_group()
    assert await two.groups() == GROUPS_THEN + 1
    for proxy in two.proxies:
        proxy.behaviour = per_call(frozen_head(past))
    two.floor.rewind_to(0)
    with pytest.raises(DomainError, match="behind") as caught:
        await two.groups()
    assert as_node_error(caught.value).code is ErrorCode.CHAIN_UNAVAILABLE


async def test_a_head_that_is_too_old_grants_nothing_until_there_is_a_younger_one(three: Bench) -> None:
    clock = FakeClock(float(await three.chain.head_timestamp()) + 60)
    quorum = QuorumReader(QuorumClient(three.rpc, RpcSettings(chain_max_head_age_s=60)), three.floor, clock)
    await quorum.look()
    clock.advance(0.5)
    with pytest.raises(DomainError, match="no new block") as caught:
        await quorum.look()
    assert (as_node_error(caught.value).code, bool(caught.value.retry_after_s)) == (ErrorCode.CHAIN_UNAVAILABLE, True)
    await three.chain.mine_at(int(clock.now))
    assert await quorum.look() == await three.head()


async def test_the_decision_bears_the_headers_number_where_the_evms_is_another(one: Bench) -> None:
    head = await one.head()
    of_the_chain_below = forging(at_block(head.number * 5, head.timestamp - 900), frozenset({"authorisation"}))
    one.proxies[0].behaviour = per_call(of_the_chain_below)
    decision = await one.decision()
    assert (decision.block_number, decision.block_timestamp) == (head.number, head.timestamp)


async def test_every_head_that_reads_relied_on_is_remembered(three: Bench) -> None:
    assert three.quorum.observed.since(0).heads == ()
    heads = []
    for _ in range(3):
        await three.add_group()
        await three.groups()
        heads.append(await three.head())
    relied = three.quorum.observed.since(0)
    assert (list(relied.heads), relied.complete) == (heads, True)
    assert three.quorum.observed.since(relied.mark).heads == ()
    await three.groups()
    assert three.quorum.observed.since(relied.mark).heads == (heads[-1],)


@pytest.mark.parametrize("asked", [-1, 4])
async def test_a_quorum_of_more_endpoints_than_there_are_refuses_the_start(three: Bench, asked: int) -> None:
    with pytest.raises(StartupRefusedError) as caught:
        QuorumClient(three.rpc, RpcSettings.model_construct(rpc_quorum=asked))
    assert caught.value.setting == "rpc_quorum"

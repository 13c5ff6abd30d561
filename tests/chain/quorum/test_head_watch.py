"""Waiting for a block: one look serves everybody, news wakes it, and who waits in vain is told how far the chain is."""

import asyncio

import pytest

from node.api.errors import ErrorCode, as_node_error
from node.chain.quorum.reader import HeadWatch
from node.errors import DomainError
from tests.chain.quorum.bench import UNHURRIED, Bench, quorum_bench, tasks_of_the_node
from tests.support.account_chain import AccountChain
from tests.support.constants import replace_constants
from tests.support.rpc_proxy import hang

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has a watch look once, then only when it is woken."""
    replace_constants(monkeypatch, "node.chain.quorum", HEAD_POLL_S=3600)


async def test_a_block_that_was_reached_already_asks_nobody(one: Bench) -> None:
    head = await one.quorum.look()
    one.requests()
    assert await HeadWatch(one.quorum, 60).reach(head.number) == head
    assert one.requests() == [0]


@pytest.mark.usefixtures("patient")
async def test_a_block_that_is_there_is_found_by_the_first_look(one: Bench) -> None:
    await one.quorum.look()
    number = await one.add_group()
    assert (await HeadWatch(one.quorum, 60).reach(number)).number == number


async def test_polling_finds_a_block_without_any_news(one: Bench) -> None:
    watch = HeadWatch(one.quorum, 60)
    wanted = (await one.quorum.look()).number + 1
    waiting = asyncio.create_task(watch.reach(wanted))
    one.proxies[0].arrived.clear()
    await one.proxies[0].arrived.wait()
    await one.add_group()
    assert (await waiting).number == wanted


@pytest.mark.usefixtures("patient")
async def test_news_of_a_follower_wakes_who_waits(one: Bench) -> None:
    watch = HeadWatch(one.quorum, 60)
    wanted = (await one.quorum.look()).number + 1
    waiting = asyncio.create_task(watch.reach(wanted))
    one.proxies[0].arrived.clear()
    await one.proxies[0].arrived.wait()
    await one.add_group()
    one.quorum.saw(one.rpc.providers[0], await one.head())
    assert (await waiting).number == wanted


@pytest.mark.usefixtures("patient")
async def test_one_look_at_a_time_serves_all_who_wait(one: Bench) -> None:
    await one.quorum.look()
    watch = HeadWatch(one.quorum, 60)
    wanted = [one.quorum.head.number + 1 + index % 3 for index in range(50)] if one.quorum.head else []
    one.requests()
    waiting = [asyncio.create_task(watch.reach(number)) for number in wanted]
    await one.proxies[0].arrived.wait()
    for _ in range(3):
        await one.add_group()
    one.quorum.saw(one.rpc.providers[0], await one.head())
    heads = await asyncio.gather(*waiting)
    assert all(head.number >= number for head, number in zip(heads, wanted, strict=True))
    assert sum(one.requests()) <= 6


@pytest.mark.usefixtures("patient")
async def test_a_head_agreed_on_by_any_other_read_serves_too(one: Bench) -> None:
    watch = HeadWatch(one.quorum, 60)
    wanted = (await one.quorum.look()).number + 1
    one.proxies[0].arrived.clear()
    waiting = asyncio.create_task(watch.reach(wanted))
    await one.proxies[0].arrived.wait()
    await one.add_group()
    await one.groups()
    assert (await waiting).number == wanted


async def test_who_waits_in_vain_is_told_how_far_the_chain_is_and_leaves_nothing_running(one: Bench) -> None:
    head = await one.quorum.look()
    with pytest.raises(DomainError) as caught:
        await HeadWatch(one.quorum, 0.1).reach(head.number + 1)
    error = caught.value
    assert as_node_error(error).code is ErrorCode.CHAIN_UNAVAILABLE
    assert error.details == {"min_block": head.number + 1, "block_number": head.number}
    assert error.retry_after_s
    assert tasks_of_the_node() == set()


async def test_a_chain_out_of_reach_is_waited_for_no_longer_than_said(chain: AccountChain) -> None:
    async with quorum_bench(chain, 1, UNHURRIED) as one, asyncio.timeout(30):
        one.proxies[0].behaviour = hang
        with pytest.raises(DomainError) as caught:
            await HeadWatch(one.quorum, 0.1).reach(1)
    assert caught.value.details == {"min_block": 1, "block_number": 0}


async def test_a_caller_that_goes_away_takes_nothing_from_the_others(one: Bench) -> None:
    watch = HeadWatch(one.quorum, 60)
    wanted = (await one.head()).number + 1
    leaving, staying = (asyncio.create_task(watch.reach(wanted)) for _ in range(2))
    await one.proxies[0].arrived.wait()
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)
    await one.add_group()
    assert (await staying).number == wanted
    assert tasks_of_the_node() == set()

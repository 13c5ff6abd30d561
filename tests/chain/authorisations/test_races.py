"""Readings in the air while the chain changes, and who may share one."""

import asyncio

import pytest

from node.chain.authorisations.cache import REORGANISATIONS_MAX
from node.chain.errors import ChainUnavailableError
from node.chain.port import Authorisation
from node.errors import DomainError
from node.permissions.grants import Caller
from tests.chain.authorisations.model import ACTION, WALLET, Bench, Key, bench_of, freely, granted

ACCOUNT, KEY = 100, 1
ALLOWED = Key(ACCOUNT, frozenset({ACTION}))
DENIED = granted(ALLOWED)


@pytest.fixture
def bench() -> Bench:
    made = bench_of({KEY: ALLOWED})
    made.chain.mine()
    return made


async def begun(bench: Bench, min_block: int = 0) -> asyncio.Task[Authorisation]:
    """A call whose reading is in the air, or which waits for one that is."""
    caller = await _caller_of(bench)
    bench.chain.held = [] if bench.chain.held is None else bench.chain.held
    task = asyncio.create_task(bench.cache.execution(caller, ACTION, min_block, freely))
    await settled()
    return task


async def _caller_of(bench: Bench) -> Caller:
    held, bench.chain.held = bench.chain.held, None
    caller = await bench.caller(KEY)
    bench.chain.held = held
    return caller


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def release(bench: Bench, index: int = 0) -> None:
    assert bench.chain.held is not None
    bench.chain.held.pop(index).set()
    await settled()


async def test_a_grant_in_the_air_when_the_account_changes_is_not_kept(bench: Bench) -> None:
    first = await begun(bench)
    bench.chain.mine({KEY: DENIED})
    bench.told(ACCOUNT)
    await release(bench)
    assert (await first).may_execute, "it was asked before the change was told"
    bench.chain.held = None
    assert not (await bench.cache.execution(await bench.caller(KEY), ACTION, 0, freely)).may_execute


async def test_who_comes_after_the_news_gets_no_grant_from_before_it(bench: Bench) -> None:
    first = await begun(bench)
    bench.chain.mine({KEY: DENIED})
    bench.told(ACCOUNT)
    second = await begun(bench)
    await release(bench)
    assert first.done()
    assert not second.done()
    await release(bench)
    assert not (await second).may_execute


async def test_who_comes_later_shares_a_grant_but_no_denial(bench: Bench) -> None:
    caller = await bench.caller(KEY)
    reads = bench.reads
    first, second = await begun(bench), await begun(bench)
    await release(bench)
    assert (await first) == (await second)
    assert bench.reads == reads + 1
    bench.chain.mine({KEY: DENIED})
    bench.told(ACCOUNT)
    denied, late = await begun(bench), await begun(bench)
    bench.chain.mine({KEY: ALLOWED})
    await release(bench)
    assert not (await denied).may_execute
    assert not late.done()
    await release(bench)
    assert (await late).may_execute
    assert caller.master_hash == ACCOUNT


async def test_a_hundred_cold_calls_of_a_denied_key_read_twice(bench: Bench) -> None:
    """The first reading was begun before most of them came, which they may not rest on; the second is for them all."""
    bench.chain.mine({KEY: DENIED})
    caller = await bench.caller(KEY)
    reads = bench.reads
    decisions = await asyncio.gather(*(bench.cache.execution(caller, ACTION, 0, freely) for _ in range(100)))
    assert not any(decision.may_execute for decision in decisions)
    assert bench.reads == reads + 2


async def test_who_asks_for_a_later_block_shares_no_reading_of_an_earlier(bench: Bench) -> None:
    first = await begun(bench)
    number = bench.chain.mine()
    second = await begun(bench, min_block=number)
    await release(bench)
    assert (await first).block_number == number - 1
    assert not second.done()
    await release(bench)
    assert (await second).block_number == number


async def test_who_waits_shares_a_failure(bench: Bench) -> None:
    first, second = await begun(bench), await begun(bench)
    bench.chain.fault = ChainUnavailableError("Out")
    await release(bench)
    for task in (first, second):
        with pytest.raises(DomainError):
            await task


@pytest.mark.parametrize("leaving", [0, 1])
async def test_who_hangs_up_takes_the_reading_from_nobody(bench: Bench, leaving: int) -> None:
    calls = [await begun(bench), await begun(bench)]
    calls[leaving].cancel()
    await settled()
    assert calls[leaving].cancelled()
    await release(bench)
    assert (await calls[1 - leaving]).may_execute


async def test_a_reading_nobody_waits_for_any_more_fails_unheard(bench: Bench) -> None:
    first = await begun(bench)
    first.cancel()
    bench.chain.fault = ChainUnavailableError("Out")
    await release(bench)
    bench.chain.fault, bench.chain.held = None, None
    assert (await bench.cache.execution(await bench.caller(KEY), ACTION, 0, freely)).may_execute


async def test_an_unknown_key_in_the_air_is_read_again_by_who_comes_later(bench: Bench) -> None:
    bench.chain.held = []
    first = asyncio.create_task(bench.cache.caller(9))
    await settled()
    bench.chain.mine({9: ALLOWED})
    second = asyncio.create_task(bench.cache.caller(9))
    await settled()
    await release(bench)
    assert await first is None
    await release(bench)
    assert await second is not None


async def test_a_grant_of_a_block_that_is_gone_is_not_honoured(bench: Bench) -> None:
    bench.chain.mine({KEY: DENIED})
    caller = await bench.caller(KEY)
    bench.chain.mine({KEY: ALLOWED})
    assert (await bench.cache.execution(caller, ACTION, 0, freely)).may_execute
    assert (await bench.cache.wallet_use(caller, ACTION, WALLET, 0, freely)).allowed
    bench.chain.fork_at(4)
    bench.chain.mine()
    bench.cache.reorganised(4)
    assert not (await bench.cache.execution(caller, ACTION, 0, freely)).may_execute
    assert not (await bench.cache.wallet_use(caller, ACTION, WALLET, 0, freely)).allowed


async def test_a_revocation_that_is_gone_is_a_grant_again(bench: Bench) -> None:
    caller = await bench.caller(KEY)
    bench.chain.mine({KEY: DENIED})
    bench.told(ACCOUNT)
    assert not (await bench.cache.execution(caller, ACTION, 0, freely)).may_execute
    bench.chain.fork_at(3)
    bench.cache.reorganised(3)
    assert (await bench.cache.execution(caller, ACTION, 0, freely)).may_execute
    bench.chain.mine()
    bench.advance(0.1)
    assert (await bench.cache.execution(caller, ACTION, 0, freely)).may_execute
    reads = bench.reads
    assert (await bench.cache.execution(caller, ACTION, 0, freely)).may_execute
    assert bench.reads == reads, "the change that is gone keeps the account out of the cache"


async def test_what_was_read_below_the_fork_stays(bench: Bench) -> None:
    caller = await bench.caller(KEY)
    await bench.cache.execution(caller, ACTION, 0, freely)
    reads = bench.reads
    bench.cache.reorganised(3)
    await bench.cache.execution(caller, ACTION, 0, freely)
    assert bench.reads == reads
    bench.cache.reorganised(2)
    await bench.cache.execution(caller, ACTION, 0, freely)
    assert bench.reads == reads + 1


async def test_a_reading_in_the_air_when_its_block_goes_is_not_kept(bench: Bench) -> None:
    first = await begun(bench)
    bench.chain.fork_at(2)
    bench.chain.mine({KEY: DENIED})
    bench.cache.reorganised(2)
    second = await begun(bench)
    await release(bench)
    assert (await first).may_execute
    await release(bench)
    assert not (await second).may_execute


async def test_no_reorganisation_makes_good_what_a_change_made_void(bench: Bench) -> None:
    """A provider that lies tells of a fork below the change that another told of."""
    caller = await bench.caller(KEY)
    await bench.cache.execution(caller, ACTION, 0, freely)
    bench.chain.mine({KEY: DENIED})
    bench.told(ACCOUNT)
    bench.cache.reorganised(3)
    assert not (await bench.cache.execution(caller, ACTION, 0, freely)).may_execute


async def test_many_reorganisations_are_remembered_as_few_deep_ones() -> None:
    bench = bench_of({KEY: ALLOWED})
    for _ in range(300):
        bench.chain.mine()
    caller = await bench.caller(KEY)
    await bench.cache.execution(caller, ACTION, 0, freely)
    bench.cache.reorganised(200)
    for fork in range(400, 1400):
        bench.advance(0.001)
        bench.cache.reorganised(fork)
    assert len(bench.cache._reorganisations._forks) <= REORGANISATIONS_MAX
    reads = bench.reads
    await bench.cache.execution(caller, ACTION, 0, freely)
    assert bench.reads == reads + 1

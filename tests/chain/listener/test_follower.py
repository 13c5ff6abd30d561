"""One provider followed step by step over a real chain: changes, reorganisations, and blocks that reads relied on."""

import pytest

from node.chain.listener.follower import PollResult
from node.chain.quorum.reader import ObservedBlocks
from node.chain.rpc import RpcUnavailableError
from tests.chain.listener.bench import Bench, answering, head_of, ranges_asked
from tests.support.rpc_proxy import RpcProxy, honest


async def mined(bench: Bench, blocks: int = 1) -> None:
    for _ in range(blocks):
        await bench.chain.rpc.ask("evm_mine")


async def reorganise(bench: Bench, depth: int) -> None:
    """Replace the newest `depth` blocks by others, and add one."""
    await bench.chain.rpc.ask("anvil_rollback", depth)
    timestamp = (await bench.head()).timestamp
    await bench.chain.rpc.ask("evm_setNextBlockTimestamp", timestamp + 100)
    await mined(bench, depth + 1)


async def test_a_change_is_told_with_its_block_and_once(bench: Bench) -> None:
    follower = await bench.followed()
    first, second = await bench.touch("first"), await bench.touch("second")
    assert await follower.poll() is PollResult.AT_HEAD
    assert bench.told.changes == [first, second]
    await mined(bench)
    await follower.poll()
    assert bench.told.changes == [first, second]
    assert bench.told.forks == []


async def test_two_changes_of_an_account_are_told_as_the_later(bench: Bench) -> None:
    follower = await bench.followed()
    account, _ = await bench.touch()
    block = await bench.chain.write("addGroup", account, "group", "", [], [])
    await follower.poll()
    assert bench.told.changes == [(account, block)]


async def test_the_last_blocks_are_read_again_for_an_endpoint_that_indexes_them_late(
    bench: Bench, proxy: RpcProxy
) -> None:
    follower = await bench.followed(proxy.url, OVERLAP_BLOCKS=2)
    change = await bench.touch()
    proxy.behaviour = answering("eth_getLogs", lambda _call, _logs: [])
    await follower.poll()
    assert bench.told.changes == []
    proxy.behaviour = honest
    await follower.poll()
    assert bench.told.changes == [change]
    await mined(bench, 3)
    await follower.poll()
    bench.told.forget()
    await follower.poll()
    assert bench.told.changes == []


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
async def test_a_reorganisation_voids_everything_since_the_fork(bench: Bench, depth: int) -> None:
    follower = await bench.followed()
    for each in range(5):
        await bench.touch(f"account {each}")
        await follower.poll()
    fork = (await bench.head()).number - depth
    bench.told.forget()
    await reorganise(bench, depth)
    await follower.poll()
    assert bench.told.forks == [fork]
    bench.told.forget()
    change = await bench.touch("after")
    await follower.poll()
    assert (bench.told.changes, bench.told.forks) == ([change], [])


async def test_what_the_new_blocks_change_is_told_too(bench: Bench) -> None:
    follower = await bench.followed()
    await bench.touch("gone")
    await follower.poll()
    bench.told.forget()
    await bench.chain.rpc.ask("anvil_rollback", 1)
    change = await bench.touch("instead")
    await mined(bench)
    await follower.poll()
    assert bench.told.forks == [change[1] - 1]
    assert bench.told.changes == [change]


async def test_a_reorganisation_deeper_than_all_it_remembers_voids_everything(bench: Bench) -> None:
    await mined(bench, 5)
    follower = await bench.followed(CHECKPOINTS_MAX=2, MARGIN_BLOCKS=0)
    for each in range(3):
        await bench.touch(f"account {each}")
        await follower.poll()
    bench.told.forget()
    await reorganise(bench, 3)
    await follower.poll()
    assert bench.told.forks == [0]
    change = await bench.touch("after")
    await follower.poll()
    assert change in bench.told.changes


async def test_a_block_that_a_read_relied_on_and_that_is_gone_voids_it_though_the_cursor_stands(bench: Bench) -> None:
    follower = await bench.followed()
    cursor = await bench.head()
    await bench.touch("seen by a read alone")
    relied = await bench.head()
    bench.relied.note(relied)
    await reorganise(bench, 1)
    await follower.poll()
    assert bench.told.forks == [cursor.number] == [relied.number - 1]
    bench.told.forget()
    await mined(bench)
    await follower.poll()
    assert bench.told.forks == []


async def test_a_block_that_a_read_relied_on_and_that_is_there_voids_nothing(bench: Bench) -> None:
    follower = await bench.followed()
    await bench.touch()
    bench.relied.note(await bench.head())
    await mined(bench)
    await follower.poll()
    assert bench.told.forks == []


async def test_a_relied_on_block_that_the_endpoint_has_not_got_yet_is_looked_at_when_it_has(
    bench: Bench, proxy: RpcProxy
) -> None:
    follower = await bench.followed(proxy.url)
    seen = await bench.chain.rpc.ask("eth_getBlockByNumber", "latest", False)
    await bench.touch("seen elsewhere")
    bench.relied.note(await bench.head())

    def lagging(call: dict[str, list[str]], block: object) -> object:
        return (
            block if call["params"][0] != "latest" and int(call["params"][0], 16) <= int(seen["number"], 16) else None
        )

    def at_head(call: dict[str, list[str]], block: object) -> object:
        return seen if call["params"][0] == "latest" else lagging(call, block)

    proxy.behaviour = answering("eth_getBlockByNumber", at_head)
    await follower.poll()
    assert bench.told.forks == []
    await reorganise(bench, 1)
    proxy.behaviour = honest
    await follower.poll()
    assert bench.told.forks == [head_of(seen).number]


async def test_relied_on_blocks_that_were_not_remembered_count_as_gone(bench: Bench) -> None:
    await mined(bench, 20)
    bench.relied = ObservedBlocks(1)
    follower = await bench.followed(MARGIN_BLOCKS=4)
    cursor = await bench.head()
    bench.relied.note(cursor)
    await follower.poll()
    assert bench.told.forks == []
    await mined(bench)
    bench.relied.note(await bench.head())
    bench.relied.note(cursor)
    await follower.poll()
    assert bench.told.forks == [cursor.number - 4]


async def test_more_relied_on_blocks_than_are_looked_at_count_as_gone_once(bench: Bench, proxy: RpcProxy) -> None:
    """A provider that stands still must not void the cache with every poll."""
    await mined(bench, 20)
    follower = await bench.followed(proxy.url, MARGIN_BLOCKS=4, UNCONFIRMED_MAX=2)
    stands_at = await bench.chain.rpc.ask("eth_getBlockByNumber", "latest", False)
    known = {"latest", stands_at["number"]}
    proxy.behaviour = answering(
        "eth_getBlockByNumber", lambda call, _block: stands_at if call["params"][0] in known else None
    )
    forks = [head_of(stands_at).number - 4]
    for further in (3, 1, 1):
        for _ in range(further):
            await mined(bench)
            bench.relied.note(await bench.head())
        await follower.poll()
        assert bench.told.forks == forks


async def test_an_endpoint_that_shows_less_is_waited_for_and_then_taken_at_its_word(bench: Bench) -> None:
    await mined(bench, 5)
    follower = await bench.followed()
    await mined(bench)
    await follower.poll()
    left = (await bench.head()).number - 1
    await bench.chain.rpc.ask("anvil_rollback", 1)
    assert await follower.poll() is PollResult.BEHIND
    bench.clock.advance(29)
    assert await follower.poll() is PollResult.BEHIND
    assert bench.told.forks == []
    bench.clock.advance(2)
    assert await follower.poll() is PollResult.AT_HEAD
    assert bench.told.forks == [left]
    change = await bench.touch("after")
    await follower.poll()
    assert bench.told.changes == [change]


async def test_an_endpoint_that_catches_up_after_showing_less_told_nothing(bench: Bench, proxy: RpcProxy) -> None:
    follower = await bench.followed(proxy.url)
    old = await bench.chain.rpc.ask("eth_getBlockByNumber", "latest", False)
    first = await bench.touch("first")
    await follower.poll()
    frozen = answering(
        "eth_getBlockByNumber",
        lambda call, _block: old if call["params"][0] in {"latest", old["number"]} else None,
    )
    proxy.behaviour = frozen
    for _ in range(3):
        bench.clock.advance(14)
        assert await follower.poll() is PollResult.BEHIND
        proxy.behaviour = honest
        assert await follower.poll() is PollResult.AT_HEAD
        proxy.behaviour = frozen
    assert (bench.told.changes, bench.told.forks) == ([first], [])


async def test_a_shorter_chain_of_other_blocks_is_a_reorganisation_at_once(bench: Bench) -> None:
    follower = await bench.followed()
    for each in range(4):
        await bench.touch(f"account {each}")
        await follower.poll()
    fork = (await bench.head()).number - 4
    bench.told.forget()
    await bench.chain.rpc.ask("anvil_rollback", 4)
    await bench.chain.rpc.ask("evm_setNextBlockTimestamp", (await bench.head()).timestamp + 100)
    await mined(bench, 2)
    await follower.poll()
    assert bench.told.forks == [fork]


async def test_logs_are_void_when_the_chain_changes_between_the_look_and_them(bench: Bench, proxy: RpcProxy) -> None:
    follower = await bench.followed(proxy.url)
    await bench.touch("gone")
    head = await bench.chain.rpc.ask("eth_getBlockByNumber", "latest", False)
    await reorganise(bench, 1)
    proxy.behaviour = answering(
        "eth_getBlockByNumber", lambda call, block: head if call["params"][0] == "latest" else block
    )
    with pytest.raises(RpcUnavailableError, match="changed while"):
        await follower.poll()
    proxy.behaviour = honest
    change = await bench.touch("there")
    await follower.poll()
    assert change in bench.told.changes


async def test_a_piece_of_news_that_could_not_be_told_is_told_later(bench: Bench) -> None:
    follower = await bench.followed()
    change = await bench.touch()
    bench.told.raising = RuntimeError("a fault of the cache")
    with pytest.raises(RuntimeError):
        await follower.poll()
    bench.told.raising = None
    await follower.poll()
    assert bench.told.changes == [change]


async def test_nothing_is_asked_twice_within_a_poll(bench: Bench, proxy: RpcProxy) -> None:
    follower = await bench.followed(proxy.url)
    await mined(bench, 3)
    proxy.seen.clear()
    await follower.poll()
    assert len(proxy.seen) == 2
    head = (await bench.head()).number
    assert ranges_asked(proxy) == [(head - 2, head)]


async def test_a_block_that_a_read_relied_on_is_held_against_the_chain_until_the_cursor_has_passed_it(
    bench: Bench, proxy: RpcProxy
) -> None:
    """Confirmed in a poll that could not read the logs, it is beyond all that shows a later reorganisation."""
    follower = await bench.followed(proxy.url)
    cursor = await bench.head()
    await bench.touch("seen by a read")
    bench.relied.note(await bench.head())
    proxy.behaviour = answering("eth_getLogs", lambda _call, _logs: RuntimeError("busy"))
    with pytest.raises(RpcUnavailableError):
        await follower.poll()
    proxy.behaviour = honest
    await reorganise(bench, 1)
    await follower.poll()
    assert bench.told.forks == [cursor.number]
    bench.told.forget()
    await mined(bench)
    await follower.poll()
    assert bench.told.forks == []

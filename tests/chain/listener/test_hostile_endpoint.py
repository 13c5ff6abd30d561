"""A provider that lies or breaks: nothing is told for it, nothing grows, and it is followed on when it is well."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from node.chain.listener.follower import PollResult
from node.chain.rpc import RpcUnavailableError
from tests.chain.listener.bench import Bench, answering, answering_each, ranges_asked
from tests.support import rpc_proxy
from tests.support.rpc_proxy import RpcProxy, honest, refusing, saying

ANOTHER = "0x" + "ee" * 20

BAD_LOGS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "another contract's": lambda log: [log | {"address": ANOTHER}],
    "before the range": lambda log: [log | {"blockNumber": "0x1"}],
    "after the range": lambda log: [log | {"blockNumber": "0xffff"}],
    "taken back": lambda log: [log | {"removed": True}],
    "no block": lambda log: [log | {"blockNumber": None}],
    "no topics": lambda log: [log | {"topics": []}],
    "another event": lambda log: [log | {"topics": ["0x" + "00" * 32, *log["topics"][1:]]}],
    "one good, one bad": lambda log: [log, log | {"removed": True}],
    "no list": lambda log: {"logs": [log]},
    "nothing": lambda _log: None,
    "text": lambda log: [str(log)],
}


@pytest.mark.parametrize("lie", BAD_LOGS)
async def test_logs_that_are_no_answer_tell_nothing_and_are_asked_again(
    bench: Bench, proxy: RpcProxy, lie: str
) -> None:
    follower = await bench.followed(proxy.url)
    change = await bench.touch()
    proxy.behaviour = answering("eth_getLogs", lambda _call, logs: BAD_LOGS[lie](logs[-1]))
    with pytest.raises(RpcUnavailableError):
        await follower.poll()
    assert (bench.told.changes, bench.told.forks) == ([], [])
    proxy.behaviour = honest
    assert await follower.poll() is PollResult.AT_HEAD
    assert bench.told.changes == [change]


def wrong_block(changed: dict[str, Any]) -> rpc_proxy.Behaviour:
    return answering("eth_getBlockByNumber", lambda _call, block: block | changed)


LIES: dict[str, rpc_proxy.Behaviour] = {
    "another chain": answering("eth_chainId", lambda _call, _id: "0x1"),
    "no chain": answering("eth_chainId", lambda _call, _id: None),
    "a head without a number": wrong_block({"number": None}),
    "a head beyond all numbers": wrong_block({"number": "0x" + "f" * 64}),
    "a head without a hash": wrong_block({"hash": "0x12"}),
    "no head": answering("eth_getBlockByNumber", lambda _call, _block: None),
    "one block for all": wrong_block({"number": "0x7"}),
    "an error for all": refusing(-32000, "go away"),
    "no logs": answering("eth_getLogs", lambda _call, _logs: Exception("no")),
    "garbage": saying(b"\x00garbage"),
    "an empty list": saying(b"[]"),
    "deep nesting": saying(b"[" * 100_000),
    "an HTTP error": saying(b"{}", status=502),
    "half an answer": rpc_proxy.truncate,
    "a reset": rpc_proxy.reset,
    "no HTTP": rpc_proxy.speak_no_http,
    "a flood": rpc_proxy.flood,
}


@pytest.mark.parametrize("lie", LIES)
async def test_whatever_an_endpoint_says_it_is_no_more_than_a_failed_poll(
    bench: Bench, proxy: RpcProxy, lie: str
) -> None:
    follower = await bench.followed(proxy.url)
    change = await bench.touch()
    proxy.behaviour = LIES[lie]
    with pytest.raises(RpcUnavailableError) as raised:
        await follower.poll()
    assert bench.told.changes == []
    assert proxy.url not in str(raised.value)
    proxy.behaviour = honest
    bench.told.forget()
    await follower.poll()
    assert bench.told.changes == [change]


async def test_an_endpoint_that_never_answers_holds_a_poll_no_longer_than_the_setting(
    bench: Bench, proxy: RpcProxy
) -> None:
    await bench.followed(proxy.url)
    follower = bench.follower(proxy.url, EXCHANGE_TIMEOUT_S=0.05)
    proxy.behaviour = rpc_proxy.hang
    async with asyncio.timeout(10):
        with pytest.raises(RpcUnavailableError):
            await follower.poll()


async def test_more_logs_than_are_taken_at_once_are_read_in_parts(bench: Bench, proxy: RpcProxy) -> None:
    follower = await bench.followed(proxy.url, LOGS_MAX=2)
    changes = [await bench.touch(f"account {each}") for each in range(6)]
    while await follower.poll() is PollResult.MORE:
        pass
    assert bench.told.changes == changes
    assert max(last - first + 1 for first, last in ranges_asked(proxy)[-3:]) <= 3


async def test_a_block_whose_logs_are_never_given_is_passed_in_the_end_with_everything_void(
    bench: Bench, proxy: RpcProxy
) -> None:
    follower = await bench.followed(proxy.url, MARGIN_BLOCKS=3)
    _, unreadable = await bench.touch()

    def withheld(call: dict[str, Any], logs: Any) -> Any:
        asked = call["params"][0]
        holds = int(asked["fromBlock"], 16) <= unreadable <= int(asked["toBlock"], 16)
        return Exception("query returned more than 10000 results") if holds else logs

    proxy.behaviour = answering("eth_getLogs", withheld)
    for _ in range(3):
        with pytest.raises(RpcUnavailableError):
            await follower.poll()
        assert bench.told.forks == []
        await bench.chain.rpc.ask("evm_mine")
    assert await follower.poll() is PollResult.MORE
    assert bench.told.forks == [0]
    assert await follower.poll() is PollResult.AT_HEAD
    change = await bench.touch("after")
    while await follower.poll() is PollResult.MORE:
        pass
    assert change in bench.told.changes
    assert bench.told.forks == [0]


async def test_an_endless_chain_is_read_a_bounded_part_at_a_time(bench: Bench, proxy: RpcProxy) -> None:
    """A liar's head runs away; each poll asks a few times and voids at most everything."""
    follower = await bench.followed(proxy.url, RANGES_PER_POLL_MAX=4)
    block = await bench.chain.rpc.ask("eth_getBlockByNumber", "latest", False)
    height = int(block["number"], 16)
    looks: list[str] = []

    def any_block(call: dict[str, Any], honest_block: Any) -> Any:
        number = call["params"][0]
        if number == "latest":
            looks.append(number)
            number = hex(height + 40_000 * len(looks))
        made_up = block | {"number": number, "hash": f"0x{int(number, 16):064x}"}
        return made_up if int(number, 16) > height else honest_block

    proxy.behaviour = answering_each({"eth_getBlockByNumber": any_block, "eth_getLogs": lambda _call, _logs: []})
    for _ in range(5):
        before = len(proxy.seen)
        await follower.poll()
        assert len(proxy.seen) - before <= 2 + 2 * 4
    assert bench.told.changes == []
    assert set(bench.told.forks) == {0}

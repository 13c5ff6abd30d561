"""A long outage: the listener catches up by itself behind a provider that limits log ranges."""

from typing import Any

import pytest
from aiohttp import web

from node.chain.listener import Listener
from node.chain.listener.follower import PollResult
from tests.chain.listener.bench import Bench, answering, calls_of, ranges_asked
from tests.support import rpc_proxy
from tests.support.account_chain import AccountChain
from tests.support.rpc_proxy import Behaviour, Forward, RpcProxy

OUTAGE_BLOCKS = 10_000
PROVIDER_LIMIT = 2_000


class Stretched:
    """A chain shown with `OUTAGE_BLOCKS` empty blocks after block `after`: to mine them for real takes a minute."""

    def __init__(self, chain: AccountChain, after: int) -> None:
        self._rpc = chain.rpc
        self._after = after

    async def behave(self, _request: web.Request, asked: Any, _forward: Forward) -> web.StreamResponse:
        told = [{"jsonrpc": "2.0", "id": call["id"], **await self._told(call)} for call in calls_of(asked)]
        return web.json_response(told if isinstance(asked, list) else told[0])

    async def _told(self, call: dict[str, Any]) -> dict[str, Any]:
        if call["method"] == "eth_getBlockByNumber":
            return {"result": await self._block(call["params"][0])}
        if call["method"] == "eth_getLogs":
            return await self._logs(call["params"][0])
        return {"result": await self._rpc.ask(call["method"], *call["params"])}

    async def _block(self, tag: str) -> Any:
        if tag != "latest" and self._after < int(tag, 16) <= self._after + OUTAGE_BLOCKS:
            block = await self._rpc.ask("eth_getBlockByNumber", hex(self._after), False)
            return block | {"number": tag, "hash": f"0x{int(tag, 16):064x}"}
        real = tag if tag == "latest" else hex(self._real(int(tag, 16)))
        block = await self._rpc.ask("eth_getBlockByNumber", real, False)
        return block and self._shown(block, "number")

    async def _logs(self, asked: dict[str, Any]) -> dict[str, Any]:
        first, last = int(asked["fromBlock"], 16), int(asked["toBlock"], 16)
        if last - first + 1 > PROVIDER_LIMIT:
            return {"error": {"code": -32602, "message": "block range too large"}}
        gap = range(self._after + 1, self._after + OUTAGE_BLOCKS + 1)
        first = self._after + 1 if first in gap else self._real(first)
        last = self._after if last in gap else self._real(last)
        real = asked | {"fromBlock": hex(first), "toBlock": hex(last)}
        logs = await self._rpc.ask("eth_getLogs", real) if first <= last else []
        return {"result": [self._shown(log, "blockNumber") for log in logs]}

    def _real(self, number: int) -> int:
        return number - OUTAGE_BLOCKS * (number > self._after)

    def _shown(self, thing: dict[str, Any], name: str) -> dict[str, Any]:
        return thing | {name: hex(self.shown(int(thing[name], 16)))}

    def shown(self, number: int) -> int:
        return number + OUTAGE_BLOCKS * (number > self._after)


def limited(most: int, message: str) -> Behaviour:
    """Refuses larger log ranges, as hosted providers do."""

    def answer(call: dict[str, Any], logs: Any) -> Any:
        asked = call["params"][0]
        blocks = int(asked["toBlock"], 16) - int(asked["fromBlock"], 16) + 1
        return Exception(message) if blocks > most else logs

    return answering("eth_getLogs", answer)


async def test_ten_minutes_and_ten_thousand_blocks_behind_a_limit_of_two_thousand_are_caught_up(
    bench: Bench, proxy: RpcProxy
) -> None:
    listener = bench.listener([proxy.url], listener_log_range_blocks=5000)
    async with listener.running():
        await bench.told.until(lambda: listener.lag_s() is not None)
        bench.told.forget()
        stretched = Stretched(bench.chain, (await bench.touch("before"))[1])
        proxy.behaviour = rpc_proxy.drop
        missed = [await bench.touch("first"), await bench.touch("second")]
        bench.clock.advance(600)
        assert (listener.lag_s() or 0) >= 600
        proxy.seen.clear()
        proxy.behaviour = stretched.behave
        expected = {(account, stretched.shown(block)) for account, block in missed}
        await bench.told.until(lambda: expected <= set(bench.told.changes))
        assert await lag_falls(bench, listener)
    assert bench.told.forks == []
    sizes = {last - first + 1 for first, last in ranges_asked(proxy)}
    assert max(sizes) == 5000
    assert max(size for size in sizes if size <= PROVIDER_LIMIT) == 1250


async def lag_falls(bench: Bench, listener: Listener) -> bool:
    """Whether the next polls are read to the head."""
    seen = len(bench.told.heads)
    await bench.told.until(lambda: len(bench.told.heads) > seen + 1)
    return listener.lag_s() == 0


@pytest.mark.parametrize("message", ["limit exceeded", "block range too large"])
async def test_whether_a_limit_is_called_the_calls_fault_or_the_endpoints_the_range_is_halved(
    bench: Bench, proxy: RpcProxy, message: str
) -> None:
    follower = await bench.followed(proxy.url, listener_log_range_blocks=64)
    changes = [await bench.touch(f"account {each}") for each in range(12)]
    proxy.behaviour = limited(5, message)
    assert await follower.poll() is PollResult.AT_HEAD
    assert bench.told.changes == changes


async def test_farther_behind_than_is_read_everything_is_void_and_the_newest_blocks_are_read(bench: Bench) -> None:
    follower = await bench.followed(CATCH_UP_MAX_BLOCKS=10, MARGIN_BLOCKS=3)
    await bench.touch("old")
    await bench.chain.rpc.ask("anvil_mine", hex(10))
    change = await bench.touch("new")
    assert await follower.poll() is PollResult.AT_HEAD
    assert bench.told.forks == [0]
    assert bench.told.changes == [change]


async def test_a_poll_reads_a_bounded_number_of_ranges_and_the_next_goes_on(bench: Bench) -> None:
    follower = await bench.followed(listener_log_range_blocks=2, RANGES_PER_POLL_MAX=2)
    changes = [await bench.touch(f"account {each}") for each in range(7)]
    assert await follower.poll() is PollResult.MORE
    assert bench.told.changes == changes[:4]
    assert await follower.poll() is PollResult.AT_HEAD
    assert bench.told.changes == changes

"""A receipt counts once it is complete: until then a write is unconfirmed, whatever the providers call mined."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import structlog

from node.api.errors import ErrorCode, as_node_error
from node.chain.port import WriteResult
from node.chain.quorum.reader import MinimumBlock
from node.chain.writes.writer import ChainWrites
from node.errors import DomainError
from node.runtime.clock import Clock
from node.settings.chain import ChainWriteSettings
from tests.support.clock import SkippingClock
from tests.support.constants import replace_constants
from tests.support.lies import Outcome, altering, answering, per_call, upon
from tests.support.odd_providers import ABSENT, CHANGES, RECEIPT, showing
from tests.support.rpc_proxy import RpcProxy, honest
from tests.support.writes import Told, WriteWorld, set_constants

ACCOUNT = 0xACC
TWO_BLOCKS_S = 24
"""Of Ethereum."""
SHORT = ChainWriteSettings(write_receipt_timeout_s=1.0)
"""Long enough for the node to have seen what the providers show."""


@dataclass
class Bench:
    """A node with its providers. `bad` shows what the test tells it to."""

    world: WriteWorld
    proxies: Sequence[RpcProxy]
    database: Path
    told: Told = field(default_factory=Told)
    floor: MinimumBlock = field(default_factory=MinimumBlock)

    def open(self) -> contextlib.AbstractAsyncContextManager[ChainWrites]:
        quorum = len(self.proxies) // 2 + 1
        urls = [proxy.url for proxy in self.proxies]
        return self.world.open(
            self.database, told=self.told, floor=self.floor, settings=SHORT, urls=urls, quorum=quorum
        )


@pytest.fixture
async def bench_of(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Callable[[int], Any]]:
    """Makes a bench with so many providers; its account is there."""
    set_constants(monkeypatch, CHECK_INTERVAL_S=0.05, RESEND_AFTER_S=0.2, NONCE_PROOF_S=0.1)
    replace_constants(monkeypatch, "node.chain", ENDPOINT_REST_S=0.0, DISSENTER_REST_S=0.0)
    async with contextlib.AsyncExitStack() as stack:

        async def make(count: int) -> Bench:
            async with world.open(database) as writes:
                await writes.writer.write(world.new_account(ACCOUNT))
            proxies = [await stack.enter_async_context(RpcProxy(world.url).running()) for _ in range(count)]
            return Bench(world, proxies, database)

        yield make


async def unconfirmed(writes: ChainWrites, bench: Bench) -> tuple[str, list[dict[str, Any]]]:
    """Write a group under the key `once`; the hash that its 504 names, and the log lines about it."""
    with structlog.testing.capture_logs() as logs, pytest.raises(DomainError) as late:
        await writes.writer.write(bench.world.add_group(ACCOUNT, idempotency_id="once"))
    assert as_node_error(late.value).code is ErrorCode.CHAIN_TIMEOUT
    shown = str(late.value.details["transaction_hash"])
    return shown, [dict(line) for line in logs if line.get("transaction_hash") == shown]


async def ended(writes: ChainWrites) -> WriteResult | DomainError:
    """Return the end of the write under the key `once`."""
    while True:
        with contextlib.suppress(DomainError):
            found = await writes.writer.recall("once")
            assert found is not None
            end = found.result or found.failure
            assert end is not None
            return end


COUNTS = {"the one provider": (1, 1), "two of three": (2, 3), "one of three": (1, 3)}
QUICK = [("the one provider", change) for change in list(CHANGES)[:4]] + [("two of three", "without status")]
QUICK += [("one of three", "of block 1,000,000")]
ALL = [
    pytest.param(who, change, marks=[] if (who, change) in QUICK else pytest.mark.exhaustive, id=f"{who}, {change}")
    for who in COUNTS
    for change in CHANGES
]


@pytest.mark.parametrize(("who", "change"), ALL)
async def test_an_incomplete_receipt_decides_nothing(bench_of: Callable[[int], Any], who: str, change: str) -> None:
    bad, count = COUNTS[who]
    bench: Bench = await bench_of(count)
    lacking, members = CHANGES[change]
    async with bench.open() as writes:
        floor, told = bench.floor.value, len(bench.told.ended)
        for proxy in bench.proxies[:bad]:
            proxy.behaviour = showing(members)
        if count - bad > count // 2:
            end: WriteResult | DomainError = await writes.writer.write(
                bench.world.add_group(ACCOUNT, idempotency_id="once")
            )
        else:
            transaction_hash, lines = await unconfirmed(writes, bench)
            (line,) = lines
            assert line["log_level"] == "warning"
            assert (
                line["lacking"].items() <= {f"127.0.0.1:{each.port}": lacking for each in bench.proxies[:bad]}.items()
            )
            assert (bench.floor.value, len(bench.told.ended)) == (floor, told)
            for proxy in bench.proxies:
                proxy.behaviour = honest
            end = await ended(writes)
            assert isinstance(end, WriteResult)
            assert end.transaction_hash == transaction_hash
        assert isinstance(end, WriteResult)
        assert end.event("GroupAdded") is not None
        head = int(str(await bench.world.rpc.call("eth_blockNumber")), 16)
        assert 0 < end.block_number <= bench.floor.value <= head
    assert [each for _, each in bench.told.ended[told:]] == [end]
    assert await bench.world.group_names(ACCOUNT) == ["group"]


@pytest.mark.parametrize("count", [1, 3])
async def test_a_write_is_not_given_up_while_one_provider_shows_an_incomplete_receipt(
    bench_of: Callable[[int], Any], count: int
) -> None:
    """All others show none, and all count its nonce as used: what was done would be done again."""
    bench: Bench = await bench_of(count)
    hiding = per_call(altering({RECEIPT}, lambda _: None))
    async with bench.open() as writes:
        for proxy in bench.proxies:
            proxy.behaviour = hiding
        bench.proxies[-1].behaviour = showing({"status": ABSENT})
        await unconfirmed(writes, bench)
        for proxy in bench.proxies:
            proxy.behaviour = honest
        assert isinstance(await ended(writes), WriteResult)
    assert await bench.world.group_names(ACCOUNT) == ["group"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("count", [1, 3])
async def test_an_error_in_place_of_a_receipt_proves_no_other_transaction(
    bench_of: Callable[[int], Any], count: int
) -> None:
    """As geth answers while it indexes."""
    bench: Bench = await bench_of(count)

    async def indexing(method: str, params: list[Any], ask: Any) -> Any:
        error = {"code": -32000, "message": "transaction indexing is in progress"}
        return {"error": error} if method == RECEIPT else await ask(method, *params)

    async with bench.open() as writes:
        for proxy in bench.proxies:
            proxy.behaviour = per_call(indexing)
        await unconfirmed(writes, bench)
        for proxy in bench.proxies:
            proxy.behaviour = honest
        assert isinstance(await ended(writes), WriteResult)


LATE: dict[str, Outcome] = {
    "none": {"result": None},
    "an error of geth": {"error": {"code": -32000, "message": "transaction indexing is in progress"}},
}


@pytest.mark.parametrize(
    "late", [pytest.param(each, marks=pytest.mark.exhaustive if place else []) for place, each in enumerate(LATE)]
)
async def test_late_receipts_are_waited_for_though_the_nonce_counts_as_used(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch, late: str
) -> None:
    """Of the machines behind a provider's name one counts the transaction, and another is two blocks behind."""
    set_constants(monkeypatch, CHECK_INTERVAL_S=0.02)
    clock = SkippingClock(0.0)
    async with contextlib.AsyncExitStack() as stack:
        proxies = [await stack.enter_async_context(RpcProxy(world.url).running()) for _ in range(2)]
        urls = [proxy.url for proxy in proxies]
        writes = await stack.enter_async_context(
            world.open(database, urls=urls, quorum=2, clock=Clock(monotonic=clock))
        )
        await writes.writer.write(world.new_account(ACCOUNT))
        for proxy in proxies:
            proxy.behaviour = per_call(answering({RECEIPT}, lambda _: LATE[late]))
        async with asyncio.TaskGroup() as group:
            writing = group.create_task(writes.writer.write(world.add_group(ACCOUNT)))
            for _ in range(TWO_BLOCKS_S):
                clock.skip(1.0)
                for _ in range(2):  # each pass of the tracker asks again
                    proxies[0].arrived.clear()
                    await proxies[0].arrived.wait()
            assert not writing.done()
            for proxy in proxies:
                proxy.behaviour = honest
        assert writing.result().event("GroupAdded") is not None


async def test_a_receipt_without_the_head_of_its_provider_decides_nothing(bench_of: Callable[[int], Any]) -> None:
    """Its block may be one that the provider lacks, and would raise the minimum block of all reads."""
    bench: Bench = await bench_of(1)
    (proxy,) = bench.proxies
    ahead = altering({RECEIPT}, lambda shown: {**shown, "blockNumber": hex(10**6)})
    headless = answering({"eth_blockNumber"}, lambda _: {"error": {"code": -32000, "message": "busy"}})
    async with bench.open() as writes:
        floor = bench.floor.value
        proxy.behaviour = per_call(upon(headless, ahead))
        await unconfirmed(writes, bench)
        assert bench.floor.value == floor
        proxy.behaviour = honest
        assert isinstance(await ended(writes), WriteResult)

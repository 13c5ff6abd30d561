"""Writes that go well, or are refused before anything is sent."""

import asyncio
import statistics
import time
from pathlib import Path

import aiohttp
import pytest

from devkit.local_chain import LocalChainOptions, local_chain
from node.api.errors import ErrorCode, NodeError, as_node_error
from node.chain.port import WriteResult
from node.chain.quorum.reader import MinimumBlock
from node.chain.writes.broadcast import POLL_MAX_S
from node.errors import DomainError
from node.runtime.clock import Clock
from node.settings.chain import ChainWriteSettings
from tests.support.clock import SkippingClock
from tests.support.rpc_proxy import RpcProxy, hang, honest
from tests.support.writes import BY_HAND_S, ETHER, Told, WriteWorld, local_settings, set_constants, write_world

ACCOUNT = 0xACC
BLOCK_TIME_S = 2


async def test_a_write_answers_where_it_is_and_what_it_emitted(world: WriteWorld, database: Path) -> None:
    told = Told()
    async with world.open(database, told=told) as writes:
        intent = world.new_account(ACCOUNT, answer={"api_key": "secret"}, charge={"cents": 1})
        result = await writes.writer.write(intent)
        receipt = await world.rpc.call("eth_getTransactionReceipt", [result.transaction_hash])
        assert isinstance(receipt, dict)
        assert int(str(receipt["blockNumber"]), 16) == result.block_number
        created = result.event("AccountCreated")
        assert created is not None
        assert created.arguments == {"apiKeyHash": ACCOUNT, "admin": "0x" + "00" * 20, "managed": True}
        assert (result.write_id, result.answer) == (intent.write_id, {"api_key": "secret"})
    assert told.ended == [(intent, result)]


async def test_what_would_revert_is_refused_and_nothing_is_sent(world: WriteWorld, database: Path) -> None:
    told = Told()
    async with world.open(database, told=told) as writes:
        before = [await world.count(payer) for payer in writes.payers.addresses]
        with pytest.raises(DomainError) as own_key:
            await writes.writer.write(world.add_group(404, caller_hash=404))
        with pytest.raises(DomainError) as other:
            await writes.writer.write(world.add_group(404, caller_hash=ACCOUNT))
        await writes.writer.write(world.new_account(ACCOUNT))
        with pytest.raises(DomainError) as twice:
            await writes.writer.write(world.new_account(ACCOUNT))
        after = [await world.count(payer) for payer in writes.payers.addresses]
    assert (as_node_error(own_key.value).code, as_node_error(other.value).code) == (
        ErrorCode.UNAUTHORIZED,
        ErrorCode.NOT_FOUND,
    )
    assert as_node_error(twice.value).code is ErrorCode.CONFLICT
    assert sum(after) - sum(before) == 1
    assert len(told.ended) == 1


async def test_two_hundred_concurrent_writes_over_four_payers_all_land_once(world: WriteWorld, database: Path) -> None:
    told = Told()
    async with world.open(database, told=told) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        first = [await world.count(payer) for payer in writes.payers.addresses]
        started = time.perf_counter()
        results = await asyncio.gather(*(writes.writer.write(world.add_group(ACCOUNT, f"g{i}")) for i in range(200)))
        print(f"200 concurrent writes in {time.perf_counter() - started:.2f} s")  # noqa: T201 - a figure for the note
        counts = [await world.count(payer) for payer in writes.payers.addresses]
        pending = [await world.count(payer, "pending") for payer in writes.payers.addresses]
    sent = [count - before for count, before in zip(counts, first, strict=True)]
    assert sum(sent) == 200
    assert min(sent) >= 25, sent
    assert pending == counts
    assert len({result.transaction_hash for result in results}) == 200
    assert sorted(await world.group_names(ACCOUNT)) == sorted(f"g{i}" for i in range(200))
    assert len(told.ended) == 201


async def test_concurrent_writes_of_one_account_answer_their_own_group_id(world: WriteWorld, database: Path) -> None:
    """Simulation would promise all of them the same id."""
    async with world.open(database) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        names = [f"g{i}" for i in range(32)]
        results = await asyncio.gather(*(writes.writer.write(world.add_group(ACCOUNT, name)) for name in names))
    ids = [_group_id(result) for result in results]
    by_id = dict(zip(ids, names, strict=True))
    assert [by_id[number] for number in range(1, 33)] == list(await world.group_names(ACCOUNT))


def _group_id(result: WriteResult) -> int:
    added = result.event("GroupAdded")
    assert added is not None
    number = added.arguments["groupId"]
    assert isinstance(number, int)
    return number


async def test_the_next_write_sees_the_one_before(world: WriteWorld, database: Path) -> None:
    async with world.open(database) as writes:
        for number in range(1, 21):
            await writes.writer.write(world.new_account(ACCOUNT + number))
            added = await writes.writer.write(world.add_group(ACCOUNT + number))
            await writes.writer.write(world.intent("removeGroup", ACCOUNT + number, _group_id(added)))


@pytest.mark.exhaustive
async def test_with_blocks_at_intervals_a_write_takes_no_longer_than_its_block(tmp_path: Path) -> None:
    options = LocalChainOptions(block_time_s=BLOCK_TIME_S)
    async with local_chain(options) as chain, aiohttp.ClientSession() as session:
        world = await write_world(session, chain.url)
        async with world.open(tmp_path / "node.db") as writes:
            await writes.writer.write(world.new_account(ACCOUNT))
            took = await asyncio.gather(
                *(_timed(world, writes.writer.write(world.add_group(ACCOUNT))) for _ in range(40))
            )
    print(f"{BLOCK_TIME_S} s blocks: p50 {statistics.median(took):.3f} s, max {max(took):.3f} s")  # noqa: T201 - a figure for the note
    assert statistics.median(took) < 1.5 * BLOCK_TIME_S, "half of them missed a block"


async def _timed(world: WriteWorld, write: object) -> float:
    started = time.perf_counter()
    await write  # type: ignore[misc]  # any awaitable
    return time.perf_counter() - started


async def test_a_caller_that_goes_away_leaves_a_write_that_happens(world: WriteWorld, database: Path) -> None:
    told = Told()
    async with world.open(database, told=told) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        await world.automine(False)
        intent = world.add_group(ACCOUNT, "kept", idempotency_id="gone")
        caller = asyncio.create_task(writes.writer.write(intent))
        await world.until_pending(1)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        await world.automine(True)
        await world.mine()
        found = await writes.writer.recall("gone")
        assert found is not None
        assert found.result is not None
    assert await world.group_names(ACCOUNT) == ["kept"]
    assert told.of(intent.write_id) == [found.result]


async def test_a_repeated_request_finds_its_write_and_never_makes_a_second(world: WriteWorld, database: Path) -> None:
    told = Told()
    async with world.open(database, told=told) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        first = world.add_group(ACCOUNT, idempotency_id="once", answer={"name": "kept"})
        assert await writes.writer.recall("once") is None
        twins = [world.add_group(ACCOUNT, idempotency_id="once", answer={"name": "kept"}) for _ in range(9)]
        results = await asyncio.gather(*(writes.writer.write(intent) for intent in (first, *twins)))
        assert len(set(map(_group_id, results))) == 1
        assert {result.write_id for result in results} == {results[0].write_id}
    assert len(await world.group_names(ACCOUNT)) == 1
    async with world.open(database) as writes:
        again = await writes.writer.earlier("once")
        recalled = await writes.writer.recall("once")
        assert recalled is not None
        assert recalled.answer == results[0].answer
        assert again == results[0]
        assert again.answer == {"name": "kept"}
        assert _group_id(again) == 1
        assert await writes.writer.write(first) == results[0]
    assert len(await world.group_names(ACCOUNT)) == 1


async def test_a_twin_that_would_revert_is_answered_with_the_first(world: WriteWorld, database: Path) -> None:
    async with world.open(database) as writes:
        first = await writes.writer.write(world.new_account(ACCOUNT, idempotency_id="same"))
        assert await writes.writer.write(world.new_account(ACCOUNT, idempotency_id="same")) == first


async def test_a_write_found_again_after_a_restart_is_seen_by_the_reads_that_follow(
    world: WriteWorld, database: Path
) -> None:
    """The provider that is asked next may still be behind it."""
    async with world.open(database) as writes:
        first = await writes.writer.write(world.new_account(ACCOUNT, idempotency_id="before"))
    floor = MinimumBlock(may_fall=True)
    async with world.open(database, floor=floor) as writes:
        floor.rewind_to(0)
        assert await writes.writer.earlier("before") == first
        assert floor.value == first.block_number


async def test_a_write_id_is_used_once(world: WriteWorld, database: Path) -> None:
    async with world.open(database) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        intent = world.add_group(ACCOUNT)
        await writes.writer.write(intent)
        with pytest.raises(DomainError) as refused:
            await writes.writer.write(intent)
    assert as_node_error(refused.value).code is ErrorCode.CONFLICT
    assert len(await world.group_names(ACCOUNT)) == 1


async def test_what_overtakes_a_write_makes_it_fail_with_the_reason_and_free(world: WriteWorld, database: Path) -> None:
    """Both pass simulation; one of them reverts on chain."""
    told = Told()
    async with world.open(database, told=told) as writes:
        await world.automine(False)
        twins = [asyncio.create_task(writes.writer.write(world.new_account(ACCOUNT))) for _ in range(2)]
        await world.until_pending(2)
        await world.mine()
        outcomes = await asyncio.gather(*twins, return_exceptions=True)
        await world.automine(True)
    (refused,) = [outcome for outcome in outcomes if isinstance(outcome, DomainError)]
    assert as_node_error(refused).code is ErrorCode.CONFLICT
    assert sorted(result is None for _, result in told.ended) == [False, True]
    (failed,) = [intent for intent, result in told.ended if result is None]
    assert told.reverted == [failed], "its gas is spent, and whoever bounds that is told"


async def test_why_a_write_failed_stays_the_answer_when_its_nonce_is_filled_again(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A 409 that became a 503 would be repeated by its client, with another outcome."""
    set_constants(monkeypatch, CHECK_INTERVAL_S=0.05)
    async with world.open(database, settings=ChainWriteSettings(payer_count=1)) as writes:
        (payer,) = writes.payers.addresses
        await world.automine(False)
        names = ("the first twin of this account", "the second twin of this account")
        twins = [
            asyncio.create_task(writes.writer.write(world.new_account(ACCOUNT, idempotency_id=name))) for name in names
        ]
        await world.until_pending(2)
        await world.mine()
        outcomes = await asyncio.gather(*twins, return_exceptions=True)
        await world.automine(True)
        (loser,) = [name for name, outcome in zip(names, outcomes, strict=True) if isinstance(outcome, DomainError)]
        count = await world.count(payer)
        await world.rpc.call("anvil_rollback", [1])
        assert await world.count(payer) == count - 2
        async with asyncio.timeout(60):
            while True:
                await asyncio.sleep(0.02)
                if await world.count(payer) >= count:
                    break
        await writes.writer.write(world.add_group(ACCOUNT))
    async with world.open(database, settings=local_settings(payer_count=1)) as writes:
        found = await writes.writer.recall(loser)
    assert found is not None
    assert found.failure is not None
    assert as_node_error(found.failure).code is ErrorCode.CONFLICT


async def test_secrets_are_nowhere_in_the_files(world: WriteWorld, database: Path) -> None:
    secret = "c2VjcmV0IGtleSBvZiB0aGlydHkgdHdvIGJ5dGVzISE="
    async with world.open(database) as writes:
        intent = world.new_account(ACCOUNT, answer={"api_key": secret}, idempotency_id="with secret")
        await writes.writer.write(intent)
        files = list(database.parent.iterdir())
        content = b"".join(file.read_bytes() for file in files)
        found = await writes.writer.recall("with secret")
    assert secret.encode() not in content
    assert intent.write_id.encode() in content
    assert found is not None
    assert found.answer == {"api_key": secret}
    assert found.journaled_at == pytest.approx(time.time(), abs=60)


async def test_a_busy_node_queues_writes_beyond_what_its_payers_may_have_in_flight(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_constants(monkeypatch, IN_FLIGHT_MAX=2)
    async with world.open(database, settings=local_settings(payer_count=2)) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        await asyncio.gather(*(writes.writer.write(world.add_group(ACCOUNT)) for _ in range(40)))
    assert len(await world.group_names(ACCOUNT)) == 40


async def test_a_write_that_finds_no_room_in_time_is_refused_and_not_sent(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world.open(database) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
    set_constants(monkeypatch, QUEUE_TIMEOUT_S=0.3, IN_FLIGHT_MAX=1)
    impatient = ChainWriteSettings(payer_count=1, write_receipt_timeout_s=0.3)
    async with world.open(database, settings=impatient) as writes:
        await world.automine(False)
        outcomes = await asyncio.gather(
            *(writes.writer.write(world.add_group(ACCOUNT)) for _ in range(3)), return_exceptions=True
        )
        await world.mine()
    codes = [as_node_error(outcome).code for outcome in outcomes if isinstance(outcome, DomainError)]
    assert sorted(codes) == [ErrorCode.CHAIN_TIMEOUT, ErrorCode.CHAIN_UNAVAILABLE, ErrorCode.CHAIN_UNAVAILABLE]
    assert len(await world.group_names(ACCOUNT)) == 1


async def test_a_write_of_more_gas_than_allowed_is_refused(world: WriteWorld, database: Path) -> None:
    async with world.open(database):
        pass
    async with world.open(database, settings=local_settings(write_gas_limit_max=100_000)) as writes:
        with pytest.raises(DomainError) as refused:
            await writes.writer.write(world.new_account(ACCOUNT))
    assert as_node_error(refused.value).code is ErrorCode.BAD_REQUEST


async def test_what_is_refused_before_it_is_sent_leaves_no_trace(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The payer's only place is given back, each time, and no nonce is taken."""
    set_constants(monkeypatch, IN_FLIGHT_MAX=1)
    costs: list[int] = []

    async def refuse(cost_wei: int) -> None:
        costs.append(cost_wei)
        raise NodeError(ErrorCode.TOO_MANY_REQUESTS, "no more")

    async with world.open(database, settings=local_settings(payer_count=1)) as writes:
        (payer,) = writes.payers.addresses
        for account in range(3):
            with pytest.raises(DomainError) as refused:
                await writes.writer.write(world.new_account(account + 1), refuse)
            assert as_node_error(refused.value).code is ErrorCode.TOO_MANY_REQUESTS
        assert await world.count(payer) == 0
        before = int(str(await world.rpc.call("eth_getBalance", [payer, "latest"])), 16)
        await writes.writer.write(world.new_account(ACCOUNT))
        assert await world.count(payer) == 1
    spent = before - int(str(await world.rpc.call("eth_getBalance", [payer, "latest"])), 16)
    assert len(costs) == 3
    assert all(cost > spent for cost in costs), "what is asked for is the most that it can cost"


async def test_a_caller_that_goes_away_during_the_simulation_gives_its_place_back(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_constants(monkeypatch, IN_FLIGHT_MAX=1, QUEUE_TIMEOUT_S=1.0)
    async with (
        RpcProxy(world.url).running() as proxy,
        world.open(database, urls=[proxy.url], settings=local_settings(payer_count=1)) as writes,
    ):
        proxy.behaviour = hang
        proxy.arrived.clear()
        caller = asyncio.create_task(writes.writer.write(world.new_account(ACCOUNT)))
        await proxy.arrived.wait()
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        proxy.behaviour = honest
        await writes.writer.write(world.new_account(ACCOUNT))


async def test_an_old_write_that_waits_makes_no_new_one_wait(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pause before a question for receipts follows from the wait of the youngest write."""
    set_constants(monkeypatch, CHECK_INTERVAL_S=BY_HAND_S)
    clock = SkippingClock(0.0)
    pauses: asyncio.Queue[float] = asyncio.Queue()

    async def sleep(seconds: float) -> None:
        is_of_polls = seconds < BY_HAND_S
        if is_of_polls:
            pauses.put_nowait(seconds)
        await asyncio.sleep(0.01 if is_of_polls else seconds)

    settings = local_settings(payer_count=1, write_receipt_timeout_s=3600.0)
    async with world.open(database, settings=settings, clock=Clock(monotonic=clock, sleep=sleep)) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        await world.automine(False)
        async with asyncio.TaskGroup() as group:
            group.create_task(writes.writer.write(world.add_group(ACCOUNT, "old")))
            await world.until_pending(1)
            clock.skip(60.0)
            while await pauses.get() < POLL_MAX_S:
                pass
            group.create_task(writes.writer.write(world.add_group(ACCOUNT, "new")))
            await world.until_pending(2)
            pauses = asyncio.Queue()
            assert max([await pauses.get() for _ in range(3)]) < POLL_MAX_S / 2
            await world.automine(True)
            await world.mine()


async def test_free_writes_leave_the_payers_their_reserve(world: WriteWorld, database: Path) -> None:
    settings = local_settings(payer_low_balance_wei=0, payer_target_balance_wei=ETHER // 10)
    async with world.open(database):
        pass
    async with world.open(database, settings=settings) as writes:
        await writes.writer.write(world.new_account(ACCOUNT, may_use_reserve=False))
        for payer in writes.payers.addresses:
            await world.set_balance(payer, ETHER // 100)
        with pytest.raises(DomainError) as refused:
            await writes.writer.write(world.new_account(2, may_use_reserve=False))
        await writes.writer.write(world.add_group(ACCOUNT))
        await writes.payers.funding.run_once()
        with pytest.raises(DomainError) as still_refused:
            await writes.writer.write(world.new_account(2, may_use_reserve=False))
    assert as_node_error(refused.value).code is as_node_error(still_refused.value).code is ErrorCode.CHAIN_UNAVAILABLE

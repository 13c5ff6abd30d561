"""Several nodes keep their journals in one PostgreSQL: each finishes its own writes, and finds those of all."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from node.api.errors import ErrorCode, as_node_error
from node.chain.port import WriteIntent, WriteResult
from node.chain.writes.writer import ChainWrites
from node.errors import DomainError
from node.settings.chain import ChainWriteSettings
from tests.support.journal_rows import journal_rows
from tests.support.postgres_ledger import PostgresWorld
from tests.support.writes import Told, WriteWorld, set_constants

ACCOUNT = 0xACC
QUICK = ChainWriteSettings(payer_count=1, write_stop_timeout_s=0.1)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    set_constants(monkeypatch, CHECK_INTERVAL_S=0.05, RESEND_AFTER_S=0.1, RECOVERY_WAIT_S=0.3)


def states(shared: PostgresWorld, instance: str) -> dict[str, tuple[str, str]]:
    """State and notified flag of this instance's writes that have an intent."""
    query = f"SELECT write_id, state, told FROM chain_write WHERE write_id IS NOT NULL AND instance = '{instance}'"
    return {name: (state, told) for name, state, told in journal_rows(shared, query)}


class Deaf(Told):
    """Observer that fails on every notification."""

    async def write_ended(self, _intent: WriteIntent, _result: WriteResult | None) -> None:
        raise RuntimeError("not now")


@contextlib.asynccontextmanager
async def node(
    world: WriteWorld,
    shared: PostgresWorld,
    instance: str,
    told: Told | None = None,
    settings: ChainWriteSettings = QUICK,
) -> AsyncIterator[ChainWrites]:
    """A node with one payer of its own."""
    async with world.open(shared, instance=instance, told=told, settings=settings) as writes:
        yield writes


async def left_open(world: WriteWorld, writes: ChainWrites, name: str) -> str:
    """Have a write sent that no block takes; its hash."""
    await world.automine(False)
    intent = world.add_group(ACCOUNT, name, idempotency_id=name)
    running = asyncio.create_task(writes.writer.write(intent))
    await world.until_pending(1)
    running.cancel()
    block = await world.rpc.call("eth_getBlockByNumber", ["pending", False])
    assert isinstance(block, dict)
    assert isinstance(block["transactions"], list)
    (transaction,) = block["transactions"]
    return str(transaction)


async def test_a_restart_sends_tells_and_forgets_nothing_of_another_instance(
    world: WriteWorld, shared: PostgresWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with node(world, shared, "a", Deaf()) as writes:
        ended = world.new_account(ACCOUNT)
        await writes.writer.write(ended)
        sent = await left_open(world, writes, "of a")
        payer = writes.payers.addresses[0]
    await world.rpc.call("anvil_dropAllTransactions")
    await world.automine(True)
    before, told_b = states(shared, "a"), Told()
    assert sorted(before.values()) == [("mined", "0"), ("open", "0")]
    forgetful = QUICK.model_copy(update={"write_cancel_after_s": 0.0})
    with monkeypatch.context() as patch:
        set_constants(patch, RESEND_AFTER_S=0.0, KEEP_FINISHED_S=0.0, RECOVERY_WAIT_S=10.0)
        for _ in range(2):
            async with node(world, shared, "b", told_b, forgetful) as writes:
                await writes.writer.write(world.add_group(ACCOUNT, "of b"))
                await writes.tracker.check_unfinished()
                await writes.transactor.prune()
                assert await world.count(payer, "pending") == 1
    assert states(shared, "a") == before
    assert {intent.write_id for intent, _ in told_b.ended} == {f"write {number}" for number in (3, 4)}
    told_a = Told()
    async with node(world, shared, "a", told_a) as writes:
        found = await writes.writer.recall("of a")
    assert found is not None
    assert found.result is not None
    assert found.result.transaction_hash == sent
    assert len(told_a.of(ended.write_id)) == 1
    assert sorted(states(shared, "a").values()) == [("mined", "1"), ("mined", "1")]
    assert await world.group_names(ACCOUNT) == ["of b", "of b", "of a"]


@pytest.mark.exhaustive
async def test_a_write_of_another_instance_is_waited_for_and_its_hash_told_at_the_deadline(
    world: WriteWorld, shared: PostgresWorld
) -> None:
    hurried = ChainWriteSettings(payer_count=1, write_receipt_timeout_s=0.3)
    async with (
        node(world, shared, "a") as a,
        node(world, shared, "b", settings=hurried) as b,
        node(world, shared, "c") as c,
    ):
        await a.writer.write(world.new_account(ACCOUNT))
        sent = await left_open(world, a, "once")
        again = world.add_group(ACCOUNT, "twice", idempotency_id="once")
        for ask in (lambda: b.writer.recall("once"), lambda: b.writer.earlier("once"), lambda: b.writer.write(again)):
            with pytest.raises(DomainError) as late:
                await ask()
            assert as_node_error(late.value).code is ErrorCode.CHAIN_TIMEOUT
            assert late.value.details["transaction_hash"] == sent
        waiting = asyncio.create_task(c.writer.earlier("once"))
        await asyncio.sleep(0)
        await world.mine()
        result = await waiting
        assert result is not None
        await world.automine(True)
        assert (result.transaction_hash, result) == (sent, await b.writer.write(again))
    assert await world.group_names(ACCOUNT) == ["once"]


async def test_one_request_at_two_nodes_at_once_is_written_once(world: WriteWorld, shared: PostgresWorld) -> None:
    async with node(world, shared, "a") as a, node(world, shared, "b") as b:
        await a.writer.write(world.new_account(ACCOUNT))
        for number in range(5):
            twins = [world.add_group(ACCOUNT, idempotency_id=f"request {number}") for _ in range(6)]
            asked = zip([a, b] * 3, twins, strict=True)
            results = await asyncio.gather(*(writes.writer.write(intent) for writes, intent in asked))
            assert len({(result.transaction_hash, result.write_id) for result in results}) == 1
    assert len(await world.group_names(ACCOUNT)) == 5


async def test_instances_that_share_a_journal_race_for_the_admin_payers_nonces_as_those_that_do_not(
    world: WriteWorld, shared: PostgresWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_constants(monkeypatch, CHECK_INTERVAL_S=0.1, NONCE_PROOF_S=0.3, RESEND_AFTER_S=5.0, RECOVERY_WAIT_S=10.0)
    settings = ChainWriteSettings(payer_count=1)
    names = ("a", "b", "c")
    running = [world.open(shared, instance=name, settings=settings) for name in names]
    nodes = await asyncio.gather(*(each.__aenter__() for each in running))
    try:
        assert all(payer.ready for each in nodes for payer in each.payers.status().payers)
        await nodes[0].writer.write(world.new_account(ACCOUNT))
        groups = [each.writer.write(world.add_group(ACCOUNT)) for each in nodes for _ in range(5)]
        await asyncio.gather(*groups)
    finally:
        await asyncio.gather(*(each.__aexit__(None, None, None) for each in running))
    assert len(await world.group_names(ACCOUNT)) == 15


async def test_a_node_whose_instance_another_has_taken_over_sends_nothing_new_and_says_why(
    world: WriteWorld, shared: PostgresWorld
) -> None:
    """Given the same instance id by mistake, or thought dead and back."""
    told = Told()
    async with node(world, shared, "same", Deaf()) as first:
        await first.writer.write(world.new_account(ACCOUNT))
        sent = await left_open(world, first, "under way")
        async with node(world, shared, "same", told) as second:
            assert second.payers.addresses == first.payers.addresses
            with pytest.raises(DomainError, match="taken over") as refused:
                await first.writer.write(world.add_group(ACCOUNT, "of the first"))
            assert (as_node_error(refused.value).code, refused.value.retry_after_s) == (ErrorCode.CHAIN_UNAVAILABLE, 5)
            status = first.payers.status()
            assert not status.ready
            assert status.problem is not None
            assert "instance_id" in status.problem
            await world.automine(True)
            await world.mine()
            await second.writer.write(world.add_group(ACCOUNT, "of the second"))
            found = await second.writer.recall("under way")
    assert found is not None
    assert found.result is not None
    assert found.result.transaction_hash == sent
    assert await world.group_names(ACCOUNT) == ["under way", "of the second"]
    rows = journal_rows(shared, "SELECT payer, nonce, COUNT(*) FROM write_attempt GROUP BY payer, nonce")
    assert {count for *_, count in rows} == {"1"}

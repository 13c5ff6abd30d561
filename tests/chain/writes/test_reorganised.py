"""What a client was told of a write stays true: also when a receipt is late, and when the chain takes back what it had mined."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from node.chain.errors import ContractConflictError
from node.chain.port import WriteResult
from node.chain.quorum.reader import MinimumBlock
from node.keyring.transactions import sign_transaction
from tests.support.journal_rows import cancel_reasons
from tests.support.lies import Ask, Outcome, altering, per_call
from tests.support.rpc_proxy import Forward, RpcProxy, honest
from tests.support.writes import BY_HAND_S, CHAIN_ID, ETHER, Told, WriteWorld, local_settings, set_constants

ACCOUNT = 0xACC
ONE_PAYER = local_settings(payer_count=1)
DEAR_WEI = 10**12
"""Fees that put a transaction before those of the node."""


@pytest.fixture(autouse=True)
def by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    set_constants(monkeypatch, CHECK_INTERVAL_S=BY_HAND_S)


async def _no_receipt(method: str, params: list[Any], ask: Ask) -> Outcome:
    """A provider that has the block and has not indexed its transactions yet."""
    return {"result": None} if method == "eth_getTransactionReceipt" else await ask(method, *params)


async def test_a_used_nonce_proves_nothing_while_a_receipt_may_only_be_late(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_constants(monkeypatch, NONCE_PROOF_S=BY_HAND_S)
    told = Told()
    async with (
        RpcProxy(world.url).running() as proxy,
        world.open(database, urls=[proxy.url], settings=ONE_PAYER, told=told) as writes,
    ):
        await writes.writer.write(world.new_account(ACCOUNT))
        (payer,) = writes.payers.addresses
        before = await world.count(payer)
        proxy.behaviour = per_call(_no_receipt)
        intent = world.add_group(ACCOUNT)
        writing = asyncio.create_task(writes.writer.write(intent))
        while await world.count(payer) == before:
            pass
        for _ in range(3):
            await writes.tracker.check_unfinished()
        assert told.of(intent.write_id) == [], "it is mined: nobody may be told that it failed"
        proxy.behaviour = honest
        result = await writing
    assert told.of(intent.write_id) == [result]
    assert await world.group_names(ACCOUNT) == ["group"]


@pytest.mark.parametrize("is_raised", [False, True], ids=["taken at once", "offered more for"])
async def test_a_write_told_failed_does_not_come_back_with_the_chain_that_lost_what_defeated_it(
    world: WriteWorld, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_raised: bool
) -> None:
    """Another node's account was first. The chain loses both transactions, and that node does not send its own again."""
    told = Told()
    set_constants(monkeypatch, RECOVERY_WAIT_S=0.0)
    impatient = local_settings(payer_count=1, write_replace_after_s=-1.0)
    async with world.open(tmp_path / "other.db", instance="second", settings=ONE_PAYER):
        other = world.keyring.payer("second", 0)
        await world.set_balance(other.address, 10 * ETHER)
    async with world.open(database, settings=impatient if is_raised else ONE_PAYER, told=told) as writes:
        (payer,) = writes.payers.addresses
        snapshot = await world.rpc.call("evm_snapshot")
        await world.automine(False)
        intent = world.new_account(ACCOUNT)
        writing = asyncio.create_task(writes.writer.write(intent))
        await world.until_pending(1)
        call = world.new_account(ACCOUNT).call
        first = sign_transaction(
            other,
            {
                "to": world.contract,
                "chainId": CHAIN_ID,
                "nonce": await world.count(other.address),
                "gas": 1_000_000,
                "value": 0,
                "data": world.abi.encode_call(call.function, call.arguments),
                "maxFeePerGas": DEAR_WEI,
                "maxPriorityFeePerGas": DEAR_WEI,
            },
        )
        await world.rpc.call("eth_sendRawTransaction", ["0x" + first.hex()])
        await world.until_pending(2)
        await world.mine()
        with pytest.raises(ContractConflictError):
            await writing
        await world.automine(True)
        sent = await world.count(payer)
        assert await world.rpc.call("evm_revert", [snapshot])
        assert sent - await world.count(payer) > 0, "the chain has lost it"
        await world.automine(not is_raised)
        await writes.tracker.check_unfinished()
        if is_raised:
            await writes.tracker.check_unfinished()
            await world.mine()
            await world.automine(True)
        assert await world.count(payer) == sent, "its nonce is used, by an empty transaction"
        assert set(cancel_reasons(database)) == {"lost_after_failure"}
        assert told.of(intent.write_id) == [None]
        result = await writes.writer.write(world.new_account(ACCOUNT))
    assert isinstance(result, WriteResult), "nobody has made the account"


async def test_a_write_that_was_answered_and_lost_comes_before_the_next_of_another_payer(
    world: WriteWorld, database: Path
) -> None:
    """The other payer lacks no nonce: that the block is lower than one that was told shows the loss."""
    async with world.open(database, settings=local_settings(payer_count=2)) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        told = await writes.writer.write(world.add_group(ACCOUNT, "first"))
        payers = writes.tracker.transactor.payers
        busy = await payers.acquire(0)
        assert busy is not None
        assert await world.count(busy.address) > 0, "it has sent both"
        await world.rpc.call("anvil_rollback", [1])
        later = await writes.writer.write(world.add_group(ACCOUNT, "second"))
        await payers.release(busy)
    assert await world.group_names(ACCOUNT) == ["first", "second"]
    assert later.block_number > told.block_number


async def test_what_a_client_was_told_is_not_read_below_while_the_chain_lacks_it(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_constants(monkeypatch, RECOVERY_WAIT_S=0.0)
    floor = MinimumBlock(may_fall=True)
    async with world.open(database, settings=ONE_PAYER, floor=floor) as writes:
        told = await writes.writer.write(world.new_account(ACCOUNT))
        await world.automine(False)
        await world.rpc.call("anvil_rollback", [1])
        await writes.tracker.check_unfinished()
        assert floor.value == told.block_number, "it was sent again, and is in no block"
        await world.automine(True)
        await world.mine()
        await writes.writer.write(world.add_group(ACCOUNT))


async def test_a_lost_nonce_of_which_no_row_is_kept_is_used_by_an_empty_transaction(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_constants(monkeypatch, KEEP_FINISHED_S=0.0)
    async with world.open(database, settings=ONE_PAYER) as writes:
        (payer,) = writes.payers.addresses
        snapshot = await world.rpc.call("evm_snapshot")
        await writes.writer.write(world.new_account(ACCOUNT))
        await writes.transactor.prune()
        sent = await world.count(payer)
        assert await world.rpc.call("evm_revert", [snapshot])
        await writes.tracker.check_unfinished()
        assert await world.count(payer) == sent
    assert cancel_reasons(database) == ["no_row"]


async def test_a_nonce_that_only_another_machine_of_the_provider_counts_as_used_proves_nothing(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That machine followed a fork. The one that is asked for receipts has not used the nonce yet."""
    set_constants(monkeypatch, NONCE_PROOF_S=0.0)
    told = Told()
    ahead = per_call(altering({"eth_getTransactionCount"}, lambda count: hex(int(count, 16) + 1)))

    async def of_two_machines(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        asks_receipts = any(call["method"] == "eth_getTransactionReceipt" for call in asked)
        return await (honest if asks_receipts else ahead)(request, asked, forward)

    async with (
        RpcProxy(world.url).running() as proxy,
        world.open(database, urls=[proxy.url], settings=ONE_PAYER, told=told) as writes,
    ):
        await writes.writer.write(world.new_account(ACCOUNT))
        await world.automine(False)
        intent = world.add_group(ACCOUNT)
        writing = asyncio.create_task(writes.writer.write(intent))
        await world.until_pending(1)
        proxy.behaviour = of_two_machines
        for _ in range(2):
            await writes.tracker.check_unfinished()
        assert told.of(intent.write_id) == [], "it may still be mined: nobody may be told that it failed"
        proxy.behaviour = honest
        await world.automine(True)
        await world.mine()
        result = await writing
    assert told.of(intent.write_id) == [result]

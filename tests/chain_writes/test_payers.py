"""Payers: derived per instance, registered and funded by the admin payer, reported when they are not."""

import asyncio
from pathlib import Path

import pytest
from aiohttp import web
from pydantic import JsonValue

from node.chain.writes.instance import persisted_instance
from node.chain.writes.limits import PayerLimits, WriteLimits
from node.errors import ErrorCode, NodeError
from node.sqlite import Database
from tests.world.rpc_proxy import Forward, RpcProxy, honest
from tests.world.writes import ETHER, WriteWorld

ACCOUNT = 0xACC


async def test_a_start_registers_and_funds_and_the_next_one_does_nothing(world: WriteWorld, database: Path) -> None:
    async with world.open(database) as writes:
        status = writes.payers.status()
        assert status.ready
        assert status.problem is None
        assert [payer.address for payer in status.payers] == list(writes.payers.addresses)
        assert all(payer.ready and payer.balance_wei == ETHER // 2 for payer in status.payers)
        admin = writes.payers.admin_address
    sent = await world.count(admin)
    assert sent == 1 + 4
    async with world.open(database) as writes:
        assert writes.payers.status().ready
    assert await world.count(admin) == sent


async def test_two_instances_share_a_contract_and_no_payer(world: WriteWorld, tmp_path: Path) -> None:
    """They share the admin payer, whose nonces they race for at the start."""
    limits = WriteLimits(follow_interval_s=0.1, nonce_proof_s=0.3)
    one = world.open(tmp_path / "one.db", instance="one", limits=limits)
    two = world.open(tmp_path / "two.db", instance="two", limits=limits)
    first, second = await asyncio.gather(one.__aenter__(), two.__aenter__())
    try:
        assert not set(first.payers.addresses) & set(second.payers.addresses)
        assert first.payers.status().problem is second.payers.status().problem is None
        assert all(payer.ready for each in (first, second) for payer in each.payers.status().payers)
        await first.writer.write(world.new_account(ACCOUNT))
        groups = [world.add_group(ACCOUNT, f"g{i}") for i in range(40)]
        await asyncio.gather(
            *(first.writer.write(intent) for intent in groups[:20]),
            *(second.writer.write(intent) for intent in groups[20:]),
        )
    finally:
        await asyncio.gather(one.__aexit__(None, None, None), two.__aexit__(None, None, None))
    assert sorted(await world.group_names(ACCOUNT)) == sorted(f"g{i}" for i in range(40))


async def test_low_payers_are_topped_up_while_the_node_runs(world: WriteWorld, database: Path) -> None:
    async with world.open(
        database, payers=PayerLimits(count=2, rebalance_interval_s=0.05, retry_interval_s=0.05)
    ) as writes:
        payer = writes.payers.addresses[1]
        await world.set_balance(payer, 1)
        while int(str(await world.rpc.call("eth_getBalance", [payer, "latest"])), 16) < ETHER // 2:
            pass


async def test_what_the_admin_payer_cannot_pay_is_said_and_goes_to_the_poorest_first(
    world: WriteWorld, database: Path
) -> None:
    payers = PayerLimits(count=3)
    async with world.open(database, payers=payers) as writes:
        for address, wei in zip(writes.payers.addresses, (3, 1, 2), strict=True):
            await world.set_balance(address, wei)
        await world.set_balance(writes.payers.admin_address, ETHER * 6 // 10)
        await writes.payers.rebalance()
        status = writes.payers.status()
    assert [payer.balance_wei == ETHER // 2 for payer in status.payers] == [False, True, False]
    assert status.ready
    assert status.problem is not None
    assert status.admin in status.problem


async def test_a_problem_is_told_also_while_it_is_looked_at_again(world: WriteWorld, database: Path) -> None:
    asked, go_on = asyncio.Event(), asyncio.Event()
    go_on.set()

    async def held(request: web.Request, calls: object, forward: Forward) -> web.StreamResponse:
        if "eth_getBalance" in str(calls) and not go_on.is_set():
            asked.set()
            await go_on.wait()
        return await honest(request, calls, forward)

    async with RpcProxy(world.url).running() as proxy, world.open(database, urls=[proxy.url]) as writes:
        await world.set_balance(writes.payers.admin_address, 0)
        await world.set_balance(writes.payers.addresses[0], 1)
        await writes.payers.rebalance()
        proxy.behaviour = held
        go_on.clear()
        again = asyncio.create_task(writes.payers.rebalance())
        await asked.wait()
        problem = writes.payers.status().problem
        go_on.set()
        await world.set_balance(writes.payers.admin_address, ETHER)
        await again
        await writes.payers.rebalance()
        assert writes.payers.status().problem is None
    assert problem is not None
    assert "gas money" in problem


async def test_a_contract_of_another_admin_payer_is_reported_and_takes_no_writes(
    world: WriteWorld, database: Path
) -> None:
    async with world.open(database):
        pass
    other = "0x" + "42" * 20
    admin = world.keyring.admin_payer().address
    await world.rpc.call("anvil_impersonateAccount", [admin])
    call: dict[str, JsonValue] = {
        "from": admin,
        "to": world.contract,
        "data": "0x" + world.abi.encode_call("setAdminApiPayerAccount", [other]).hex(),
    }
    receipt = await world.rpc.call("eth_sendTransactionSync", [call])
    assert isinstance(receipt, dict)
    assert receipt["status"] == "0x1"
    async with world.open(database.with_name("two.db"), instance="two") as writes:
        status = writes.payers.status()
        assert not status.ready
        assert status.problem is not None
        assert admin in status.problem
        with pytest.raises(NodeError) as refused:
            await writes.writer.write(world.new_account(ACCOUNT))
    assert refused.value.code is ErrorCode.CHAIN_UNAVAILABLE


async def test_an_instance_without_a_name_gets_one_and_keeps_it(tmp_path: Path) -> None:
    names = []
    for file in ("one.db", "one.db", "two.db"):
        database = await Database.open(tmp_path / file)
        names.append(await persisted_instance(database))
        await database.close()
    assert names[0] == names[1] != names[2]
    assert len(names[0]) == 32

"""Payers: derived per instance, registered and funded by the admin payer, reported when they are not."""

import asyncio
from pathlib import Path

import pytest
import structlog

from node.api.errors import ErrorCode, as_node_error
from node.chain.writes.payer_accounts import persisted_instance
from node.chain.writes.payer_status import AdminPayerState
from node.chain.writes.payers import FundingResult
from node.database.sqlite import SqliteDatabase
from node.errors import DomainError
from node.settings.chain import ChainWriteSettings
from node.values import checksum_address
from tests.support.constants import replace_constants
from tests.support.rpc_proxy import Behaviour, RpcProxy, drop, hang, honest, only
from tests.support.writes import ETHER, WriteWorld, local_settings, set_constants

ACCOUNT = 0xACC
ANOTHER = "0x" + "c0" * 20


@pytest.fixture(autouse=True)
def _no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider that failed or dissented is asked again at once."""
    replace_constants(monkeypatch, "node.chain", ENDPOINT_REST_S=0.0, DISSENTER_REST_S=0.0)


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


async def test_two_instances_share_a_contract_and_no_payer(
    world: WriteWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both instances use the admin payer, and compete for its nonces at the start."""
    set_constants(monkeypatch, CHECK_INTERVAL_S=0.1, NONCE_PROOF_S=0.3)
    one = world.open(tmp_path / "one.db", instance="one", settings=ChainWriteSettings())
    two = world.open(tmp_path / "two.db", instance="two", settings=ChainWriteSettings())
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
    settings = local_settings(payer_count=2, payer_rebalance_interval_s=0.05)
    async with world.open(database, settings=settings) as writes:
        payer = writes.payers.addresses[1]
        await world.set_balance(payer, 1)
        while int(str(await world.rpc.call("eth_getBalance", [payer, "latest"])), 16) < ETHER // 2:
            pass


async def test_a_payer_whose_gas_money_is_on_its_way_is_sent_none_again(world: WriteWorld, database: Path) -> None:
    async with world.open(database, settings=local_settings(payer_count=1)) as writes:
        sent = await world.count(writes.payers.admin_address)
        await world.automine(False)
        await world.set_balance(writes.payers.addresses[0], 1)
        given_up = asyncio.create_task(writes.payers.funding.run_once())
        await world.until_pending(1)
        given_up.cancel()
        await asyncio.wait([given_up])
        async with asyncio.timeout(60):
            assert await writes.payers.funding.run_once() is FundingResult.DONE, "nothing to send, nothing to wait for"
        await world.automine(True)
        await world.mine()
        await writes.payers.funding.run_once()
        assert await world.count(writes.payers.admin_address) == sent + 1


async def test_payers_whose_registration_is_on_its_way_are_not_registered_again(
    world: WriteWorld, database: Path
) -> None:
    """Naming the same admin payer again has removed them; the chain takes its time."""
    async with world.open(database, settings=local_settings(payer_count=1)) as writes:
        await world.names(writes.payers.admin_address)
        sent = await world.count(writes.payers.admin_address)
        await world.automine(False)
        given_up = asyncio.create_task(writes.payers.funding.run_once())
        await world.until_pending(1)
        given_up.cancel()
        await asyncio.wait([given_up])
        await world.set_balance(writes.payers.addresses[0], 1)
        again = asyncio.create_task(writes.payers.funding.run_once())
        await world.until_pending(2)
        await world.automine(True)
        await world.mine()
        assert await again is FundingResult.DONE
        assert set(await world.payers()) == set(writes.payers.addresses)
        assert await world.count(writes.payers.admin_address) == sent + 2, "one registration, one top-up"


async def test_gas_money_is_not_sent_where_nothing_is_left_for_the_fee(world: WriteWorld, database: Path) -> None:
    settings = local_settings(payer_count=1)
    async with world.open(database, settings=settings) as writes:
        sent = await world.count(writes.payers.admin_address)
        await world.set_balance(writes.payers.addresses[0], 0)
        await world.set_balance(writes.payers.admin_address, settings.payer_target_balance_wei + 1)
        async with asyncio.timeout(60):
            assert await writes.payers.funding.run_once() is FundingResult.PROBLEM
        assert "has not enough gas money" in str(writes.payers.status().problem)
        assert await world.count(writes.payers.admin_address, "pending") == sent


async def test_what_the_admin_payer_cannot_pay_is_said_and_goes_to_the_poorest_first(
    world: WriteWorld, database: Path
) -> None:
    async with world.open(database, settings=local_settings(payer_count=3)) as writes:
        for address, wei in zip(writes.payers.addresses, (3, 1, 2), strict=True):
            await world.set_balance(address, wei)
        await world.set_balance(writes.payers.admin_address, ETHER * 6 // 10)
        await writes.payers.funding.run_once()
        status = writes.payers.status()
    assert [payer.balance_wei == ETHER // 2 for payer in status.payers] == [False, True, False]
    assert status.ready
    assert status.problem is not None
    assert status.admin in status.problem


@pytest.mark.parametrize("silence", [drop, hang])
async def test_before_balances_were_read_a_write_is_refused_with_the_truth(
    world: WriteWorld, database: Path, silence: Behaviour, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The payers are funded and registered, but a node that has just started has not read so yet."""
    async with world.open(database) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
    set_constants(monkeypatch, SETUP_TIMEOUT_S=0.1)
    async with RpcProxy(world.url).running() as proxy:
        proxy.behaviour = only("eth_getBalance", silence)
        async with world.open(database, urls=[proxy.url]) as writes:
            with pytest.raises(DomainError) as refused:
                await writes.writer.write(world.add_group(ACCOUNT))
            status = writes.payers.status()
            proxy.behaviour = honest
            await writes.payers.funding.run_once()
            await writes.writer.write(world.add_group(ACCOUNT))
            age_s = writes.payers.status().read_age_s
    assert (as_node_error(refused.value).code, refused.value.retry_after_s) == (ErrorCode.CHAIN_UNAVAILABLE, 5)
    assert "are not known yet" in refused.value.message
    assert "gas money" not in refused.value.message
    assert status.read_age_s is None
    assert age_s is not None
    assert await world.group_names(ACCOUNT) == ["group"], "the refused one was not sent"


async def test_payers_with_money_and_name_need_not_wait_for_one_that_is_filled(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world.open(database) as writes:
        drained = writes.payers.addresses[0]
    await world.set_balance(drained, 0)
    await world.automine(False)
    set_constants(monkeypatch, SETUP_TIMEOUT_S=0.1)
    async with world.open(database) as writes:
        while writes.payers.status().read_age_s is None:
            await world.count(drained)
        assert [payer.ready for payer in writes.payers.status().payers] == [False, True, True, True]
        assert writes.payers.status().ready
        await world.automine(True)
        await world.mine()


async def test_what_is_wrong_stays_said_until_a_round_found_it_mended(world: WriteWorld, database: Path) -> None:
    """A round takes as long as the chain does: the status must not show that all is well meanwhile."""
    async with world.open(database) as writes:
        await world.set_balance(writes.payers.addresses[0], 0)
        await world.set_balance(writes.payers.admin_address, 0)
        await writes.payers.funding.run_once()
        again = asyncio.create_task(writes.payers.funding.run_once())
        seen = set()
        while not again.done():
            seen.add(writes.payers.status().problem)
            await asyncio.sleep(0)
        assert None not in seen
        await world.set_balance(writes.payers.admin_address, ETHER)
        await writes.payers.funding.run_once()
        assert writes.payers.status().problem is None


async def test_another_admin_payer_ends_writes_and_shows_in_the_status(world: WriteWorld, database: Path) -> None:
    """Also where the other one names this instance's very payers: they would write what it may undo."""
    other = str(await world.stranger())
    async with world.open(database, settings=local_settings(payer_count=2)) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        await world.names(other)
        await world.transact(other, "addApiPayers", list(writes.payers.addresses))
        spent = await world.count(writes.payers.admin_address)
        await writes.payers.funding.run_once()
        status = writes.payers.status()
        assert status.admin_state is AdminPayerState.OTHER
        assert not status.ready
        assert status.problem is not None
        assert writes.payers.admin_address in status.problem
        assert checksum_address(other) in status.problem
        with pytest.raises(DomainError) as refused:
            await writes.writer.write(world.add_group(ACCOUNT))
        assert await world.count(writes.payers.admin_address) == spent, "it sends nobody gas, and names nobody"
    assert as_node_error(refused.value).code is ErrorCode.CHAIN_UNAVAILABLE
    assert "does not name a payer" in refused.value.message
    assert "/health" in str(as_node_error(refused.value).fix)


async def test_naming_this_admin_payer_again_after_another_one_takes_no_write_up(
    world: WriteWorld, database: Path
) -> None:
    """Writes of the other one's payers persist, and no credit may be spent on such accounts."""
    async with world.open(database, settings=local_settings(payer_count=2)) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        await world.names(str(await world.stranger()))
        await world.names(writes.payers.admin_address)
        spent = await world.count(writes.payers.admin_address)
        await writes.payers.funding.run_once()
        status = writes.payers.status()
        assert status.admin_state is AdminPayerState.REPLACED
        assert not status.ready
        assert "Deploy a new contract" in str(status.problem)
        with pytest.raises(DomainError) as refused:
            await writes.writer.write(world.add_group(ACCOUNT))
        assert await world.count(writes.payers.admin_address) == spent, "it sends nobody gas, and names nobody"
    assert as_node_error(refused.value).code is ErrorCode.CHAIN_UNAVAILABLE


@pytest.mark.exhaustive
async def test_running_instances_add_their_payers_again_after_a_naming(
    world: WriteWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Naming an admin payer removes every payer, also where it is the same one."""
    set_constants(monkeypatch, CHECK_INTERVAL_S=0.1, NONCE_PROOF_S=0.3)
    settings = ChainWriteSettings(payer_count=2, payer_rebalance_interval_s=0.1)
    one = world.open(tmp_path / "one.db", instance="one", settings=settings)
    two = world.open(tmp_path / "two.db", instance="two", settings=settings)
    async with one as first, two as second:
        await first.writer.write(world.new_account(ACCOUNT))
        own = {*first.payers.addresses, *second.payers.addresses}
        await world.names(first.payers.admin_address)
        async with asyncio.timeout(60):
            while set(await world.payers()) != own:
                pass
            while not (first.payers.status().ready and second.payers.status().ready):
                await world.payers()
        for number, writes in enumerate((first, second)):
            await writes.writer.write(world.add_group(ACCOUNT, f"g{number}"))
        async with asyncio.timeout(60):  # the first node's next round reads what the second has added
            while set(first.payers.status().payers_of_others) != set(second.payers.addresses):
                await world.payers()
        assert first.payers.status().admin_state is AdminPayerState.OWN
    assert sorted(await world.group_names(ACCOUNT)) == ["g0", "g1"]


async def test_a_write_that_meets_lost_payers_has_them_looked_at_at_once(world: WriteWorld, database: Path) -> None:
    """Until the next round the node believes in payers that the contract has dropped."""
    async with world.open(database, settings=local_settings(payer_count=2, payer_rebalance_interval_s=3600)) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        await world.names(writes.payers.admin_address)
        with pytest.raises(DomainError):
            await writes.writer.write(world.add_group(ACCOUNT))
        async with asyncio.timeout(60):
            while set(await world.payers()) != set(writes.payers.addresses):
                pass
            # The node itself reads the contract once more, after its transaction is mined.
            while not writes.payers.status().ready:
                await world.payers()
        await writes.writer.write(world.add_group(ACCOUNT))


async def test_without_an_admin_payer_a_node_waits_for_its_naming(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = await world.without_admin_payer()
    set_constants(monkeypatch, SETUP_TIMEOUT_S=5, RETRY_INTERVAL_S=0.1)
    async with bare.open(database, settings=local_settings(payer_count=2)) as writes:
        status = writes.payers.status()
        assert (status.admin_state, status.ready) == (AdminPayerState.UNNAMED, False)
        assert status.problem is not None
        assert f"admin payer {writes.payers.admin_address}" in status.problem
        assert "setAdminApiPayerAccount" in status.problem
        with pytest.raises(DomainError) as refused:
            await writes.writer.write(bare.new_account(ACCOUNT))
        assert as_node_error(refused.value).code is ErrorCode.CHAIN_UNAVAILABLE
        assert "nothing was charged" in refused.value.message
        await bare.names(writes.payers.admin_address, delay_s=0)
        async with asyncio.timeout(60):
            while not writes.payers.status().ready:
                await bare.payers()
        await writes.writer.write(bare.new_account(ACCOUNT))
        assert writes.payers.status().problem is None


async def test_what_the_owner_has_scheduled_is_in_the_status_until_it_is_cancelled(
    world: WriteWorld, database: Path
) -> None:
    other = str(await world.stranger())
    async with world.open(database, settings=local_settings(payer_count=1)) as writes:
        assert writes.payers.status().administration is not None
        with structlog.testing.capture_logs() as logs:
            await world.transact(await world.owner(), "setAdminApiPayerAccount", other)
            await writes.payers.funding.run_once()
            await writes.payers.funding.run_once()
        read = writes.payers.status().administration
        assert read is not None
        assert read.scheduled is not None
        assert read.scheduled.admin_payer == checksum_address(other)
        alarms = [line for line in logs if line["event"] == "owner_change_scheduled"]
        assert [line["admin_payer"] for line in alarms] == [checksum_address(other)], "said once"
        assert writes.payers.status().ready, "nothing has changed yet"
        with structlog.testing.capture_logs() as logs:
            await world.transact(await world.owner(), "cancelOwnerChange")
            await world.transact(await world.owner(), "setAdminApiPayerAccount", ANOTHER)
            await writes.payers.funding.run_once()
        alarms = [line for line in logs if line["event"] == "owner_change_scheduled"]
        assert [line["admin_payer"] for line in alarms] == [checksum_address(ANOTHER)], "another change is told of too"
        await world.transact(await world.owner(), "cancelOwnerChange")
        await writes.payers.funding.run_once()
        read = writes.payers.status().administration
        assert read is not None
        assert read.scheduled is None


async def test_an_instance_without_a_name_gets_one_and_keeps_it(tmp_path: Path) -> None:
    names = []
    for file in ("one.db", "one.db", "two.db"):
        database = await SqliteDatabase.open(tmp_path / file)
        names.append(await persisted_instance(database))
        await database.close()
    assert names[0] == names[1] != names[2]
    assert len(names[0]) == 32

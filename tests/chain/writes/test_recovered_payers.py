"""The gas of an instance whose disk is lost: a node started with its id has its payers, and spends what they hold."""

from pathlib import Path

import pytest

from node.errors import DomainError
from node.settings.chain import ChainWriteSettings
from tests.support.writes import ETHER, WriteWorld, local_settings

ACCOUNT = 0xACC
LOST = "7f0c2d1e4b5a69788796a5b4c3d2e1f0"
TWO_PAYERS = local_settings(payer_count=2)


async def test_a_node_with_the_lost_id_and_an_empty_disk_spends_the_gas_that_is_there(
    world: WriteWorld, tmp_path: Path
) -> None:
    async with world.open(tmp_path / "lost.db", instance=LOST, settings=TWO_PAYERS) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        for number in range(6):
            await writes.writer.write(world.add_group(ACCOUNT, f"before {number}"))
        stranded = list(writes.payers.addresses)
    admin = world.keyring.admin_payer().address
    await world.set_balance(admin, 0)
    sent, used = await world.count(admin), [await world.count(payer) for payer in stranded]
    async with world.open(tmp_path / "new.db", instance=LOST, settings=TWO_PAYERS) as writes:
        status = writes.payers.status()
        assert list(writes.payers.addresses) == stranded
        assert all(payer.ready for payer in status.payers), "nobody has to name or to fund them"
        assert status.problem is None
        for number in range(6):
            await writes.writer.write(world.add_group(ACCOUNT, f"after {number}"))
    assert await world.count(admin) == sent, "the admin payer, which has nothing, was not needed"
    assert sum([await world.count(payer) for payer in stranded]) == sum(used) + 6
    assert len(await world.group_names(ACCOUNT)) == 12


async def test_what_the_lost_one_had_sent_last_is_not_in_the_way(world: WriteWorld, tmp_path: Path) -> None:
    """Its transaction waits in the mempool, of which the new disk knows nothing."""
    one = local_settings(payer_count=1)
    impatient = ChainWriteSettings(payer_count=1, write_receipt_timeout_s=0.5)
    async with world.open(tmp_path / "lost.db", instance=LOST, settings=impatient) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        payer = writes.payers.addresses[0]
        await world.automine(False)
        with pytest.raises(DomainError, match="not confirmed yet"):
            await writes.writer.write(world.add_group(ACCOUNT, "last words"))
    await world.until_pending(1)
    await world.automine(True)
    async with world.open(tmp_path / "new.db", instance=LOST, settings=one) as writes:
        await writes.writer.write(world.add_group(ACCOUNT, "first words"))
    assert await world.group_names(ACCOUNT) == ["last words", "first words"]
    assert await world.count(payer) == 3


async def test_another_id_does_not_reach_it(world: WriteWorld, tmp_path: Path) -> None:
    async with world.open(tmp_path / "lost.db", instance=LOST, settings=TWO_PAYERS) as writes:
        stranded = set(writes.payers.addresses)
    async with world.open(tmp_path / "new.db", instance=LOST[:-1] + "1", settings=TWO_PAYERS) as writes:
        assert not stranded & set(writes.payers.addresses)
    for payer in stranded:
        assert int(str(await world.rpc.call("eth_getBalance", [payer, "latest"])), 16) == ETHER // 2

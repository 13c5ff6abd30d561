"""The cursor over a restart: taken up where it is of use, dropped where it is not, and without any credential in it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from node.database.sqlite import SqliteDatabase
from tests.chain.listener.bench import Bench, ranges_asked
from tests.support.rpc_proxy import RpcProxy


async def test_a_restart_goes_on_from_the_stored_cursor(bench: Bench, proxy: RpcProxy) -> None:
    follower = await bench.followed()
    last = await bench.touch("seen")
    await follower.poll()
    bench.told.forget()
    missed = [await bench.touch("missed"), await bench.touch("missed too")]
    await bench.follower(proxy.url).poll()
    assert bench.told.changes == missed
    assert bench.told.forks == []
    assert ranges_asked(proxy) == [(last[1] + 1, missed[-1][1])]


async def test_a_stored_cursor_that_is_gone_voids_everything_and_is_not_gone_on_from(bench: Bench) -> None:
    await bench.touch("stays")
    await bench.followed()
    await bench.chain.rpc.ask("anvil_rollback", 1)
    change = await bench.touch("instead")
    await bench.follower(MARGIN_BLOCKS=0).poll()
    assert bench.told.forks == [0]
    await bench.touch("next")
    again = bench.follower()
    await again.poll()
    assert bench.told.forks == [0]
    assert change not in bench.told.changes


async def test_a_stored_cursor_of_a_longer_chain_is_not_waited_for(bench: Bench) -> None:
    await bench.chain.rpc.ask("anvil_mine", "0x10")
    await bench.followed()
    await bench.chain.rpc.ask("anvil_rollback", 8)
    follower = bench.follower()
    await follower.poll()
    assert bench.told.forks == [0]
    change = await bench.touch()
    await follower.poll()
    assert bench.told.changes[-1] == change


async def test_a_stored_cursor_too_far_behind_is_not_gone_on_from(bench: Bench, proxy: RpcProxy) -> None:
    await bench.followed()
    await bench.chain.rpc.ask("anvil_mine", hex(30))
    await bench.follower(proxy.url, CATCH_UP_MAX_BLOCKS=29, MARGIN_BLOCKS=2).poll()
    assert bench.told.forks == [0]
    head = (await bench.head()).number
    assert ranges_asked(proxy) == [(head - 1, head)]


@pytest.mark.parametrize("tampered", [-1, 2**62])
async def test_a_cursor_that_the_disk_made_up_is_no_obstacle(bench: Bench, tampered: int) -> None:
    await bench.followed()
    await bench.database.run(lambda c: c.execute("UPDATE listener_cursor SET block_number = ?", (tampered,)).rowcount)
    change = await bench.touch()
    await bench.follower().poll()
    assert change in bench.told.changes


async def test_a_disk_that_fails_stops_no_follower(bench: Bench) -> None:
    await bench.followed()
    await bench.database.run(lambda c: c.execute("ALTER TABLE listener_cursor RENAME TO elsewhere").rowcount)
    follower = bench.follower()
    await follower.poll()
    change = await bench.touch()
    await follower.poll()
    assert change in bench.told.changes


async def test_no_credential_is_kept(bench: Bench, proxy: RpcProxy, tmp_path: Path) -> None:
    secret = "S3CRETKEY0123456789"
    listener = bench.listener([f"{proxy.url}/v2/{secret}?token={secret}"])
    async with listener.running():
        await bench.told.until(lambda: len(bench.told.heads) > 2)
    await bench.database.close()
    assert secret.encode() not in b"".join(each.read_bytes() for each in tmp_path.iterdir())
    with closing(sqlite3.connect(tmp_path / "node.db")) as connection:
        ((provider,),) = connection.execute("SELECT endpoint FROM listener_cursor").fetchall()
    assert provider == f"0 127.0.0.1:{proxy.port}"


async def test_the_table_is_made_once(bench: Bench, tmp_path: Path) -> None:
    await bench.database.close()
    database = await SqliteDatabase.open(tmp_path / "node.db")
    try:
        await bench.cursors.open(database)
        assert await database.run(lambda c: c.execute("SELECT count(*) FROM listener_cursor").fetchone()) == (0,)
    finally:
        await database.close()

"""The node is killed between any two steps; the chain loses its last second. Nothing is lost and nothing happens twice."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from devkit.local_chain import LocalChain, LocalChainOptions, local_chain
from node.api.errors import ErrorCode, as_node_error
from node.chain.port import WriteResult
from node.chain.writes.model import WriteStep
from node.errors import DomainError
from tests.support.journal_rows import journal_rows
from tests.support.ledgers import LedgerWorld, SqliteWorld
from tests.support.ports import free_port
from tests.support.postgres_ledger import PostgresWorld
from tests.support.writes import Told, WriteWorld, local_settings, set_constants, write_world

ACCOUNT = 0xACC
NAMES = [f"g{i}" for i in range(12)]
REPOSITORY = Path(__file__).parents[3]


async def killed_worker(
    world: WriteWorld, database: Path | LedgerWorld, step: str, occurrence: int
) -> Sequence[list[str]]:
    """Run the worker until it kills itself; what it said."""
    task = {
        "url": world.url,
        "contract": world.contract,
        **where(database),
        "account": ACCOUNT,
        "names": NAMES,
        "step": step,
        "occurrence": occurrence,
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.support.write_worker", json.dumps(task)),
        stdout=asyncio.subprocess.PIPE,
        cwd=REPOSITORY,
    )
    said, _ = await process.communicate()
    assert process.returncode == -signal.SIGKILL
    lines = [line.split() for line in said.decode().splitlines()]
    return [line for line in lines if line[0] in {"told", "answered"}]


def where(database: Path | LedgerWorld) -> dict[str, str]:
    """The journal's place as the worker takes it."""
    if isinstance(database, PostgresWorld):
        return {"ledger_url": database.url}
    return {"database": str(database.path if isinstance(database, SqliteWorld) else database)}


def states(database: Path | LedgerWorld) -> dict[str, tuple[str, bool]]:
    """Each journaled write's state, and whether its observer knows."""
    query = "SELECT write_id, state, told FROM chain_write WHERE write_id IS NOT NULL"
    return {name: (state, told == "1") for name, state, told in journal_rows(database, query)}


def open_hashes(database: LedgerWorld) -> set[str]:
    """Hashes signed for writes whose outcome is unknown."""
    query = "SELECT hash FROM write_attempt JOIN chain_write USING (instance, payer, nonce) WHERE state = 'open'"
    return {row[0] for row in journal_rows(database, query)}


async def assert_no_gap(world: WriteWorld, payers: Sequence[str]) -> None:
    for payer in payers:
        assert await world.count(payer) == await world.count(payer, "pending")
    assert await world.rpc.call("txpool_status") == {"pending": "0x0", "queued": "0x0"}


async def test_a_kill_before_a_stored_write_is_sent_leaves_it_done_once(world: WriteWorld, tmp_path: Path) -> None:
    await _done_once_or_not_at_all(world, SqliteWorld(tmp_path), WriteStep.STORED, 1)


@pytest.mark.exhaustive
@pytest.mark.parametrize("occurrence", [1, 5])
@pytest.mark.parametrize("step", list(WriteStep))
async def test_a_kill_between_any_two_steps_leaves_each_write_done_once_or_not_at_all(
    world: WriteWorld, ledgers: LedgerWorld, step: WriteStep, occurrence: int
) -> None:
    await _done_once_or_not_at_all(world, ledgers, step, occurrence)


async def _done_once_or_not_at_all(world: WriteWorld, ledgers: LedgerWorld, step: WriteStep, occurrence: int) -> None:
    async with world.open(ledgers) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
    said = await killed_worker(world, ledgers, step, occurrence)
    told = Told()
    async with world.open(ledgers, told=told) as writes:
        on_chain = await world.group_names(ACCOUNT)
        assert len(on_chain) == len(set(on_chain))
        journaled = states(ledgers)
        assert {name for name, (state, _) in journaled.items() if state == "mined"} >= set(on_chain)
        assert set(on_chain) == journaled.keys() & set(NAMES)
        assert all(state == ("mined", True) for state in journaled.values()), journaled
        for name in NAMES:
            found = await writes.writer.recall(name)
            assert (found is not None) == (name in on_chain)
            assert found is None or (found.result is not None and found.answer == {"name": name})
        await assert_no_gap(world, writes.payers.addresses)
        await asyncio.gather(
            *(writes.writer.write(world.add_group(ACCOUNT, name, idempotency_id=name)) for name in NAMES)
        )
    assert {name for what, name, *_ in said if what == "answered"} <= set(on_chain)
    heard = [(name, how) for what, name, *how in said if what == "told"]
    heard += [(intent.write_id, ["mined" if result else "failed"]) for intent, result in told.ended]
    assert {(name, *how) for name, how in heard if name in on_chain} == {(name, "mined") for name in on_chain}
    assert sorted(await world.group_names(ACCOUNT)) == sorted(NAMES)


@pytest.mark.exhaustive
async def test_a_kill_while_transactions_wait_for_a_block_sends_the_very_same_bytes(
    world: WriteWorld, ledgers: LedgerWorld
) -> None:
    async with world.open(ledgers) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
    await world.automine(False)
    await killed_worker(world, ledgers, "sent", 4)
    stored = open_hashes(ledgers)
    await world.rpc.call("anvil_dropAllTransactions")
    await world.automine(True)
    assert stored
    async with world.open(ledgers) as writes:
        results = [await writes.writer.recall(name) for name in NAMES]
    hashes = {found.result.transaction_hash for found in results if found is not None and found.result is not None}
    assert hashes == stored
    assert len(await world.group_names(ACCOUNT)) == len(stored)


class FragileChain:
    """An anvil with state on disk, written each second, that can be killed and started again at the same port."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self._port = free_port()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[LocalChain]:
        async with local_chain(LocalChainOptions(port=self._port, state_file=self._state)) as chain:
            yield chain

    async def saved(self) -> None:
        """Wait until the state of now is on disk: two saves from now, since one may be under way."""
        for _ in range(2):
            before = await asyncio.to_thread(self._stamp)
            while await asyncio.to_thread(self._stamp) == before:
                pass

    def _stamp(self) -> int:
        return self._state.stat().st_mtime_ns if self._state.exists() else 0


def kill(chain: LocalChain) -> None:
    os.kill(chain.process.pid, signal.SIGKILL)


async def _prepared(chain: FragileChain, url: str, session: aiohttp.ClientSession, database: Path) -> WriteWorld:
    world = await write_world(session, url)
    async with world.open(database) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
    await chain.saved()
    return world


@pytest.mark.exhaustive
async def test_what_the_chain_lost_while_the_node_runs_comes_back_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, fragile, told = tmp_path / "node.db", FragileChain(tmp_path / "state.json"), Told()
    set_constants(monkeypatch, CHECK_INTERVAL_S=0.2)
    async with aiohttp.ClientSession() as session:
        async with fragile.running() as chain:
            world = await _prepared(fragile, chain.url, session, database)
            running = world.open(database, told=told)
            writes = await running.__aenter__()
            results = await asyncio.gather(*(writes.writer.write(world.add_group(ACCOUNT, name)) for name in NAMES))
            before = await world.group_names(ACCOUNT)
            kill(chain)
            await chain.process.wait()
        async with fragile.running():
            lost = len(before) - len(await world.group_names(ACCOUNT))
            await writes.writer.write(world.add_group(ACCOUNT, "after"))
            after = await world.group_names(ACCOUNT)
            await assert_no_gap(world, writes.payers.addresses)
            await running.__aexit__(None, None, None)
    assert lost > 0
    assert after == [*before, "after"]
    assert len(told.ended) == len(results) + 1


@pytest.mark.exhaustive
async def test_what_the_chain_lost_while_the_node_was_down_comes_back_at_the_start(tmp_path: Path) -> None:
    database, fragile, told = tmp_path / "node.db", FragileChain(tmp_path / "state.json"), Told()
    async with aiohttp.ClientSession() as session:
        async with fragile.running() as chain:
            world = await _prepared(fragile, chain.url, session, database)
            async with world.open(database) as writes:
                await asyncio.gather(*(writes.writer.write(world.add_group(ACCOUNT, name)) for name in NAMES))
                await writes.writer.write(world.new_account(2))
                await writes.writer.write(world.add_group(2, "of the new account"))
            before = await world.group_names(ACCOUNT)
            kill(chain)
            await chain.process.wait()
        async with fragile.running():
            lost = len(before) - len(await world.group_names(ACCOUNT))
            async with world.open(database, told=told) as writes:
                assert await world.group_names(ACCOUNT) == before
                assert await world.group_names(2) == ["of the new account"]
                await assert_no_gap(world, writes.payers.addresses)
    assert lost > 0
    assert told.ended == []


@pytest.mark.exhaustive
async def test_what_had_failed_stays_failed_when_the_chain_loses_it(tmp_path: Path) -> None:
    """Two creations of one account in one block: the loser must not become the winner the second time."""
    database, fragile = tmp_path / "node.db", FragileChain(tmp_path / "state.json")
    async with aiohttp.ClientSession() as session:
        async with fragile.running() as chain:
            world = await _prepared(fragile, chain.url, session, database)
            async with world.open(database) as writes:
                await world.automine(False)
                twins = [asyncio.create_task(writes.writer.write(world.new_account(7))) for _ in range(2)]
                await world.until_pending(2)
                await world.mine()
                outcomes = await asyncio.gather(*twins, return_exceptions=True)
                await world.automine(True)
            sent = [await world.count(payer) for payer in writes.payers.addresses]
            kill(chain)
            await chain.process.wait()
        async with fragile.running():
            lost = sum(sent) - sum([await world.count(payer) for payer in writes.payers.addresses])
            async with world.open(database) as writes:
                await assert_no_gap(world, writes.payers.addresses)
                with pytest.raises(DomainError) as exists:
                    await writes.writer.write(world.new_account(7))
            (won,) = [outcome for outcome in outcomes if isinstance(outcome, WriteResult)]
            receipt = await world.rpc.call("eth_getTransactionReceipt", [won.transaction_hash])
    assert lost > 0
    assert isinstance(receipt, dict)
    assert receipt["status"] == "0x1"
    assert as_node_error(exists.value).code is ErrorCode.CONFLICT


@pytest.mark.exhaustive
async def test_unfinished_writes_of_payers_no_longer_used_are_finished_too(
    world: WriteWorld, ledgers: LedgerWorld
) -> None:
    async with world.open(ledgers) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
    await world.automine(False)
    await killed_worker(world, ledgers, "sent", 4)
    await world.rpc.call("anvil_dropAllTransactions")
    await world.automine(True)
    assert len(journal_rows(ledgers, "SELECT DISTINCT payer FROM chain_write WHERE state = 'open'")) > 1
    async with world.open(ledgers, settings=local_settings(payer_count=1)):
        assert {state for state, _ in states(ledgers).values()} == {"mined"}
    assert set(await world.group_names(ACCOUNT)) == states(ledgers).keys() & set(NAMES)

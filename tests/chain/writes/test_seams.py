"""Moments at which the journal is asked and something else happens meanwhile."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from node.api.errors import ErrorCode, as_node_error
from node.chain.writes.model import Reply
from node.database.port import DatabaseUnavailableError, Row, Statement
from node.errors import DomainError
from node.settings.chain import ChainWriteSettings
from tests.support.journal_rows import cancel_reasons
from tests.support.ledgers import LedgerWorld
from tests.support.lies import Ask, Outcome, per_call
from tests.support.rpc_proxy import RpcProxy
from tests.support.writes import BY_HAND_S, Told, WriteWorld, local_settings, set_constants

ACCOUNT = 0xACC
ONE_PAYER = local_settings(payer_count=1)
IMPATIENT = ChainWriteSettings(payer_count=1, write_receipt_timeout_s=0.2)
OFFERS_MORE = local_settings(payer_count=1, write_replace_after_s=0.0)
UNTOLD = "w.told = 0"


async def test_a_start_that_the_database_ends_leaves_nothing_running(
    world: WriteWorld, ledgers: LedgerWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = await ledgers.open()
    execute = ledger.database.execute

    async def out(*statements: Statement) -> Sequence[Sequence[Row]]:
        if any(UNTOLD in statement.sql for statement in statements):
            raise DatabaseUnavailableError(1)
        return await execute(*statements)

    monkeypatch.setattr(ledger.database, "execute", out)
    before = asyncio.all_tasks()
    with pytest.raises(DomainError) as refused:
        async with world.open(ledgers, books=ledger, settings=ONE_PAYER):
            pass
    assert as_node_error(refused.value).code is ErrorCode.DATABASE_UNAVAILABLE
    assert not {str(task.get_coro()) for task in asyncio.all_tasks() - before}
    await ledger.close()


async def test_a_receipt_that_comes_while_the_journal_is_asked_ends_the_write_once_as_it_says(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_constants(monkeypatch, CHECK_INTERVAL_S=BY_HAND_S)
    told = Told()
    async with world.open(database, told=told, settings=ONE_PAYER) as writes:
        transactor = writes.transactor
        await writes.writer.write(world.new_account(ACCOUNT))
        await world.automine(False)
        intent = world.add_group(ACCOUNT)
        running = asyncio.create_task(writes.writer.write(intent))
        await world.until_pending(1)
        ((payer, write),) = transactor.payers.open_writes()
        require_lease = transactor.journal.require_lease

        async def mined_meanwhile(payer: str) -> None:
            await require_lease(payer)
            await world.mine()
            result = await running
            assert result.write_id == intent.write_id

        monkeypatch.setattr(transactor.journal, "require_lease", mined_meanwhile)
        await transactor.finaliser.finalise_superseded(payer, write)
    assert [result is not None for result in told.of(intent.write_id)] == [True]


async def test_a_late_answer_to_an_earlier_offer_says_nothing_of_the_better_one(
    world: WriteWorld, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The node would outbid itself."""
    set_constants(monkeypatch, CHECK_INTERVAL_S=BY_HAND_S)
    is_held, may_answer = asyncio.Event(), asyncio.Event()

    async def late(method: str, params: list[Any], ask: Ask) -> Outcome:
        said = await ask(method, *params)
        if method != "eth_sendRawTransaction" or may_answer.is_set():
            return said
        is_held.set()
        await may_answer.wait()
        return {"error": {"code": -32000, "message": "replacement transaction underpriced"}}

    async with (
        RpcProxy(world.url).running() as proxy,
        world.open(database, urls=[proxy.url], settings=OFFERS_MORE) as writes,
    ):
        await writes.writer.write(world.new_account(ACCOUNT))
        await world.automine(False)
        proxy.behaviour = per_call(late)
        running = asyncio.create_task(writes.writer.write(world.add_group(ACCOUNT)))
        await is_held.wait()
        ((_, write),) = writes.transactor.payers.open_writes()
        while len(write.attempts) == 1:
            await writes.tracker.check_unfinished()
        may_answer.set()
        while Reply.ACCEPTED not in write.replies.values():  # noqa: ASYNC110 - the reply is noted on the write alone
            await asyncio.sleep(0)
        assert not write.underpriced
        await world.mine()
        await running


async def test_what_is_written_into_a_row_of_the_journal_is_never_signed(
    world: WriteWorld, ledgers: LedgerWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator of the database could otherwise have the payers, which the contract trusts, sign a forged row."""
    set_constants(monkeypatch, CHECK_INTERVAL_S=BY_HAND_S)
    told = Told()
    async with world.open(ledgers, settings=IMPATIENT) as writes:
        await writes.writer.write(world.new_account(ACCOUNT))
        await world.automine(False)
        intent = world.add_group(ACCOUNT, "wanted", idempotency_id="wanted")
        with pytest.raises(DomainError):
            await writes.writer.write(intent)
    forged = world.add_group(ACCOUNT, "forged").call
    ledger = await ledgers.open()
    data = world.abi.encode_call(forged.function, forged.arguments).hex()
    await ledger.execute(Statement("UPDATE chain_write SET data = ? WHERE state = 'open'", (data,)))
    set_constants(monkeypatch, RECOVERY_WAIT_S=0.1)
    async with world.open(ledgers, books=ledger, told=told, settings=OFFERS_MORE) as writes:
        ((_, write),) = writes.transactor.payers.open_writes()
        while len(write.attempts) == 1 or Reply.ACCEPTED not in write.replies.values():
            await writes.tracker.check_unfinished()
        await world.mine()
        while not write.ended.done():
            await writes.tracker.check_unfinished()
        recalled = await writes.writer.recall("wanted")
    await ledger.close()
    assert recalled is not None
    assert "changed in the node's database" in str(recalled.failure)
    assert set(cancel_reasons(ledgers)) == {"not_as_signed"}
    assert told.of(intent.write_id) == [None]
    assert await world.group_names(ACCOUNT) == []

"""A commit of the shared ledger whose reply is lost: what it did counts once, and no caller undoes it for another."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from node.ledger import postgres_ledger
from node.ledger.errors import LedgerUnavailableError
from node.ledger.port import Spender
from node.ledger.postgres_ledger import PostgresLedger
from tests.support.ledgers import ACCOUNT, CENT, KEY, RUN, WRITE, cents, give
from tests.support.postgres_ledger import PostgresWorld, impatient, until
from tests.support.statement_proxy import COMMIT, StatementProxy

ME = Spender(ACCOUNT)
DEADLINE_S = 30.0
SHORT_S = 0.5
"""Patience of a caller that is to give up."""


@pytest.fixture
async def proxy(world: PostgresWorld) -> AsyncIterator[StatementProxy]:
    """A proxy through which the nodes of the world reach its server."""
    proxy = StatementProxy(world.server.port)
    async with proxy.running(world.url) as world.url:
        yield proxy
        await world.close()
        world.opened.clear()


async def funded(world: PostgresWorld, credit: int, **patience_s: float) -> PostgresLedger:
    """A node whose account has so many cents, one of them reserved as `e1`."""
    ledger = await world.node("a", postgres=impatient(**patience_s))
    await give(ledger, credit)
    await ledger.reserve(Spender(ACCOUNT, KEY, 2 * CENT), "e1", CENT)
    return ledger


@pytest.mark.parametrize(
    ("spender", "credit"), [(ME, 2), pytest.param(Spender(ACCOUNT, KEY, 2 * CENT), 9, marks=pytest.mark.exhaustive)]
)
async def test_a_charge_that_is_repeated_does_not_count_as_reserved_too(
    world: PostgresWorld, proxy: StatementProxy, spender: Spender, credit: int
) -> None:
    ledger = await funded(world, credit)
    proxy.lose(1, of=COMMIT)
    reserving = asyncio.create_task(ledger.reserve(spender, "e2", CENT))
    settling = asyncio.create_task(ledger.settle("e1", CENT, RUN))
    await reserving
    assert await settling == CENT
    assert proxy.lost.is_set()


async def test_a_charge_whose_caller_gave_up_does_not_count_as_reserved_too(
    world: PostgresWorld, proxy: StatementProxy
) -> None:
    ledger = await funded(world, 2, settle_patience_s=SHORT_S)
    proxy.lose(1, of=COMMIT, goes_down=True)
    with pytest.raises(LedgerUnavailableError):
        await ledger.settle("e1", CENT, RUN)
    proxy.up()
    await ledger.reserve(ME, "e2", CENT)
    assert await ledger.balance(ACCOUNT) == cents(1, 1)


@pytest.mark.exhaustive
async def test_a_reservation_is_not_undone_for_a_caller_that_gave_up_before_it_was_made_again(
    world: PostgresWorld, proxy: StatementProxy
) -> None:
    """The journal reserves a write again that it could not reserve a second ago."""
    ledger = await world.node("a", postgres=impatient(reserve_patience_s=SHORT_S * 2))
    await give(ledger, 3)
    blocker = await asyncpg.connect(world.server.url(world.role))
    proxy.lose(1, of=COMMIT)
    first = asyncio.create_task(ledger.reserve(ME, "w1", CENT))
    await proxy.lost.wait()
    await blocker.execute("BEGIN; SELECT 1 FROM ledger_account FOR UPDATE")
    with pytest.raises(LedgerUnavailableError):
        await first
    ledger._reserve_patience_s = DEADLINE_S
    await until(lambda: ledger._queue._skip_busy and not ledger._queue._orders)
    again = asyncio.create_task(ledger.reserve(ME, "w1", CENT))
    await until(lambda: len(ledger._queue._orders) > 1)
    await blocker.execute("ROLLBACK")
    await again
    await until(lambda: not ledger._queue.has("w1"))
    assert await ledger.settle("w1", CENT, WRITE) == CENT
    await blocker.close()


@pytest.mark.exhaustive
async def test_a_node_that_closed_without_its_server_may_be_closed_again(
    world: PostgresWorld, proxy: StatementProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_ledger, "CLOSE_PATIENCE_S", SHORT_S)
    ledger = await funded(world, 2, settle_patience_s=SHORT_S, reserve_patience_s=SHORT_S)
    proxy.go_down()
    with pytest.raises(LedgerUnavailableError):
        await ledger.release("e1")
    for _ in range(2):
        await ledger.close()

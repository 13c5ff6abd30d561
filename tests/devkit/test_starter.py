"""What a development account begins with: once, durably, whoever meets it first."""

import asyncio

import pytest

from devkit.starter import StarterLedger
from node.ledger.errors import InsufficientCreditError
from node.ledger.port import Spender
from tests.support.ledgers import ACCOUNT, CENT, RUN, SqliteWorld, cents


@pytest.fixture
def world(tmp_path_factory: pytest.TempPathFactory) -> SqliteWorld:
    return SqliteWorld(tmp_path_factory.mktemp("ledger"))


async def test_every_account_begins_with_it_once_and_keeps_what_is_left_over_a_restart(world: SqliteWorld) -> None:
    database = await world.open()
    ledger = StarterLedger(database, 10)
    await asyncio.gather(*(ledger.reserve(Spender(ACCOUNT), f"e{i}", CENT) for i in range(5)))
    await ledger.settle("e0", CENT, RUN)
    assert await ledger.balance(ACCOUNT) == cents(9, 4)
    await world.die(database)
    again = await world.open()
    assert await StarterLedger(again, 10).balance(ACCOUNT) == cents(9)
    await again.close()


async def test_another_amount_is_for_accounts_met_from_then_on(world: SqliteWorld) -> None:
    database = await world.open()
    assert await StarterLedger(database, 10).balance(ACCOUNT) == cents(10)
    richer = StarterLedger(database, 500)
    assert await richer.balance(ACCOUNT) == cents(10)
    assert await richer.balance(0xBEEF) == cents(500)
    await database.close()


async def test_zero_turns_it_off(world: SqliteWorld) -> None:
    database = await world.open()
    ledger = StarterLedger(database, 0)
    with pytest.raises(InsufficientCreditError):
        await ledger.reserve(Spender(ACCOUNT), "e1", CENT)
    await database.close()

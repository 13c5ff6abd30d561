"""A node that was paused past its lease of the shared ledger says what was really taken, which others may have spent."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio

from node.dev.starter import StarterLedger
from node.ledger.port import Service, Spender, Usage
from tests.execution.bench import MASTER, World, bench_over
from tests.world.ledgers import CENT, assert_adds_up, pay, rows
from tests.world.postgres import PostgresServer, postgres
from tests.world.postgres_ledger import IMPATIENT, PostgresWorld

__all__ = ["postgres"]

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAUSED = replace(IMPATIENT, lease_s=3_600.0)
"""Renewed so seldom that it is not while a test runs."""
TWO_SECONDS = "const main = () => new Promise((resolve) => setTimeout(resolve, 1100, 1));"


@pytest_asyncio.fixture(loop_scope="module")
async def shared(postgres: PostgresServer) -> AsyncIterator[PostgresWorld]:
    shared = PostgresWorld(postgres)
    yield shared
    await shared.close()


@pytest.mark.parametrize(("spent", "charged"), [(0, 2), (1, 2), (2, 1), (3, 0)])
async def test_what_others_spent_meanwhile_is_not_said_to_be_charged(
    world: World, shared: PostgresWorld, monkeypatch: pytest.MonkeyPatch, spent: int, charged: int
) -> None:
    paused = await shared.node("paused", postgres=PAUSED)
    bench = await bench_over(world, ledger=StarterLedger(paused, 3))
    settle = bench.ledger.settle

    async def settle_late(cause: str, amount_microdollars: int, usage: Usage) -> int:
        shared.lapse()
        other = await shared.node("other")
        await pay(other, "elsewhere", spent, Spender(MASTER))
        return await settle(cause, amount_microdollars, usage)

    monkeypatch.setattr(bench.ledger, "settle", settle_late)
    answer = await bench.run(MASTER, TWO_SECONDS)
    assert (answer.response, answer.charged_cents) == (1, charged)
    taken = "SELECT amount_microdollars FROM ledger_entry WHERE credit_book = ? AND cause <> 'elsewhere'"
    assert await rows(paused, taken, Service.EXECUTION.value) == [(charged * CENT,)]
    await assert_adds_up(paused)
    await bench.service.close()

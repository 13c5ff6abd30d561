"""A node that was paused past its lease of the shared ledger says what was really taken, which others may have spent."""

import asyncio
import math
import time
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from devkit.starter import StarterLedger
from node.api.errors import ErrorCode, as_node_error
from node.errors import DomainError
from node.ledger.port import Service, Spender, Usage
from node.settings.execution import ActionSettings
from node.settings.ledger import PostgresSettings
from tests.execution.bench import MASTER, World, bench_over
from tests.support.ledgers import CENT, assert_adds_up, cents, pay, rows
from tests.support.postgres import PostgresServer, fragile_postgres, postgres
from tests.support.postgres_ledger import PostgresWorld, impatient

__all__ = ["fragile_postgres", "postgres"]

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAUSED_LEASE_S = 3_600.0
"""Renewed so seldom that it is not while a test runs."""
OUT_MAX_S = 3.0
"""Longest time from a request to its 503 while the database is out (docs/operators.md)."""
TWO_SECONDS = "const main = () => new Promise((resolve) => setTimeout(resolve, 1100, 1));"


@pytest_asyncio.fixture(loop_scope="module")
async def shared(postgres: PostgresServer) -> AsyncIterator[PostgresWorld]:
    shared = PostgresWorld(postgres)
    yield shared
    await shared.close()


@pytest.mark.exhaustive
@pytest.mark.parametrize(("spent", "charged"), [(0, 2), (1, 2), (2, 1), (3, 0)])
async def test_what_others_spent_meanwhile_is_not_said_to_be_charged(
    world: World, shared: PostgresWorld, monkeypatch: pytest.MonkeyPatch, spent: int, charged: int
) -> None:
    paused = await shared.node("paused", lease_s=PAUSED_LEASE_S)
    bench = await bench_over(world, ledger=StarterLedger(paused, 3))
    settle = bench.ledger.settle

    async def settle_late(cause: str, amount_microdollars: int, usage: Usage) -> int:
        await shared.lapse()
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


@pytest.mark.exhaustive
@pytest.mark.parametrize("ends", ["by itself", "as it cannot be paid"])
async def test_what_ran_while_the_server_was_out_is_charged_when_it_is_back(
    world: World, fragile_postgres: PostgresServer, ends: str
) -> None:
    """Whether the server went before the charge, or before the next second was set aside."""
    patience = impatient(reserve_patience_s=0.5, settle_patience_s=0.5)
    shared = PostgresWorld(fragile_postgres)
    node = await shared.node("one", postgres=patience)
    bench = await bench_over(
        world, ledger=StarterLedger(node, 10), limits=ActionSettings(action_uncharged_s_per_hour=0)
    )
    begun = asyncio.Event()
    bench.once_set_aside(begun.set)
    code = "const main = () => new Promise((resolve) => setTimeout(resolve, 700, 1));"
    running = asyncio.create_task(bench.run(MASTER, code if ends == "by itself" else "function main() { for (;;); }"))
    await begun.wait()
    await asyncio.to_thread(fragile_postgres.crash)
    with pytest.raises(DomainError) as fault:
        await running
    charged, ran_ms = fault.value.details["charged_cents"], fault.value.details["ran_ms"]
    assert isinstance(ran_ms, float)
    assert (as_node_error(fault.value).code, charged) == (ErrorCode.BILLING_UNAVAILABLE, None), "not known yet"
    await asyncio.to_thread(fragile_postgres.start)
    async with asyncio.timeout(30):
        while (await bench.ledger.balance(MASTER)) != cents(10 - math.ceil(ran_ms / 1000)):  # noqa: ASYNC110 - the ledger's own balance
            await asyncio.sleep(0.05)
    await assert_adds_up(node)
    await bench.service.close()
    await shared.close()


@pytest.mark.exhaustive
async def test_a_database_that_dies_under_load_is_503_within_three_seconds_and_charged_later(
    world: World, fragile_postgres: PostgresServer
) -> None:
    """With the patience that a node has by itself: runs under way, and those that are asked for while it is out."""
    shared = PostgresWorld(fragile_postgres)
    node = await shared.node("one", postgres=PostgresSettings())
    bench = await bench_over(
        world, ledger=StarterLedger(node, 100), limits=ActionSettings(action_uncharged_s_per_hour=0)
    )
    begun = asyncio.Event()
    bench.once_set_aside(begun.set)
    short, endless = f"{TWO_SECONDS} // short", "function main() { for (;;); }"
    under_way = [asyncio.create_task(bench.run(MASTER, code)) for code in (short, endless, short, endless)]
    await begun.wait()
    await asyncio.to_thread(fragile_postgres.crash)

    async def refused_within() -> float:
        begun_at = time.monotonic()
        with pytest.raises(DomainError) as out:
            await bench.run(MASTER, short)
        assert as_node_error(out.value).code is ErrorCode.BILLING_UNAVAILABLE
        return time.monotonic() - begun_at

    assert max(await asyncio.gather(*(refused_within() for _ in range(20)))) < OUT_MAX_S
    charged_cents = 0
    for running in under_way:
        with pytest.raises(DomainError) as out:
            await running
        assert as_node_error(out.value).code is ErrorCode.BILLING_UNAVAILABLE
        assert out.value.details.get("charged_cents") is None, "not known yet"
        ran_ms = out.value.details.get("ran_ms", 0.0)
        assert isinstance(ran_ms, float)
        charged_cents += math.ceil(ran_ms / 1000)
    assert charged_cents > 0
    await asyncio.to_thread(fragile_postgres.start)
    async with asyncio.timeout(60):
        while (await bench.ledger.balance(MASTER)) != cents(100 - charged_cents):  # noqa: ASYNC110 - the ledger's own balance
            await asyncio.sleep(0.05)
    await assert_adds_up(node)
    await bench.service.close()
    await shared.close()

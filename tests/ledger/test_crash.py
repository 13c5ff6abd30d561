"""The process is killed at any step: what somebody was told is there, nothing is there twice, and the books add up."""

from collections.abc import Iterator
from dataclasses import asdict

import pytest

from node.ledger.check import LEDGER_RULES, check
from node.ledger.port import LedgerDatabase
from tests.support.ledger_worker import PAID_CENTS, PAYMENT, TAKEN_CENTS, Step, Task
from tests.support.ledgers import ACCOUNT, CENT, KEY, LedgerWorld, SqliteWorld, assert_adds_up, cents, rows
from tests.support.nursery import KILLED, Nursery, nursery
from tests.support.postgres_ledger import PostgresWorld

pytestmark = pytest.mark.exhaustive

CAUSES = [f"e{i}" for i in range(18)]


def task_for(world: LedgerWorld, step: str = "", occurrence: int = 0) -> Task:
    if isinstance(world, SqliteWorld):
        return Task(str(world.path), "", CAUSES, step, occurrence)
    assert isinstance(world, PostgresWorld)
    return Task("", world.url, CAUSES)


@pytest.fixture(scope="module")
def processes() -> Iterator[Nursery]:
    with nursery("tests.support.ledger_worker") as processes:
        yield processes


async def charged(ledger: LedgerDatabase) -> set[str]:
    found = await rows(ledger, "SELECT cause, amount_microdollars, usage_key FROM ledger_entry WHERE what IS NOT NULL")
    assert {(amount, key) for _, amount, key in found} <= {(TAKEN_CENTS * CENT, f"0x{KEY:064x}")}
    causes = [str(cause) for cause, *_ in found]
    assert len(causes) == len(set(causes))
    return set(causes)


async def assert_exact(world: LedgerWorld, said: list[list[str]]) -> None:
    """What is there after a restart agrees with itself and with all that anybody was told."""
    if isinstance(world, PostgresWorld):
        await world.lapse()
    ledger = await world.open()
    there = await charged(ledger)
    assert {words[1] for words in said if words[0] == "settled"} <= there <= set(CAUSES)
    paid = await rows(ledger, "SELECT amount_microdollars FROM ledger_entry WHERE cause = ?", PAYMENT)
    assert paid == [(PAID_CENTS * CENT,)] if ["paid", PAYMENT] in said else len(paid) <= 1
    assert await ledger.balance(ACCOUNT) == cents(PAID_CENTS * len(paid) - TAKEN_CENTS * len(there))
    assert (await check(ledger, LEDGER_RULES)).holds
    await assert_adds_up(ledger)
    await ledger.close()


async def assert_finishes(processes: Nursery, world: LedgerWorld) -> None:
    """The next process does everything again, under the same causes: each is charged once."""
    life = await processes.life(asdict(task_for(world)))
    assert (life.code, life.said[-1]) == (0, ["done"])
    ledger = await world.open()
    assert await charged(ledger) == set(CAUSES)
    assert await ledger.balance(ACCOUNT) == cents(PAID_CENTS - TAKEN_CENTS * len(CAUSES))
    await ledger.close()


@pytest.mark.parametrize("occurrence", [1, 3])
@pytest.mark.parametrize("step", list(Step))
async def test_a_kill_at_any_step_of_a_commit_leaves_the_books_exact(
    processes: Nursery, sqlite_world: SqliteWorld, step: Step, occurrence: int
) -> None:
    life = await processes.life(asdict(task_for(sqlite_world, step, occurrence)))
    assert life.code == KILLED
    await assert_exact(sqlite_world, life.said)
    await assert_finishes(processes, sqlite_world)


@pytest.mark.parametrize("lines", [1, 8, 15])
async def test_a_kill_at_any_moment_leaves_the_books_exact(processes: Nursery, world: LedgerWorld, lines: int) -> None:
    life = await processes.life(asdict(task_for(world)), lines)
    assert life.code == KILLED
    await assert_exact(world, life.said)
    await assert_finishes(processes, world)


async def test_kill_after_kill_the_work_is_done_once(processes: Nursery, sqlite_world: SqliteWorld) -> None:
    for occurrence in range(2, 4):
        for step in Step:
            life = await processes.life(asdict(task_for(sqlite_world, step, occurrence)))
            await assert_exact(sqlite_world, life.said)
    await assert_finishes(processes, sqlite_world)

"""The budget of gas for free writes: never more in any hour, across restarts and nodes, and fair between addresses."""

import asyncio
import math
import random
from collections import deque
from collections.abc import Sequence
from pathlib import Path

import pytest

from node.api.errors import ErrorCode, NodeError, as_node_error
from node.billing import free_writes
from node.billing.free_writes import FreePart, FreeWriteBudget
from node.errors import DomainError
from tests.support.clock import FakeClock
from tests.support.free_writes import free_write_budget
from tests.support.ledgers import LedgerWorld, SqliteWorld
from tests.support.postgres import PostgresServer, postgres
from tests.support.postgres_ledger import BOTH, PostgresWorld, world_of

__all__ = ["postgres"]

BUDGET = 8_000_000
"""An hour's, so that each part may take a million at once."""
CAPACITY = 1_000_000
COST = 10_000
HOUR_S = 3600.0
SIGN_UP, ACCOUNT = FreePart


@pytest.fixture(params=BOTH)
def ledgers(request: pytest.FixtureRequest, tmp_path: Path) -> LedgerWorld:
    return world_of(request, tmp_path)


async def taken(
    budget: FreeWriteBudget, clients: Sequence[str], part: FreePart = SIGN_UP, cost: int = COST
) -> list[str]:
    """Take turns until everybody is refused; who got how much, as a list of names."""
    got: list[str] = []
    asking = list(clients)
    while asking:
        for client in list(asking):
            try:
                await budget.take(part, client, cost)
            except DomainError:
                asking.remove(client)
            else:
                got.append(client)
    return got


async def refusal_of(budget: FreeWriteBudget, client: str, part: FreePart = SIGN_UP, cost: int = COST) -> NodeError:
    with pytest.raises(DomainError) as refused:
        await budget.take(part, client, cost)
    error = as_node_error(refused.value)
    assert error.code is ErrorCode.TOO_MANY_REQUESTS
    return error


async def test_no_hour_sees_more_than_the_budget_however_it_is_asked_for(ledgers: LedgerWorld) -> None:
    """Fresh addresses all the time, in bursts and pauses: each hour's takings of both parts are added up."""
    clock, rng = FakeClock(), random.Random(15)
    ledger = await ledgers.open()
    budget = await free_write_budget(ledger, BUDGET, clock)
    last_hour: deque[tuple[float, int]] = deque()
    number, most = 0, 0
    for _ in range(60):
        for part in FreePart:
            for _ in range(40):
                cost = rng.choice([3_000, 40_000, 90_000])
                number += 1
                try:
                    await budget.take(part, f"client {number}", cost)
                except DomainError:
                    break
                last_hour.append((clock.now, cost))
        while last_hour and last_hour[0][0] <= clock.now - HOUR_S:
            last_hour.popleft()
        most = max(most, sum(cost for _, cost in last_hour))
        clock.advance(rng.choice([1, 30, 200, 400]))
    assert BUDGET / 2 < most <= BUDGET
    await ledger.close()


async def test_a_restart_gives_nothing_back(ledgers: LedgerWorld) -> None:
    clock = FakeClock()
    ledger = await ledgers.open()
    before = await taken(await free_write_budget(ledger, BUDGET, clock), [f"a{number}" for number in range(200)])
    await ledgers.die(ledger)
    ledger = await ledgers.open()
    budget = await free_write_budget(ledger, BUDGET, clock)
    assert (await refusal_of(budget, "somebody", cost=2 * COST)).retry_after_s
    after = await taken(budget, [f"b{number}" for number in range(200)])
    assert (len(before) + len(after)) * COST <= CAPACITY
    clock.advance(10 * HOUR_S)
    assert len(await taken(budget, ["c"])) == CAPACITY // COST // 2, "after some hours all of it is there again"
    await ledger.close()


async def test_a_clock_that_was_far_ahead_for_a_while_does_not_end_free_writes(ledgers: LedgerWorld) -> None:
    """A machine's clock may be set a month ahead, by its host or by a mistake, and put right again."""
    clock = FakeClock()
    ledger = await ledgers.open()
    clock.advance(720 * HOUR_S)
    await taken(await free_write_budget(ledger, BUDGET, clock), [f"a{number}" for number in range(200)])
    clock.now -= 720 * HOUR_S
    budget = await free_write_budget(ledger, BUDGET, clock)
    await refusal_of(budget, "b", cost=2 * COST)
    clock.advance(10 * HOUR_S)
    assert len(await taken(budget, ["c"])) == CAPACITY // COST // 2
    await ledger.close()


async def test_clocks_that_differ_a_little_forget_nothing_in_turns(ledgers: LedgerWorld) -> None:
    clock, behind = FakeClock(), FakeClock()
    behind.now -= 60
    ledger = await ledgers.open()
    nodes = [await free_write_budget(ledger, BUDGET, each) for each in (clock, behind)]
    await taken(nodes[0], [f"a{number}" for number in range(200)])
    for number in range(40):
        await refusal_of(nodes[number % 2], f"b{number}", cost=2 * COST)
    await ledger.close()


async def test_a_clock_that_is_set_back_and_forth_gives_nothing_back(ledgers: LedgerWorld) -> None:
    clock = FakeClock()
    ledger = await ledgers.open()
    budget = await free_write_budget(ledger, BUDGET, clock)
    before = await taken(budget, ["first"])
    clock.advance(-HOUR_S)
    await budget.take(SIGN_UP, "second", COST)
    clock.advance(HOUR_S)
    after = await taken(budget, [f"b{number}" for number in range(200)])
    assert (len(before) + 1 + len(after)) * COST <= CAPACITY, "all of it was taken at one moment"
    await ledger.close()


async def test_nodes_of_one_database_share_one_budget(postgres: PostgresServer) -> None:
    clock, shared = FakeClock(), PostgresWorld(postgres)
    nodes = [await free_write_budget(await shared.node(name), BUDGET, clock) for name in ("one", "two", "three")]
    got = await asyncio.gather(
        *(taken(node, [f"{name}{each}" for each in range(60)]) for name, node in enumerate(nodes))
    )
    total = sum(len(each) for each in got)
    assert CAPACITY // COST - 3 <= total <= CAPACITY // COST
    for node in nodes:
        await refusal_of(node, "newcomer", cost=4 * COST)
    await shared.close()


async def test_who_took_much_yields_to_who_took_nothing(ledgers: LedgerWorld) -> None:
    clock = FakeClock()
    ledger = await ledgers.open()
    budget = await free_write_budget(ledger, BUDGET, clock)
    capacity = CAPACITY // COST
    assert len(await taken(budget, ["first"])) == capacity // 2, "one address alone gets half"
    assert len(await taken(budget, ["second"])) == capacity // 4
    assert len(await taken(budget, ["third"])) in range(capacity // 8, capacity // 8 + 2)
    await refusal_of(budget, "first")
    await refusal_of(budget, "second")
    await budget.take(SIGN_UP, "newcomer", COST)
    clock.advance(600)
    assert await taken(budget, ["newcomer", "first"]), "what is forgotten can be taken again"
    await ledger.close()


async def test_many_who_ask_at_once_get_equal_shares(ledgers: LedgerWorld) -> None:
    ledger = await ledgers.open()
    budget = await free_write_budget(ledger, BUDGET, FakeClock())
    clients = [f"client {number}" for number in range(9)]
    got = await taken(budget, clients)
    assert {got.count(client) for client in clients} == {CAPACITY // COST // 10}
    await budget.take(SIGN_UP, "newcomer", COST)
    await ledger.close()


async def test_one_part_leaves_the_other_alone(ledgers: LedgerWorld) -> None:
    ledger = await ledgers.open()
    budget = await free_write_budget(ledger, BUDGET, FakeClock())
    await taken(budget, [f"a{number}" for number in range(200)])
    await refusal_of(budget, "b", cost=2 * COST)
    assert len(await taken(budget, ["b"], ACCOUNT)) == CAPACITY // COST // 2
    await ledger.close()


async def test_a_refusal_says_which_limit_it_is_and_when_to_come_back(ledgers: LedgerWorld) -> None:
    clock = FakeClock()
    ledger = await ledgers.open()
    budget = await free_write_budget(ledger, BUDGET, clock)
    await taken(budget, ["a", "b"])
    for client in ("a", "newcomer"):
        cost = COST if client == "a" else CAPACITY // 2
        refused = await refusal_of(budget, client, cost=cost)
        assert refused.details == {"limit": "free_writes_per_hour_wei"}
        wait_s = refused.retry_after_s
        assert wait_s is not None
        assert str(wait_s) in str(refused.fix)
        clock.advance(wait_s - 1.5)
        await refusal_of(budget, client, cost=cost)
        clock.advance(2)
        await budget.take(SIGN_UP, client, cost)
    await ledger.close()


@pytest.mark.parametrize("per_hour_wei", [0, 7, BUDGET])
async def test_what_can_never_be_paid_is_refused_and_takes_nothing(ledgers: LedgerWorld, per_hour_wei: int) -> None:
    ledger = await ledgers.open()
    budget = await free_write_budget(ledger, per_hour_wei, FakeClock())
    refused = await refusal_of(budget, "a", cost=CAPACITY + 1)
    assert refused.retry_after_s == 3600
    if per_hour_wei == BUDGET:
        await budget.take(SIGN_UP, "a", CAPACITY)
    await ledger.close()


async def test_what_a_write_costs_beyond_what_was_taken_counts_too(ledgers: LedgerWorld) -> None:
    ledger = await ledgers.open()
    budget = await free_write_budget(ledger, BUDGET, FakeClock())
    await budget.take(SIGN_UP, "a", COST)
    await budget.add(SIGN_UP, 3 * CAPACITY)
    assert (await refusal_of(budget, "b")).retry_after_s == math.ceil(1200 * math.log(3.01 / 0.99))
    await ledger.close()


async def test_a_clock_that_went_back_forgets_nothing(ledgers: LedgerWorld) -> None:
    clock = FakeClock()
    ledger = await ledgers.open()
    budget = await free_write_budget(ledger, BUDGET, clock)
    await taken(budget, ["a", "b", "c"])
    clock.advance(-HOUR_S)
    again = await free_write_budget(ledger, BUDGET, clock)
    await budget.take(SIGN_UP, "d", COST)
    await refusal_of(again, "e", cost=CAPACITY // 2)
    await ledger.close()


async def test_addresses_are_in_memory_alone_and_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(free_writes, "ADDRESSES_MAX", 5)
    ledger = await SqliteWorld(tmp_path).open()
    budget = await free_write_budget(ledger, BUDGET, FakeClock())
    for number in range(50):
        await budget.take(SIGN_UP, f"203.0.113.{number}", COST // 10)
    assert len(budget._parts[SIGN_UP]._used) == 5
    await ledger.close()
    for file in tmp_path.iterdir():
        assert b"203.0.113." not in file.read_bytes()

"""Two nodes at the same accounts and keys at once, in every order: nobody waits in a circle, nothing is lost."""

import asyncio
import random
from collections.abc import Sequence

import asyncpg
import pytest

from node.database.port import RepeatableError
from node.ledger.errors import LedgerUnavailableError
from node.ledger.ledger import Decided, OrderQueue
from node.ledger.port import Posting, Source, Spender
from node.ledger.postgres_ledger import PostgresLedger
from node.ledger.reservations import AccountBusyError, Order, Release
from tests.support.ledgers import CENT, RUN, assert_adds_up, rows
from tests.support.postgres_ledger import PostgresWorld, until

ACCOUNTS = range(1, 9)
AT_ONCE = 60
TURNS = 8


async def spend(ledger: PostgresLedger, dice: random.Random, name: str) -> int:
    """What was spent in some turns, in cents."""
    spent = 0
    for turn in range(TURNS):
        account, cause = dice.choice(ACCOUNTS), f"{name}:{turn}"
        await ledger.reserve(Spender(account, 100 + account if dice.random() < 0.5 else None), cause, CENT)
        await ledger.extend(cause, CENT)
        if dice.random() < 0.3:
            await ledger.release(cause)
        else:
            await ledger.settle(cause, 2 * CENT, RUN)
            spent += 2
    return spent


async def give(ledger: PostgresLedger, dice: random.Random, name: str) -> int:
    """What was given, in cents, twice each."""
    for turn in range(TURNS):
        posting = Posting(f"{name}:{turn}", dice.choice(ACCOUNTS), Source.CARD, CENT)
        assert await ledger.post(posting)
        assert not await ledger.post(posting)
    return TURNS


async def test_locked_accounts_are_waited_for_again_once_every_order_was_decided() -> None:
    skipped: list[bool] = []

    async def commit(orders: Sequence[Order], decided: Decided, skip_busy: bool) -> None:
        skipped.append(skip_busy)
        if len(skipped) == 1:
            raise RepeatableError("a lock", by_lock=True)
        decided([AccountBusyError() if len(skipped) == 2 else None for _ in orders])

    queue = OrderQueue(commit)
    for cause in ("e1", "e2"):
        await queue.ask(Release(cause), None)
    assert skipped == [False, True, True, False]


async def test_orders_whose_accounts_are_all_locked_are_tried_again_after_a_pause() -> None:
    tries, is_locked = 0, True

    async def commit(orders: Sequence[Order], decided: Decided, skip_busy: bool) -> None:
        nonlocal tries
        tries += 1
        await asyncio.sleep(0)
        decided([AccountBusyError() if is_locked else None for _ in orders])

    releasing = asyncio.ensure_future(OrderQueue(commit).ask(Release("e1"), None))
    for _ in range(1000):
        await asyncio.sleep(0)
    assert 0 < tries < 100
    is_locked = False
    await releasing


async def test_orders_above_the_bound_or_after_the_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.ledger.ledger.MAX_WAITING", 2)
    free = asyncio.Event()

    async def commit(orders: Sequence[Order], decided: Decided, skip_busy: bool) -> None:
        await free.wait()
        decided([None for _ in orders])

    queue = OrderQueue(commit)
    waiting = [asyncio.ensure_future(queue.ask(Release(cause), None)) for cause in ("e1", "e2")]
    with pytest.raises(LedgerUnavailableError):
        _ = queue.ask(Release("e3"), None)
    free.set()
    await asyncio.gather(*waiting)
    await queue.ask(Release("e3"), None)
    await queue.close(None)
    with pytest.raises(LedgerUnavailableError):
        _ = queue.ask(Release("e4"), None)


@pytest.mark.exhaustive
async def test_a_release_does_not_overtake_the_settlement_of_a_locked_account(world: PostgresWorld) -> None:
    ledger = await world.node("a")
    await ledger.post(Posting("start", 1, Source.CARD, 3 * CENT))
    await ledger.reserve(Spender(1), "e1", CENT)
    blocker = await asyncpg.connect(world.url)
    await blocker.execute("BEGIN; SELECT 1 FROM ledger_account FOR UPDATE")
    settling = asyncio.create_task(ledger.settle("e1", CENT, RUN))
    # The settlement is in a batch that skips locked accounts when the release arrives.
    await until(lambda: ledger._queue._skip_busy and not ledger._queue._orders)
    releasing = asyncio.create_task(ledger.release("e1"))
    await until(lambda: len(ledger._queue._orders) > 1)
    await blocker.execute("ROLLBACK")
    assert await settling == CENT
    await releasing
    await blocker.close()


@pytest.mark.exhaustive
async def test_two_nodes_at_the_same_accounts_never_deadlock_and_add_up(world: PostgresWorld) -> None:
    nodes = [await world.node(name) for name in "ab"]
    before = world.server.log.count("deadlock detected")
    for account in ACCOUNTS:
        await nodes[0].post(Posting(f"start:{account}", account, Source.CARD, 10_000 * CENT))
    spending, giving = (
        [work(nodes[i % 2], random.Random(i), f"{work.__name__}{i}") for i in range(AT_ONCE)] for work in (spend, give)
    )
    spent, given = await asyncio.gather(asyncio.gather(*spending), asyncio.gather(*giving))
    left = sum([(await nodes[0].balance(account)).available_microdollars for account in ACCOUNTS])
    assert left == (len(ACCOUNTS) * 10_000 + sum(given) - sum(spent)) * CENT
    assert await rows(nodes[1], "SELECT COALESCE(SUM(amount_microdollars), 0) FROM ledger_allotment") == [(0,)]
    await assert_adds_up(nodes[0])
    assert world.server.log.count("deadlock detected") == before

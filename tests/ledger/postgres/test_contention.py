"""Two nodes at the same accounts and keys at once, in every order: nobody waits in a circle, nothing is lost."""

import asyncio
import random

import pytest

from node.ledger.port import Posting, Source, Spender
from node.ledger.postgres_ledger import PostgresLedger
from tests.support.ledgers import CENT, RUN, assert_adds_up, rows
from tests.support.postgres_ledger import PostgresWorld

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
    assert await rows(nodes[1], "SELECT SUM(reserved_microdollars) FROM ledger_account") == [(0,)]
    assert await rows(nodes[1], "SELECT SUM(reserved_microdollars) FROM ledger_usage_key") == [(0,)]
    await assert_adds_up(nodes[0])
    assert world.server.log.count("deadlock detected") == before

"""The connection cut, and the node killed, at every boundary of its statements: what is told is done, once."""

import asyncio
import os
from collections.abc import Callable

import pytest

from node.ledger.books import Posting, Source, Statement
from node.ledger.port import Spender
from node.ledger.postgres.ledger import PostgresLedger
from tests.world.ledgers import CENT, RUN, assert_adds_up, cents, rows
from tests.world.postgres import PostgresServer
from tests.world.postgres_ledger import PostgresWorld
from tests.world.statement_faults import CUTS, KILLS, Fault, fault_at

TALLY = "CREATE TABLE tally (name BIGINT PRIMARY KEY, count BIGINT NOT NULL)"
MOST = 400
"""Messages of one life; far above what there are."""


def counting(account: int) -> Statement:
    """Not to be done twice."""
    return Statement("UPDATE tally SET count = count + 1 WHERE name = ?", (account,))


async def live(ledger: PostgresLedger, account: int, told: Callable[[str], None]) -> None:
    """One thing after the other, each under the account's own causes; tells what it heard to be done."""
    me = Spender(account)
    await ledger.post(Posting(f"{account}:payment", account, Source.CARD, 5 * CENT), counting(account))
    told("posted")
    await ledger.reserve(me, f"{account}:e1", 2 * CENT)
    await ledger.extend(f"{account}:e1", CENT)
    assert await ledger.balance(account) == cents(5, 3)
    await ledger.settle(f"{account}:e1", 2 * CENT, RUN)
    told("settled")
    await ledger.execute(counting(account))
    told("counted")
    await ledger.reserve(me, f"{account}:e2", CENT)
    await ledger.release(f"{account}:e2")
    told("released")


async def prepare(ledger: PostgresLedger, account: int) -> None:
    await ledger.migrate("tally", [TALLY])
    await ledger.execute(Statement("INSERT INTO tally (name, count) VALUES (?, ?)", (account, 0)))


@pytest.mark.timeout(400)
@pytest.mark.parametrize("fault", CUTS)
async def test_a_connection_cut_at_any_message_changes_nothing_of_what_is_done(
    world: PostgresWorld, fault: Fault
) -> None:
    for number in range(1, MOST):
        ledger = await world.node("a")
        await prepare(ledger, number)
        told: list[str] = []
        with fault_at(number, fault) as sent:
            await live(ledger, number, told.append)
            reached = sent() >= number
        assert told == ["posted", "settled", "counted", "released"]
        assert await rows(ledger, "SELECT count FROM tally WHERE name = ?", number) == [(2,)]
        assert await ledger.balance(number) == cents(3)
        await ledger.close()
        if not reached:
            break
    else:
        raise AssertionError(MOST)
    assert number > 30
    other = await world.node("b")
    assert await rows(other, "SELECT sum(reserved_microdollars) FROM ledger_account") == [(0,)]
    await assert_adds_up(other)


def life_and_death(world: PostgresWorld, number: int, fault: Fault) -> tuple[bool, list[str]]:
    """A child that lives through `live` and is killed at a message; whether it was, and what it told before."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        asyncio.run(_live_until(world, number, fault, theirs))
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as pipe:
        told = pipe.read().split()
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status), told


async def _live_until(world: PostgresWorld, number: int, fault: Fault, pipe: int) -> None:
    try:
        ledger = await world.node("a")
        await prepare(ledger, number)
        with fault_at(number, fault):
            await live(ledger, number, lambda word: (os.write(pipe, f"{word}\n".encode()), None)[1])
    except BaseException:  # noqa: BLE001 - a forked child must not go on into the rest of the run
        os._exit(1)


async def examine(world: PostgresWorld, account: int, told: list[str]) -> None:
    """What the killed node told is there; what it did not tell is there wholly or not at all, and holds nothing."""
    ledger = await world.node("b")
    known = {
        str(row[0]) for row in await rows(ledger, "SELECT cause FROM ledger_entry WHERE cause LIKE ?", f"{account}:%")
    }
    posted, settled = f"{account}:payment" in known, f"{account}:e1" in known
    ((count,),) = await rows(ledger, "SELECT count FROM tally WHERE name = ?", account)
    assert isinstance(count, int)
    assert posted >= ("posted" in told)
    assert settled >= ("settled" in told)
    assert count in ({2} if "counted" in told else {posted, 2})
    assert await ledger.balance(account) == cents(5 * posted - 2 * settled)
    await ledger.post(Posting(f"{account}:payment", account, Source.CARD, 5 * CENT))
    await ledger.reserve(Spender(account), f"{account}:e1", 2 * CENT)
    await ledger.settle(f"{account}:e1", 2 * CENT, RUN)
    assert await ledger.balance(account) == cents(3)
    await assert_adds_up(ledger)
    await ledger.close()


@pytest.mark.timeout(400)
@pytest.mark.parametrize("fault", KILLS)
def test_a_node_killed_at_any_message_leaves_whole_transactions_and_nothing_reserved(
    postgres: PostgresServer, fault: Fault
) -> None:
    world = PostgresWorld(postgres)
    killed, number = True, 0
    while killed:
        number += 1
        killed, told = life_and_death(world, number, fault)
        world.lapse()
        asyncio.run(examine(world, number, told))
    assert told == ["posted", "settled", "counted", "released"]
    assert number > 30

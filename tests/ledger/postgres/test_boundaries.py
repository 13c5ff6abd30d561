"""The connection cut, and the node killed, at the boundaries of its statements: what is told is done, once.

At every message with `--crash-all` (`make crash`); else at every commit and at a sample of the other messages.
"""

from collections.abc import Iterator

import pytest

from node.ledger.port import Posting, Source, Spender
from tests.support.ledgers import CENT, RUN, assert_adds_up, cents, rows
from tests.support.nursery import KILLED, Nursery, nursery
from tests.support.postgres import PostgresServer
from tests.support.postgres_ledger import PostgresWorld
from tests.support.statement_faults import COMMIT, CUTS, KILLS, Fault, Place, fault_at
from tests.support.statement_life import TOLD, live, prepare

pytestmark = pytest.mark.exhaustive

MOST = 400
"""Messages of one life; far above what there are."""
STRIDE = 9
"""Of the sample; each fault begins elsewhere."""
LEAST_COMMITS, LEAST_MESSAGES = 8, 30


def walks(crash_all: bool, fault: Fault) -> list[list[Place]]:
    """Rows of places in a life, each until one is behind its end."""
    if crash_all:
        return [[Place(number) for number in range(1, MOST)]]
    begin = 1 + list(Fault).index(fault) * STRIDE // len(Fault)
    return [
        [Place(number, COMMIT) for number in range(1, MOST)],
        [Place(number) for number in range(begin, MOST, STRIDE)],
    ]


def assert_whole(last: Place) -> None:
    """The row was walked to the end of a life, which is as long as one is."""
    assert last.number > (LEAST_COMMITS if last.of else LEAST_MESSAGES)
    assert last.number < MOST - STRIDE


@pytest.mark.timeout(400)
@pytest.mark.parametrize("fault", CUTS)
async def test_a_connection_cut_at_any_message_changes_nothing_of_what_is_done(
    world: PostgresWorld, fault: Fault, crash_all: bool
) -> None:
    account = 0
    for walk in walks(crash_all, fault):
        for place in walk:
            account += 1
            if not await survives_a_cut(world, place, fault, account):
                break
        assert_whole(place)
    other = await world.node("b")
    assert await rows(other, "SELECT COALESCE(SUM(amount_microdollars), 0) FROM ledger_allotment") == [(0,)]
    await assert_adds_up(other)


async def survives_a_cut(world: PostgresWorld, place: Place, fault: Fault, account: int) -> bool:
    """Whether there was a cut at all."""
    ledger = await world.node("a")
    await prepare(ledger, account)
    told: list[str] = []
    with fault_at(place, fault) as reached:
        await live(ledger, account, told.append)
        cut = reached()
    assert told == TOLD
    assert await rows(ledger, "SELECT count FROM tally WHERE name = ?", account) == [(2,)]
    assert await ledger.balance(account) == cents(3)
    await ledger.close()
    return cut


@pytest.fixture(scope="module")
def lives() -> Iterator[Nursery]:
    with nursery("tests.support.statement_life") as lives:
        yield lives


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
async def test_a_node_killed_at_any_message_leaves_whole_transactions_and_nothing_reserved(
    postgres: PostgresServer, lives: Nursery, fault: Fault, crash_all: bool
) -> None:
    world = PostgresWorld(postgres)
    account = 0
    for walk in walks(crash_all, fault):
        for place in walk:
            account += 1
            task = {"url": world.url, "account": account, "number": place.number, "of": place.of, "fault": fault}
            life = await lives.life(task)
            assert life.code in {KILLED, 0}
            told = [word for (word,) in life.said]
            await world.lapse()
            await examine(world, account, told)
            if life.code == 0:
                break
        assert_whole(place)
        assert told == TOLD

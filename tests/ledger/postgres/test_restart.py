"""The server crashes under load and comes back: what was settled is there, what was not is not, nothing twice."""

import asyncio
from collections import Counter

import pytest

from node.database.port import Statement
from node.errors import DomainError
from node.ledger.errors import LedgerUnavailableError
from node.ledger.port import Posting, Source, Spender
from node.ledger.postgres_ledger import PostgresLedger
from tests.support.ledgers import ACCOUNT, CENT, RUN, assert_adds_up, cents, give, pay, rows
from tests.support.postgres import PostgresServer
from tests.support.postgres_ledger import PostgresWorld, impatient
from tests.support.statement_proxy import StatementProxy

CRASHES = 3
PAYERS = 20
DEADLINE_S = 30.0
HURRIED = impatient(reserve_patience_s=0.3, settle_patience_s=0.3)
"""Gives up while the server restarts; for load alone, since a busy machine takes as long for anything once in a while."""
BRIEF = impatient(reserve_patience_s=3.0, settle_patience_s=3.0)
"""Gives up in a time that a test can wait out, and long after an answer that comes."""
PATIENT = impatient(reserve_patience_s=90.0, settle_patience_s=90.0)
"""Waits for as long as a server may take to start again."""
TALLY = "CREATE TABLE tally (count BIGINT NOT NULL)"


class Load:
    """Charges, postings and statements by many at once, and what they were told."""

    def __init__(self, nodes: list[PostgresLedger]) -> None:
        self.nodes = nodes
        self.settled: set[str] = set()
        self.posted: Counter[bool] = Counter()
        self.counted = 0
        self.unsure = 0
        self.stopping = False
        self.progress = asyncio.Condition()

    async def pay(self, payer: int) -> None:
        ledger, number = self.nodes[payer % len(self.nodes)], 0
        while not self.stopping:
            number += 1
            cause = f"e{payer}:{number}"
            try:
                await pay(ledger, cause)
                self.settled.add(cause)
                async with self.progress:
                    self.progress.notify_all()
            except DomainError as error:
                if not isinstance(error, LedgerUnavailableError):
                    raise
                self.unsure += 1

    async def reached(self, settled: int) -> None:
        async with self.progress:
            await self.progress.wait_for(lambda: len(self.settled) >= settled)

    async def post(self) -> None:
        number = 0
        while not self.stopping:
            number += 1
            posting = Posting(f"payment:{number}", ACCOUNT, Source.CARD, CENT)
            self.posted[await self.nodes[0].post(posting, Statement("UPDATE tally SET count = count + 1"))] += 1
            await self.nodes[1].execute(Statement("UPDATE tally SET count = count + 1"))
            self.counted += 2


async def crash_and_return(server: PostgresServer, load: Load) -> None:
    for _ in range(CRASHES):
        goal = len(load.settled) + 50
        await load.reached(goal)
        await asyncio.to_thread(server.crash)
        await asyncio.to_thread(server.start)
    load.stopping = True


@pytest.mark.exhaustive
@pytest.mark.parametrize("hurried", [False, True], ids=["waited for", "not waited for"])
async def test_a_server_that_crashes_under_load_loses_and_doubles_nothing(
    fragile_world: PostgresWorld, hurried: bool
) -> None:
    patient = [await fragile_world.node(name, postgres=PATIENT) for name in ("c", "d")]
    nodes = [await fragile_world.node(name, postgres=HURRIED) for name in ("a", "b")] if hurried else patient
    await give(patient[0], 1_000_000, cause="payment:first")
    await patient[0].migrate("tally", [TALLY])
    await patient[0].execute(Statement("INSERT INTO tally (count) VALUES (0)"))
    load, posts = Load(nodes), Load(patient)
    async with asyncio.TaskGroup() as group:
        for payer in range(PAYERS):
            group.create_task(load.pay(payer))
        posting = group.create_task(posts.post())
        await crash_and_return(fragile_world.server, load)
        posts.stopping = True
    await posting
    other = await fragile_world.node("e")
    found = {str(row[0]) for row in await rows(other, "SELECT cause FROM ledger_entry WHERE what IS NOT NULL")}
    assert load.settled <= found
    assert len(found - load.settled) <= load.unsure
    assert hurried or not load.unsure
    assert await rows(other, "SELECT count FROM tally") == [(posts.counted,)]
    assert posts.posted == {True: posts.counted // 2}
    credit = 1_000_000 + posts.posted[True] - len(found)
    assert (await other.balance(ACCOUNT)).credit_microdollars == credit * CENT
    await assert_adds_up(other)


async def test_a_server_out_of_reach_takes_nothing_and_what_was_set_aside_is_charged_when_it_is_back(
    world: PostgresWorld,
) -> None:
    proxy = StatementProxy(world.server.port)
    async with proxy.running(world.url) as world.url:
        ledger = await world.node("a", postgres=HURRIED)
        await give(ledger, 5)
        await ledger.reserve(Spender(ACCOUNT), "e1", 2 * CENT)
        proxy.go_down()
        for out in (
            ledger.reserve(Spender(ACCOUNT), "e2", CENT),
            ledger.extend("e1", CENT),
            ledger.settle("e1", CENT, RUN),
            ledger.charged("e1"),
        ):
            with pytest.raises(LedgerUnavailableError) as told:
                await out
            assert told.value.retry_after_s == 5
        proxy.up()
        other = await world.node("b")
        assert await other.charged("e1") == 0
        ledger._settle_patience_s = DEADLINE_S
        assert await ledger.settle("e1", 2 * CENT, RUN) == 2 * CENT
        assert await other.balance(ACCOUNT) == cents(3)
        await assert_adds_up(other)
        await world.close()


@pytest.mark.exhaustive
async def test_while_the_server_is_out_clients_are_told_to_come_back(fragile_world: PostgresWorld) -> None:
    ledger = await fragile_world.node("a", postgres=BRIEF)
    await give(ledger, 5)
    await ledger.reserve(Spender(ACCOUNT), "e1", CENT)
    fragile_world.server.stop()
    outcomes = await asyncio.gather(
        ledger.balance(ACCOUNT),
        ledger.reserve(Spender(ACCOUNT), "e2", CENT),
        ledger.extend("e1", CENT),
        ledger.settle("e1", CENT, RUN),
        ledger.execute(Statement("SELECT 1")),
        ledger.read(Statement("SELECT 1")),
        ledger.post(Posting("payment:pi_2", ACCOUNT, Source.CARD, CENT)),
        ledger.migrate("tally", [TALLY]),
        return_exceptions=True,
    )
    for out in outcomes:
        assert isinstance(out, LedgerUnavailableError), out
        assert out.retry_after_s == 5
    fragile_world.server.start()
    await ledger.settle("e1", CENT, RUN)
    assert await ledger.balance(ACCOUNT) == cents(4)


@pytest.mark.exhaustive
async def test_what_was_given_back_while_the_server_was_out_is_given_back_when_it_is_there(
    fragile_world: PostgresWorld,
) -> None:
    ledger = await fragile_world.node("a", postgres=BRIEF)
    await give(ledger, 5)
    await ledger.reserve(Spender(ACCOUNT), "e1", CENT)
    fragile_world.server.stop()
    with pytest.raises(DomainError):
        await ledger.release("e1")
    with pytest.raises(DomainError):
        await ledger.reserve(Spender(ACCOUNT), "e2", 4 * CENT)
    fragile_world.server.start()
    other = await fragile_world.node("b")
    async with asyncio.timeout(DEADLINE_S):
        while await other.balance(ACCOUNT) != cents(5):  # noqa: ASYNC110 - what another process does gives no event
            await asyncio.sleep(0.05)
    await ledger.reserve(Spender(ACCOUNT), "e2", 5 * CENT)
    assert await other.balance(ACCOUNT) == cents(5, 5)

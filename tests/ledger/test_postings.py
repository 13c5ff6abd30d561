"""Credit from outside and back: each event in the world counts once, whoever tells of it and however often."""

import asyncio
from collections.abc import Awaitable, Sequence

import pytest

from node.database.port import Statement
from node.errors import DomainError
from node.ledger.errors import PaymentRequiredError
from node.ledger.port import LedgerDatabase, Posting, Source, Spender
from tests.support.ledgers import ACCOUNT, CENT, OTHER, RUN, LedgerWorld, assert_adds_up, cents, give, pay, rows

PAID = Posting("payment:pi_1", ACCOUNT, Source.CARD, 5 * CENT)
DEADLINE_S = 10.0
TOLD = "CREATE TABLE told (event TEXT PRIMARY KEY, times BIGINT NOT NULL)"


def tell(event: str) -> Statement:
    return Statement(
        "INSERT INTO told VALUES (?, 1) ON CONFLICT (event) DO UPDATE SET times = told.times + 1", (event,)
    )


async def test_the_same_event_counts_once(world: LedgerWorld, ledger: LedgerDatabase) -> None:
    assert await ledger.post(PAID) is True
    assert await ledger.post(PAID) is False
    await world.die(ledger)
    again = await world.open()
    assert await again.post(PAID) is False
    assert await again.balance(ACCOUNT) == cents(5)
    await again.close()


async def test_ten_who_tell_of_it_at_once_credit_it_once(ledger: LedgerDatabase) -> None:
    outcomes = await asyncio.gather(*(ledger.post(PAID) for _ in range(10)))
    assert sorted(outcomes) == [False] * 9 + [True]
    assert await ledger.balance(ACCOUNT) == cents(5)


async def test_a_posting_whose_caller_went_away_counts(ledger: LedgerDatabase) -> None:
    await give(ledger, 1, cause="payment:pi_0")
    posting = asyncio.create_task(ledger.post(PAID))
    for _ in range(3):
        await asyncio.sleep(0)
    posting.cancel()
    await asyncio.wait([posting])
    async with asyncio.timeout(DEADLINE_S):
        while not await rows(ledger, "SELECT 1 FROM ledger_entry WHERE cause = ?", PAID.cause):
            pass
    await ledger.execute(Statement("SELECT 1"))  # on SQLite its commit comes after the posting's
    assert await ledger.balance(ACCOUNT) == cents(6)


@pytest.mark.parametrize(
    "other",
    [
        Posting(PAID.cause, OTHER, Source.CARD, 5 * CENT),
        Posting(PAID.cause, ACCOUNT, Source.TOKEN, 5 * CENT),
        Posting(PAID.cause, ACCOUNT, Source.CARD, 4 * CENT),
        Posting(PAID.cause, ACCOUNT, Source.CARD, -5 * CENT),
    ],
    ids=["account", "source", "amount", "direction"],
)
async def test_one_cause_is_one_transfer(ledger: LedgerDatabase, other: Posting) -> None:
    await ledger.migrate("told", [TOLD])
    await ledger.post(PAID)
    with pytest.raises(ValueError, match="payment:pi_1"):
        await ledger.post(other, tell("evt"))
    assert await ledger.balance(ACCOUNT) == cents(5)
    assert await ledger.balance(OTHER) == cents(0)
    assert await rows(ledger, "SELECT * FROM told") == []


async def test_what_goes_with_a_posting_happens_with_it_or_not_at_all(ledger: LedgerDatabase) -> None:
    await ledger.migrate("told", [TOLD])
    await ledger.post(PAID, tell("evt_1"))
    await ledger.post(PAID, tell("evt_1"), tell("evt_2"))
    assert await rows(ledger, "SELECT event, times FROM told ORDER BY event") == [("evt_1", 2), ("evt_2", 1)]
    bad = Posting("payment:pi_2", ACCOUNT, Source.CARD, CENT)
    good = Posting("payment:pi_3", ACCOUNT, Source.CARD, CENT)
    statement = Statement("INSERT INTO told VALUES ('evt_1', 1)")
    outcomes = await asyncio.gather(
        ledger.post(bad, tell("evt_3"), statement), ledger.post(good, tell("evt_4")), return_exceptions=True
    )
    assert isinstance(outcomes[0], Exception)
    assert outcomes[1] is True
    assert await ledger.balance(ACCOUNT) == cents(6)
    assert [event for event, _ in await rows(ledger, "SELECT * FROM told ORDER BY event")] == [
        "evt_1",
        "evt_2",
        "evt_4",
    ]
    assert await ledger.post(bad) is True


async def test_a_refund_of_what_was_spent_leaves_a_debt_and_everything_billed_is_refused(
    ledger: LedgerDatabase,
) -> None:
    await give(ledger, 5)
    await pay(ledger, "e1", 3)
    assert await ledger.post(Posting("refund:re_1", ACCOUNT, Source.CARD, -5 * CENT))
    assert await ledger.balance(ACCOUNT) == cents(-3)
    with pytest.raises(DomainError) as refused:
        await ledger.reserve(Spender(ACCOUNT), "e2", CENT)
    assert isinstance(refused.value, PaymentRequiredError)
    assert refused.value.details["credit_cents"] == -3
    await give(ledger, 4, cause="payment:pi_2")
    await pay(ledger, "e3", 1)
    assert await ledger.balance(ACCOUNT) == cents(0)


async def test_a_refund_while_an_action_runs_stops_its_extensions_and_leaves_what_it_reserved(
    ledger: LedgerDatabase,
) -> None:
    await give(ledger, 5)
    await ledger.reserve(Spender(ACCOUNT), "e1", 2 * CENT)
    await ledger.post(Posting("refund:re_1", ACCOUNT, Source.CARD, -5 * CENT))
    with pytest.raises(DomainError):
        await ledger.extend("e1", CENT)
    assert await ledger.balance(ACCOUNT) == cents(0, 2)
    await ledger.settle("e1", 2 * CENT, RUN)
    assert await ledger.balance(ACCOUNT) == cents(-2)


async def test_postings_and_settlements_at_once_all_count(ledger: LedgerDatabase) -> None:
    await give(ledger, 50)
    payments = [Posting(f"payment:{i}", ACCOUNT, Source.CARD, CENT) for i in range(20)]
    refunds = [Posting(f"refund:{i}", ACCOUNT, Source.CARD, -CENT) for i in range(5)]
    work: Sequence[Awaitable[object]] = [
        *(ledger.post(each) for each in payments + refunds),
        *(pay(ledger, f"e{i}") for i in range(40)),
    ]
    await asyncio.gather(*work)
    assert await ledger.balance(ACCOUNT) == cents(50 + 20 - 5 - 40)
    await assert_adds_up(ledger)

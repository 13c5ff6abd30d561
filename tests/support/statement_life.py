"""A node's life from payment to release, one thing after the other; it may be killed at any of its messages (tests.support.nursery)."""

import time
from collections.abc import Callable
from typing import Any, Final

from node.database.port import Statement
from node.ledger.port import Posting, Source, Spender
from node.ledger.postgres_ledger import PostgresLedger
from tests.support.ledgers import CENT, RUN, cents
from tests.support.nursery import say
from tests.support.postgres_ledger import IMPATIENT
from tests.support.statement_faults import Fault, Place, fault_at

TOLD: Final = ["posted", "settled", "counted", "released"]
"""What a life tells, that is not cut short."""
_TALLY: Final = "CREATE TABLE tally (name BIGINT PRIMARY KEY, count BIGINT NOT NULL)"


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
    assert await ledger.settle(f"{account}:e1", 2 * CENT, RUN) == 2 * CENT
    told("settled")
    await ledger.execute(counting(account))
    told("counted")
    await ledger.reserve(me, f"{account}:e2", CENT)
    await ledger.release(f"{account}:e2")
    told("released")


async def prepare(ledger: PostgresLedger, account: int) -> None:
    """What `live` counts in."""
    await ledger.migrate("tally", [_TALLY])
    await ledger.execute(Statement("INSERT INTO tally (name, count) VALUES (?, ?)", (account, 0)))


async def work(task: dict[str, Any]) -> None:
    """Killed when `fault` says so at the `number`-th message `of` a kind; says what it heard to be done."""
    ledger = await PostgresLedger.open(task["url"], "a", IMPATIENT, time.time)
    await prepare(ledger, task["account"])
    with fault_at(Place(task["number"], task["of"]), Fault(task["fault"])):
        await live(ledger, task["account"], say)
    await ledger.close()

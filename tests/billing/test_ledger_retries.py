"""What the ledger could not do is repeated until it is done, each time anew, and given up only with the node."""

import asyncio

from node.billing.charging import LedgerRetries
from node.database.port import StatementRefusedError
from node.errors import DomainError
from node.ledger.errors import LedgerUnavailableError


class Work:
    """Work that fails so many times first."""

    def __init__(self, failures: int, failure: DomainError | None = None) -> None:
        self.failures = failures
        self.failure = failure or LedgerUnavailableError(1)
        self.done = asyncio.Event()

    async def __call__(self) -> None:
        if self.failures:
            self.failures -= 1
            raise self.failure
        self.done.set()


async def at_once(_: float) -> None:
    await asyncio.sleep(0)


async def test_each_outage_is_outlasted_not_the_first_alone() -> None:
    retries = LedgerRetries(at_once)
    for outage in range(3):
        works = [Work(2), Work(1)]
        for number, work in enumerate(works):
            retries.add(f"{outage} {number}", work)
        async with asyncio.timeout(60):
            for work in works:
                await work.done.wait()
        for _ in range(10):  # what repeats has nothing left to do, and ends
            await asyncio.sleep(0)
    assert await retries.close() == 0


async def test_what_is_refused_for_a_reason_of_its_own_blocks_nothing_behind_it() -> None:
    """A settlement that the database refuses each time, in front of one that it takes."""
    retries = LedgerRetries(at_once)
    refused, behind = Work(10**9, StatementRefusedError("a constraint of its tables")), Work(0)
    for number, work in enumerate((refused, behind)):
        retries.add(str(number), work)
    async with asyncio.timeout(60):
        await behind.done.wait()
    assert await retries.close() == 1


async def test_what_fails_to_the_end_is_given_up_and_counted() -> None:
    retries = LedgerRetries(at_once)
    works = [Work(10**9), Work(0)]
    for number, work in enumerate(works):
        retries.add(str(number), work)
    await asyncio.sleep(0)
    assert await retries.close() == 2, "after the first failure the ledger is not asked again at once"

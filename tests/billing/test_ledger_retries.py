"""What the ledger could not do is repeated until it is done, each time anew, and given up only with the node."""

import asyncio

from node.billing.charging import LedgerRetries
from node.ledger.errors import LedgerUnavailableError


class Work:
    """Work that fails so many times first."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.done = asyncio.Event()

    async def __call__(self) -> None:
        if self.failures:
            self.failures -= 1
            raise LedgerUnavailableError(1)
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


async def test_what_fails_to_the_end_is_given_up_and_counted() -> None:
    retries = LedgerRetries(at_once)
    works = [Work(10**9), Work(0)]
    for number, work in enumerate(works):
        retries.add(str(number), work)
    await asyncio.sleep(0)
    assert await retries.close() == 2, "after the first failure the ledger is not asked again at once"

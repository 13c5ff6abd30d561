"""Budgets of gas for free writes, in a real database."""

import time
from collections.abc import Callable
from typing import Final

from prometheus_client import CollectorRegistry

from node.billing.free_writes import FreePart, FreeWriteBudget
from node.database.port import Database

ENDLESS_WEI: Final = 10**30


class Unbounded(FreeWriteBudget):
    """A budget for tests of something else, which have no database for it; it remembers what it was asked for."""

    def __init__(self) -> None:
        self.taken: list[tuple[FreePart, str, int]] = []
        self.added: list[tuple[FreePart, int]] = []

    async def take(self, part: FreePart, client: str, cost_wei: int) -> None:
        self.taken.append((part, client, cost_wei))

    async def add(self, part: FreePart, cost_wei: int) -> None:
        self.added.append((part, cost_wei))


async def free_write_budget(
    books: Database, per_hour_wei: int = ENDLESS_WEI, clock: Callable[[], float] = time.time, chain_id: int = 31337
) -> FreeWriteBudget:
    """A budget of a node that has just started on these books."""
    budget = FreeWriteBudget(books, chain_id, per_hour_wei, clock, CollectorRegistry())
    await budget.open()
    return budget

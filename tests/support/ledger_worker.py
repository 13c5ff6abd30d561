"""A life (tests.support.nursery) that spends and is killed.

It says what it was told, a line each, so that the test knows what the world knew before the kill.
"""

import asyncio
import contextlib
import os
import signal
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from node.database.sqlite import SqliteDatabase, Work
from node.errors import DomainError
from node.ledger.port import LedgerDatabase, Posting, Source, Spender
from node.ledger.postgres_ledger import PostgresLedger
from node.ledger.sqlite_ledger import SqliteLedger
from node.settings.ledger import LedgerSettings, PostgresSettings
from tests.support.ledgers import ACCOUNT, CENT, KEY, RUN
from tests.support.nursery import say

PAID_CENTS = 100
PAYMENT = "payment:pi_1"
AT_ONCE = 6
RESERVED_CENTS = 2
TAKEN_CENTS = 3
T = TypeVar("T")


class Step(StrEnum):
    """Where one transaction of the SQLite file can be cut off."""

    ASKED = "asked"
    BEGUN = "begun"
    ENTERED = "entered"
    WRITTEN = "written"
    """Committed, and not flushed."""
    FLUSHED = "flushed"
    """Durable, and nobody was told."""
    TOLD = "told"


@dataclass
class Task:
    """What to spend for, under which causes; die at the `occurrence`-th passing of `step`, or never."""

    file: str
    url: str
    causes: list[str]
    step: str = ""
    occurrence: int = 0


class CutDatabase(SqliteDatabase):
    """The real one, which dies at a step."""

    passed: Callable[[Step], None] = staticmethod(lambda _: None)

    def submit(self, work: Work[T], done: Callable[[T | BaseException], None], *, is_small: bool = False) -> None:
        def cut(connection: sqlite3.Connection) -> T:
            self.passed(Step.BEGUN)
            value = work(connection)
            self.passed(Step.ENTERED)
            return value

        def told(outcome: T | BaseException) -> None:
            done(outcome)
            self.passed(Step.TOLD)

        self.passed(Step.ASKED)
        super().submit(cut, told, is_small=is_small)

    def cut_flushes(self) -> None:
        """Let a life end before and after a flush as well."""
        flush = os.fdatasync

        def cut(descriptor: int) -> None:
            self.passed(Step.WRITTEN)
            flush(descriptor)
            self.passed(Step.FLUSHED)

        os.fdatasync = cut  # type: ignore[assignment]  # the node gives it descriptors alone


def killer(step: str, occurrence: int) -> Callable[[Step], None]:
    """SIGKILL to this process when `step` is passed for the `occurrence`-th time."""
    seen = 0

    def passed(at: Step) -> None:
        nonlocal seen
        seen += at == step
        if seen == occurrence:
            os.kill(os.getpid(), signal.SIGKILL)

    return passed


async def opened(task: Task) -> LedgerDatabase:
    if task.url:
        return await PostgresLedger.open(task.url, "worker", PostgresSettings(), time.time)
    path = Path(task.file)
    database = await CutDatabase.open(path)
    assert isinstance(database, CutDatabase)
    ledger = await SqliteLedger.on(database, path, LedgerSettings(), time.time)
    if task.step:
        database.passed = killer(task.step, task.occurrence)
        database.cut_flushes()
    return ledger


async def spend(ledger: LedgerDatabase, cause: str) -> None:
    """An action of three seconds of which the first two were reserved at once."""
    await ledger.reserve(Spender(ACCOUNT, KEY, PAID_CENTS * CENT), cause, RESERVED_CENTS * CENT)
    with contextlib.suppress(DomainError):  # charged before the kill: there is no reservation to extend
        await ledger.extend(cause, 5 * CENT)
    await ledger.settle(cause, TAKEN_CENTS * CENT, RUN)
    say("settled", cause)


async def abandon(ledger: LedgerDatabase, cause: str) -> None:
    """A write that was simulated away."""
    await ledger.reserve(Spender(ACCOUNT), cause, CENT)
    await ledger.release(cause)


async def work(given: dict[str, Any]) -> None:
    """One life; `given` holds the fields of a `Task`."""
    task = Task(**given)
    ledger = await opened(task)
    await ledger.post(Posting(PAYMENT, ACCOUNT, Source.CARD, PAID_CENTS * CENT))
    say("paid", PAYMENT)
    for begin in range(0, len(task.causes), AT_ONCE):
        some = task.causes[begin : begin + AT_ONCE]
        spending = [spend(ledger, cause) for cause in some]
        await asyncio.gather(*spending, *(abandon(ledger, f"not:{cause}") for cause in some))
    await ledger.close()
    say("done")

"""Group commit: what is asked while one batch is being flushed goes together in the next; one batch at a time."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import structlog

from node.ledger.limits import LedgerLimits
from node.ledger.rules import billing_unavailable
from node.ledger.sqlite.batch import Batch, Outcome, execute_batch
from node.sqlite import Database

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Round:
    """One batch on its way to the disk, shared by all who put something in it."""

    retry_after_s: int
    batch: Batch = field(default_factory=Batch)
    failed: bool = False
    _ended: asyncio.Event = field(default_factory=asyncio.Event)
    _outcome: Outcome | None = None

    def end(self, outcome: Outcome | None) -> None:
        """Wake who waits for it; without an outcome nothing of it was kept."""
        self._outcome = outcome
        self.failed = outcome is None
        self._ended.set()

    async def durable(self) -> Outcome:
        """What the database says, once the batch is on disk; cancelling whoever waits does not take it back.

        Raises NodeError `billing_unavailable` when it could not be written.
        """
        await self._ended.wait()
        if self._outcome is None:
            raise billing_unavailable(self.retry_after_s)
        return self._outcome


class Commits:
    """Gathers batches and writes them, one after the other. `learn` is called with each before anyone is woken.

    As no two are under way at once, what `learn` is told is the state of the database until the next call.
    """

    def __init__(self, database: Database, limits: LedgerLimits, learn: Callable[[Batch, Outcome], None]) -> None:
        self._database = database
        self._limits = limits
        self._learn = learn
        self._rounds: deque[Round] = deque()
        self._writing: asyncio.Task[None] | None = None
        self._closed = False

    def gathering(self) -> Round:
        """The round that takes what is added before the event loop turns. Raises NodeError when closed."""
        if self._closed:
            raise billing_unavailable(self._limits.retry_after_s)
        if not self._rounds or self._rounds[-1].batch.size >= self._limits.max_entries_per_commit:
            self._rounds.append(Round(self._limits.retry_after_s))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        return self._rounds[-1]

    async def close(self) -> None:
        """Take nothing more and write what was taken."""
        self._closed = True
        if self._writing is not None:
            await self._writing

    async def _write(self) -> None:
        try:
            while self._rounds:
                await self._write_one(self._rounds.popleft())
        finally:
            self._writing = None

    async def _write_one(self, round_: Round) -> None:
        """Whatever happens, who waits for it is woken: a call that is told of a failure may be repeated."""
        outcome = None
        try:
            outcome = await self._written(round_.batch)
        finally:
            round_.end(outcome)

    async def _written(self, batch: Batch) -> Outcome | None:
        try:
            outcome = await self._database.run(partial(execute_batch, batch=batch))
        except Exception as error:  # noqa: BLE001 - all who share the batch are told that the ledger is out
            _log.error("the ledger could not be written", error=type(error).__name__, reason=str(error))
            return None
        self._learn(batch, outcome)
        return outcome

"""Group commit: what is asked while one batch is being flushed goes together in the next; one batch at a time."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import structlog

from node.database.sqlite import Database
from node.ledger.limits import LedgerLimits
from node.ledger.rules import billing_unavailable
from node.ledger.sqlite.batch import Batch, Outcome, execute_batch

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

    async def ended(self) -> None:
        """Wait until it is on disk, or was not written."""
        await self._ended.wait()

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
        self._writing: Round | None = None
        self._closed = False

    def gathering(self) -> Round:
        """The round that takes what is added before the event loop turns. Raises NodeError when closed."""
        if self._closed:
            raise billing_unavailable(self._limits.retry_after_s)
        if not self._rounds or self._rounds[-1].batch.size >= self._limits.max_entries_per_commit:
            self._rounds.append(Round(self._limits.retry_after_s))
            if self._writing is None and len(self._rounds) == 1:
                asyncio.get_running_loop().call_soon(self._write)
        return self._rounds[-1]

    async def close(self) -> None:
        """Take nothing more and write what was taken."""
        self._closed = True
        while (round_ := self._writing or (self._rounds[-1] if self._rounds else None)) is not None:
            await round_.ended()

    def _write(self) -> None:
        """Give the oldest round to the database."""
        round_ = self._writing = self._rounds.popleft()
        work = partial(execute_batch, batch=round_.batch)
        try:
            self._database.submit(work, self._written, is_small=round_.batch.is_small)
        except RuntimeError as error:
            self._written(error)

    def _written(self, outcome: Outcome | BaseException) -> None:
        """Whatever happens, who waits for it is woken: a call that is told of a failure may be repeated."""
        round_, self._writing = self._writing, None
        assert round_ is not None  # noqa: S101 - this is the end of a round
        try:
            if isinstance(outcome, BaseException):
                _log.error("the ledger could not be written", error=type(outcome).__name__, reason=str(outcome))
            else:
                self._learn(round_.batch, outcome)
        finally:
            round_.end(None if isinstance(outcome, BaseException) else outcome)
            if self._rounds:
                asyncio.get_running_loop().call_soon(self._write)

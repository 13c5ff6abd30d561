"""Orders gathered while one batch is under way go together in the next; one batch of a node at a time, in order."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import structlog
from asyncpg.exceptions import LockNotAvailableError

from node.ledger.postgres.decisions import AccountBusyError, Outcome
from node.ledger.postgres.faults import description, is_transient
from node.ledger.postgres.orders import Extend, Forget, Order, Release, Reserve
from node.ledger.postgres.transactions import Pauses, unexpected
from node.ledger.rules import billing_unavailable

Commit: TypeAlias = Callable[[Sequence[Order], bool], Awaitable[Sequence[Outcome]]]
"""One attempt at a batch, which may be repeated; True: without waiting for locks. Raises what the server raises."""

_log = structlog.get_logger(__name__)


@dataclass(eq=False, slots=True)
class _Waiting:
    """`dropped` is set when nobody wants it done any longer."""

    order: Order
    dropped: bool = False
    heard: "asyncio.Future[None]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def tell(self, outcome: BaseException | None) -> None:
        """Answer whoever waits, if anyone does."""
        if self.heard.done():
            return
        if outcome is None:
            self.heard.set_result(None)
        else:
            self.heard.set_exception(outcome)


class OrderQueue:
    """`most_at_once` go in one batch; beyond `max_waiting` new orders are refused.

    After a lock that was not had in time batches wait for none, until each order has had its own: one account that
    somebody keeps locked holds up no other.
    """

    def __init__(self, commit: Commit, most_at_once: int, max_waiting: int, retry_after_s: int) -> None:
        self._commit = commit
        self._most_at_once = most_at_once
        self._max_waiting = max_waiting
        self._retry_after_s = retry_after_s
        self._orders: list[_Waiting] = []
        self._serving: asyncio.Task[None] | None = None
        self._closed = False
        self._skip_busy = False

    async def ask(self, order: Order, patience_s: float) -> None:
        """Have it done durably. Raises its NodeError, or `billing_unavailable` when it is not done in time.

        A reservation that nobody waits for any longer is given back, however far it had come. Settlements and releases
        are carried out though their callers are cancelled; releases also when they were told to come back.
        """
        if self._closed or len(self._orders) >= self._max_waiting:
            raise billing_unavailable(self._retry_after_s)
        waiting = self._put(order)
        try:
            async with asyncio.timeout(patience_s):
                await waiting.heard
        except TimeoutError:
            waiting.dropped = not isinstance(order, Release)
            self._take_back(order)
            raise billing_unavailable(self._retry_after_s) from None
        except asyncio.CancelledError:
            waiting.dropped = isinstance(order, Reserve | Extend)
            self._take_back(order)
            raise

    async def close(self, patience_s: float) -> None:
        """Take no more, and do what was asked as far as the server lets it be done in that time."""
        self._closed = True
        if self._serving is None:
            return
        try:
            async with asyncio.timeout(patience_s):
                await self._serving
        except TimeoutError:
            _log.warning("the ledger closes with work that its database did not take", left=len(self._orders))

    def _put(self, order: Order) -> _Waiting:
        waiting = _Waiting(order)
        self._orders.append(waiting)
        if self._serving is None:
            self._serving = asyncio.create_task(self._serve())
        return waiting

    def _take_back(self, order: Order) -> None:
        if isinstance(order, Reserve):
            self._put(Forget(order))

    async def _serve(self) -> None:
        pauses = Pauses()
        while batch := self._next():
            try:
                if await self._do(batch):
                    pauses = Pauses()
                else:
                    await pauses.wait()
            except Exception as error:  # noqa: BLE001 - sorted: tried again, or told
                if is_transient(error):
                    if not pauses.waited:
                        _log.info("a batch of the ledger is tried again", why=description(error), orders=len(batch))
                    self._skip_busy = isinstance(error, LockNotAvailableError)
                    self._orders[:0] = batch
                    await pauses.wait()
                elif len(batch) == 1:
                    batch[0].tell(unexpected(error))
                else:
                    await self._each_alone(batch)
        self._serving = None

    def _next(self) -> list[_Waiting]:
        """The oldest that are still wanted."""
        wanted = [waiting for waiting in self._orders if not waiting.dropped]
        batch, self._orders = wanted[: self._most_at_once], wanted[self._most_at_once :]
        return batch

    async def _do(self, batch: Sequence[_Waiting]) -> bool:
        """Whether any was decided; those of busy accounts wait on, behind the others."""
        outcomes = await self._commit([waiting.order for waiting in batch], self._skip_busy)
        told = list(zip(batch, outcomes, strict=True))
        busy = [waiting for waiting, outcome in told if isinstance(outcome, AccountBusyError)]
        for waiting, outcome in told:
            if not isinstance(outcome, AccountBusyError):
                waiting.tell(outcome)
        self._orders += busy
        self._skip_busy = bool(busy)
        return len(busy) < len(batch)

    async def _each_alone(self, batch: Sequence[_Waiting]) -> None:
        """One of them cannot be done: the others must not share its fate."""
        for position, waiting in enumerate(batch):
            try:
                await self._do([waiting])
            except Exception as error:  # noqa: BLE001 - told to the one it concerns
                if is_transient(error):
                    self._orders[:0] = batch[position:]
                    return
                waiting.tell(unexpected(error))

"""Queue of orders: those that come while one batch is under way go together in the next, in order."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import structlog
from asyncpg.exceptions import LockNotAvailableError

from node.database.port import RETRY_AFTER_S
from node.database.postgres_connections import description, is_transient
from node.database.postgres_transactions import retry_pauses, unexpected
from node.ledger.errors import LedgerUnavailableError
from node.ledger.postgres_orders import AccountBusyError, Extend, Forget, Order, Outcome, Release, Reserve

Commit: TypeAlias = Callable[[Sequence[Order], bool], Awaitable[Sequence[Outcome]]]
"""Attempts a batch once; True: without waiting for locks. Raises what the server raises."""

MAX_ORDERS_PER_COMMIT: Final = 1_000
"""Orders that share one transaction: far above what gathers while one is under way."""
MAX_WAITING: Final = 50_000
"""Orders that wait for the server; beyond it new ones are refused at once. Some 50 MB, and seconds of work."""

_log = structlog.get_logger(__name__)


@dataclass(eq=False, slots=True)
class _Waiting:
    """Order and its caller's future. `dropped`: nobody wants it done any longer."""

    order: Order
    dropped: bool = False
    decided: "asyncio.Future[None]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def notify(self, outcome: BaseException | None) -> None:
        """Wake the caller, if it still waits."""
        if self.decided.done():
            return
        if outcome is None:
            self.decided.set_result(None)
        else:
            self.decided.set_exception(outcome)


class OrderQueue:
    """Commits orders in batches, one batch of this node at a time.

    After a lock time-out batches skip accounts whose locks others hold, until every order was decided: one account that
    stays locked holds up no other.
    """

    def __init__(self, commit: Commit) -> None:
        self._commit = commit
        self._orders: list[_Waiting] = []
        self._serving: asyncio.Task[None] | None = None
        self._closed = False
        self._skip_busy = False

    async def ask(self, order: Order, patience_s: float) -> None:
        """Have an order committed. Raises the error that refuses it, LedgerUnavailableError when it is not done in time.

        A reservation whose caller stopped waiting is given back, however far it had come. Settlements and releases are
        carried out though their callers are cancelled; releases also after LedgerUnavailableError.
        """
        if self._closed or len(self._orders) >= MAX_WAITING:
            raise LedgerUnavailableError(RETRY_AFTER_S)
        waiting = self._put(order)
        try:
            async with asyncio.timeout(patience_s):
                await waiting.decided
        except TimeoutError:
            # A release is wanted even when its caller gave up: nothing else would return the credit.
            waiting.dropped = not isinstance(order, Release)
            self._take_back(order)
            raise LedgerUnavailableError(RETRY_AFTER_S) from None
        except asyncio.CancelledError:
            # A settlement goes on without its caller: the work was done and is charged.
            waiting.dropped = isinstance(order, Reserve | Extend)
            self._take_back(order)
            raise

    async def close(self, patience_s: float) -> None:
        """Take no more orders, and commit those that wait as far as the server lets it in that time."""
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
        # The transaction may have committed although its answer was lost. The undo stands behind the order in the
        # queue.
        if isinstance(order, Reserve):
            self._put(Forget(order))

    async def _serve(self) -> None:
        pauses, is_repetition = retry_pauses(), False
        while batch := self._next():
            try:
                # Nothing decided means that every account of the batch is locked elsewhere: asking again at once
                # would spin.
                if await self._do(batch):
                    pauses, is_repetition = retry_pauses(), False
                else:
                    is_repetition = True
                    await asyncio.sleep(pauses.failed())
            except Exception as error:  # noqa: BLE001 - sorted: repeated, or raised in the callers
                if is_transient(error):
                    if not is_repetition:
                        _log.info("a batch of the ledger is repeated", why=description(error), orders=len(batch))
                    is_repetition = True
                    self._skip_busy = isinstance(error, LockNotAvailableError)
                    # Back to the front: the order of one account's requests is kept.
                    self._orders[:0] = batch
                    await asyncio.sleep(pauses.failed())
                # The server refuses this very order, so repeating it is of no use.
                elif len(batch) == 1:
                    batch[0].notify(unexpected(error))
                else:
                    await self._each_alone(batch)
        self._serving = None

    def _next(self) -> list[_Waiting]:
        """Take the oldest that are still wanted."""
        wanted = [waiting for waiting in self._orders if not waiting.dropped]
        batch, self._orders = wanted[:MAX_ORDERS_PER_COMMIT], wanted[MAX_ORDERS_PER_COMMIT:]
        return batch

    async def _do(self, batch: Sequence[_Waiting]) -> bool:
        """Commit a batch. Returns whether any order was decided; those of busy accounts wait on, behind the others."""
        outcomes = await self._commit([waiting.order for waiting in batch], self._skip_busy)
        decided = list(zip(batch, outcomes, strict=True))
        busy = [waiting for waiting, outcome in decided if isinstance(outcome, AccountBusyError)]
        for waiting, outcome in decided:
            if not isinstance(outcome, AccountBusyError):
                waiting.notify(outcome)
        self._orders += busy
        self._skip_busy = bool(busy)
        return len(busy) < len(batch)

    async def _each_alone(self, batch: Sequence[_Waiting]) -> None:
        """Commit each order by itself: one that the server refuses must not fail the others."""
        for position, waiting in enumerate(batch):
            try:
                await self._do([waiting])
            except Exception as error:  # noqa: BLE001 - raised in its caller
                if is_transient(error):
                    self._orders[:0] = batch[position:]
                    return
                waiting.notify(unexpected(error))

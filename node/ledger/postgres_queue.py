"""Queue of orders. Those that arrive while a batch is committed form the next batch, in order."""

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
"""One attempt to commit a batch. True skips locked accounts. Raises what the server raises."""

MAX_ORDERS_PER_COMMIT: Final = 1_000
"""Maximum orders of a transaction, far above what arrives while one is committed."""
MAX_WAITING: Final = 50_000
"""Maximum orders that wait, some 50 MB and seconds of work. Above it new orders are refused."""

_log = structlog.get_logger(__name__)


@dataclass(eq=False, slots=True)
class _Waiting:
    """Order and its caller's future. `dropped` if the order is no longer wanted."""

    order: Order
    dropped: bool = False
    decided: "asyncio.Future[None]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def notify(self, outcome: BaseException | None) -> None:
        """Wakes the caller, if it still waits."""
        if self.decided.done():
            return
        if outcome is None:
            self.decided.set_result(None)
        else:
            self.decided.set_exception(outcome)


class OrderQueue:
    """Commits orders in batches, one batch of this node at a time.

    After a lock time-out batches skip locked accounts until every order was decided, so that one
    locked account does not delay the others.
    """

    def __init__(self, commit: Commit) -> None:
        self._commit = commit
        self._orders: list[_Waiting] = []
        self._serving: asyncio.Task[None] | None = None
        self._closed = False
        self._skip_busy = False

    async def ask(self, order: Order, patience_s: float) -> None:
        """Has an order committed. Raises its refusal, or LedgerUnavailableError after `patience_s`.

        A reservation whose caller stopped waiting is undone. Settlements and releases continue if
        their callers are cancelled, releases also after LedgerUnavailableError.
        """
        if self._closed or len(self._orders) >= MAX_WAITING:
            raise LedgerUnavailableError(RETRY_AFTER_S)
        waiting = self._put(order)
        try:
            async with asyncio.timeout(patience_s):
                await waiting.decided
        except TimeoutError:
            # A release is wanted even if its caller gave up, since nothing else returns the credit.
            waiting.dropped = not isinstance(order, Release)
            self._take_back(order)
            raise LedgerUnavailableError(RETRY_AFTER_S) from None
        except asyncio.CancelledError:
            # A settlement continues without its caller, because the work was done.
            waiting.dropped = isinstance(order, Reserve | Extend)
            self._take_back(order)
            raise

    async def close(self, patience_s: float) -> None:
        """Takes no more orders, and commits the waiting ones for at most `patience_s`."""
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
        # The transaction may have committed with a lost reply. The undo follows it in the queue.
        if isinstance(order, Reserve):
            self._put(Forget(order))

    async def _serve(self) -> None:
        pauses, is_repetition = retry_pauses(), False
        while batch := self._next():
            try:
                # If nothing was decided, all accounts are locked elsewhere; a retry now would spin.
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
                    # At the front again, to keep the order of one account's requests.
                    self._orders[:0] = batch
                    await asyncio.sleep(pauses.failed())
                # The server refuses this very order, so repeating it is of no use.
                elif len(batch) == 1:
                    batch[0].notify(unexpected(error))
                else:
                    await self._each_alone(batch)
        self._serving = None

    def _next(self) -> list[_Waiting]:
        """Takes the oldest orders that are still wanted."""
        wanted = [waiting for waiting in self._orders if not waiting.dropped]
        batch, self._orders = wanted[:MAX_ORDERS_PER_COMMIT], wanted[MAX_ORDERS_PER_COMMIT:]
        return batch

    async def _do(self, batch: Sequence[_Waiting]) -> bool:
        """Commits a batch. Returns whether any was decided. Orders of busy accounts go last."""
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
        """Commits each order in its own batch, so that a refused one does not fail the others."""
        for position, waiting in enumerate(batch):
            try:
                await self._do([waiting])
            except Exception as error:  # noqa: BLE001 - raised in its caller
                if is_transient(error):
                    self._orders[:0] = batch[position:]
                    return
                waiting.notify(unexpected(error))

"""The ledger: reservations in this process's memory, changed by orders that share transactions.

Orders that arrive while a batch is committed form the next batch. What a reservation may take is
decided from balances. `SqliteLedger` has the database for itself, so balances that it has read stay
true, and it decides in memory where it can. `PostgresLedger` shares the database: it decides inside
the transaction that has locked the account.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

import structlog

from node.database.port import RETRY_AFTER_S, Database, RepeatableError, Statement
from node.database.postgres_transactions import retry_pauses
from node.ledger.entries import Entry, entry_of_charge, entry_of_posting
from node.ledger.errors import BooksDatabase, LedgerUnavailableError, ReservationMissingError
from node.ledger.port import Posting, Spender, Usage
from node.ledger.reservations import (
    AccountBusyError,
    Extend,
    Forget,
    Holdings,
    Order,
    Outcome,
    Release,
    Reserve,
    Settle,
    require_amount,
)
from node.runtime.clock import Backoff

Decided: TypeAlias = Callable[[Sequence[Outcome]], None]
"""Takes the outcome of each order of a batch, once it is durable."""
Commit: TypeAlias = Callable[[Sequence[Order], Decided, bool], Awaitable[None]]
"""Attempts once to commit a batch. True skips locked accounts. Raises RepeatableError when it is to
be repeated, LedgerUnavailableError for all of its callers, and what no repetition cures."""

MAX_ORDERS_PER_COMMIT: Final = 1_000
"""Maximum orders of a transaction, far above what arrives while one is committed."""
MAX_WAITING: Final = 50_000
"""Maximum orders that wait, some 50 MB and seconds of work. Above it new orders are refused."""

_log = structlog.get_logger(__name__)


class _Waiting(asyncio.Future[None]):
    """Order, and its outcome for the caller. `dropped` if the order is no longer wanted.

    `ended` is for others, who wait also where the caller was cancelled.
    """

    __slots__ = ("dropped", "ended", "order")

    def __init__(self, order: Order) -> None:
        super().__init__()
        self.order = order
        self.dropped = False
        self.ended: asyncio.Event | None = None


class OrderQueue:
    """Commits orders in batches, one batch of this process at a time.

    After a lock time-out batches skip locked accounts until every order was decided, so that one
    locked account does not delay the others.
    """

    def __init__(self, commit: Commit) -> None:
        self._commit = commit
        self._orders: list[_Waiting] = []
        self._last: dict[str, _Waiting] = {}
        """The newest undecided order of each cause."""
        self._serving: asyncio.Task[None] | None = None
        self._closed = False
        self._skip_busy = False

    def ask(self, order: Order, patience_s: float | None) -> Awaitable[None]:
        """Has an order committed. Raises its refusal, or LedgerUnavailableError after `patience_s`.

        A reservation whose caller stopped waiting is undone. Settlements and releases continue if
        their callers are cancelled, releases also after LedgerUnavailableError.
        """
        if self._closed or len(self._orders) >= MAX_WAITING:
            raise LedgerUnavailableError(RETRY_AFTER_S)
        waiting = _Waiting(order)
        self._put(waiting)
        if patience_s is None and isinstance(order, Settle):
            return waiting  # continues without its caller, and costs no coroutine
        return self._wait(waiting, order, patience_s)

    def has(self, cause: str) -> bool:
        """Returns whether an order of this cause waits, or is being committed."""
        return cause in self._last

    async def decided(self, cause: str) -> None:
        """Waits until every order of this cause has been committed, refused or dropped."""
        while (waiting := self._last.get(cause)) is not None:
            waiting.ended = waiting.ended or asyncio.Event()
            await waiting.ended.wait()

    async def close(self, patience_s: float | None) -> None:
        """Takes no more orders, and commits the waiting ones for at most `patience_s`."""
        self._closed = True
        if self._serving is None:
            return
        # Waited for, not awaited: a caller that is cancelled must not end the commits.
        ended, _ = await asyncio.wait({self._serving}, timeout=patience_s)
        if not ended:
            self._serving.cancel()
            _log.warning("the ledger closes with work that its database did not take", left=len(self._orders))

    async def _wait(self, waiting: _Waiting, order: Order, patience_s: float | None) -> None:
        try:
            async with asyncio.timeout(patience_s):
                await waiting
        except TimeoutError:
            # A release is wanted even if its caller gave up, since nothing else returns the credit.
            waiting.dropped = not isinstance(order, Release)
            self._take_back(order)
            raise LedgerUnavailableError(RETRY_AFTER_S) from None
        except asyncio.CancelledError:
            # A settlement continues without its caller, because the work was done.
            if isinstance(order, Reserve | Extend):
                waiting.dropped = True
                self._take_back(order)
            raise

    def _put(self, waiting: _Waiting) -> None:
        self._last[waiting.order.cause] = waiting
        self._orders.append(waiting)
        if self._serving is None:
            self._serving = asyncio.create_task(self._serve())

    def _take_back(self, order: Order) -> None:
        # The transaction may have committed with a lost reply. The undo follows it in the queue.
        if isinstance(order, Reserve | Settle):
            self._put(_Waiting(Forget(order)))

    def _ended(self, waiting: _Waiting, outcome: BaseException | None) -> None:
        """Wakes the caller of an order that will not be tried again."""
        cause = waiting.order.cause
        if self._last.get(cause) is waiting:
            del self._last[cause]
        if waiting.ended is not None:
            waiting.ended.set()
        if waiting.done():  # its caller waits no longer
            return
        if outcome is None:
            waiting.set_result(None)
        else:
            waiting.set_exception(outcome)

    async def _serve(self) -> None:
        pauses: Backoff | None = None
        while batch := self._next():
            try:
                # If nothing was decided, all accounts are locked elsewhere; a retry now would spin.
                if await self._do(batch):
                    pauses = None
                    continue
            except RepeatableError as error:
                if pauses is None:
                    _log.info("a batch of the ledger is repeated", why=error.why, orders=len(batch))
                self._skip_busy = error.by_lock
                # At the front again, to keep the order of one account's requests.
                self._orders[:0] = batch
            except LedgerUnavailableError as error:
                for waiting in batch:
                    self._ended(waiting, error)
                continue
            except Exception as error:  # noqa: BLE001 - raised in the callers
                # The server refuses this very order, so repeating it is of no use.
                if len(batch) == 1:
                    self._ended(batch[0], error)
                else:
                    await self._each_alone(batch)
                continue
            pauses = pauses or retry_pauses()
            await asyncio.sleep(pauses.failed())
        self._serving = None

    def _next(self) -> list[_Waiting]:
        """Takes the oldest orders that are still wanted."""
        wanted = []
        for waiting in self._orders:
            if waiting.dropped:
                self._ended(waiting, None)
            else:
                wanted.append(waiting)
        batch, self._orders = wanted[:MAX_ORDERS_PER_COMMIT], wanted[MAX_ORDERS_PER_COMMIT:]
        return batch

    async def _do(self, batch: list[_Waiting]) -> bool:
        """Commits a batch. Returns whether any was decided. Orders of busy accounts go last."""
        orders, many, busy = [waiting.order for waiting in batch], len(batch), []

        def decided(outcomes: Sequence[Outcome]) -> None:
            for waiting, outcome in zip(batch, outcomes, strict=True):
                if isinstance(outcome, AccountBusyError):
                    busy.append(waiting)
                else:
                    self._ended(waiting, outcome)
            # Before their callers go on: what a thousand of them make next, with these still there,
            # would start the garbage collector several times a batch.
            batch.clear()
            orders.clear()

        await self._commit(orders, decided, self._skip_busy)
        # Orders of one cause stay in sequence, or a release would overtake its settlement.
        causes = {waiting.order.cause for waiting in busy}
        later = [waiting for waiting in self._orders if waiting.order.cause in causes]
        if later:
            self._orders = [waiting for waiting in self._orders if waiting.order.cause not in causes]
        self._orders += busy + later
        self._skip_busy = bool(busy)
        return len(busy) < many

    async def _each_alone(self, batch: Sequence[_Waiting]) -> None:
        """Commits each order in its own batch, so that a refused one does not fail the others."""
        for position, waiting in enumerate(batch):
            try:
                await self._do([waiting])
            except RepeatableError:
                self._orders[:0] = batch[position:]
                return
            except Exception as error:  # noqa: BLE001 - raised in its caller
                self._ended(waiting, error)


class StoredLedger(BooksDatabase, ABC):
    """`LedgerDatabase` on either database. A crash loses reservations alone.

    The patience is the time after which a call is given up. None: never.
    """

    def __init__(
        self,
        database: Database,
        unix: Callable[[], float],
        holdings: Holdings,
        reserve_patience_s: float | None = None,
        settle_patience_s: float | None = None,
    ) -> None:
        super().__init__(database)
        self._unix = unix
        self._reserve_patience_s = reserve_patience_s
        self._settle_patience_s = settle_patience_s
        self._holdings = holdings
        self._queue = OrderQueue(self._commit)

    async def reserve(self, spender: Spender, cause: str, amount_microdollars: int) -> None:
        """See `Ledger.reserve`. The reservation ends with this process."""
        require_amount(amount_microdollars)
        if not self._holdings.has_ended(cause):
            await self._queue.ask(Reserve(cause, spender, amount_microdollars), self._reserve_patience_s)

    async def extend(self, cause: str, amount_microdollars: int, cap_microdollars: int | None = None) -> None:
        """See `Ledger.extend`. An expired reservation is set aside again as a whole."""
        require_amount(amount_microdollars)
        if cause not in self._holdings.reservations:
            raise ReservationMissingError
        await self._queue.ask(Extend(cause, amount_microdollars, cap_microdollars), self._reserve_patience_s)

    async def settle(self, cause: str, amount_microdollars: int, usage: Usage) -> int:
        """See `Ledger.settle`. The reservation ends with its charge's commit, if that succeeds."""
        require_amount(amount_microdollars)
        known = self._holdings.reservations.get(cause)
        if known is None:
            return 0
        order = Settle(entry_of_charge(cause, known.names, amount_microdollars, usage, self._unix()))
        await self._queue.ask(order, self._settle_patience_s)
        return order.taken_microdollars

    async def release(self, cause: str, account: int | None = None) -> None:
        """See `Ledger.release`. Continues if this is cancelled or the database is out."""
        if not self._holdings.has_ended(cause):
            # The order stays queued: a lost release would hold the credit until the process ends.
            await self._queue.ask(Release(cause, account), self._settle_patience_s)

    async def post(self, posting: Posting, *also: Statement) -> bool:
        """See `LedgerDatabase.post`. Cancelling the caller does not cancel it."""
        return await self._post(entry_of_posting(posting, self._unix()), also)

    @abstractmethod
    async def _commit(self, orders: Sequence[Order], decided: Decided, skip_busy: bool) -> None:
        """Attempts to commit the orders and takes over what was decided. See `Commit`."""

    @abstractmethod
    async def _post(self, entry: Entry, also: Sequence[Statement]) -> bool:
        """Enters a posting and runs `also`, once. See `LedgerDatabase.post`."""

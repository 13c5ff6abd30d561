"""Ledger in one SQLite file. Balances are cached in memory; entries are durable."""

import asyncio
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar

import structlog

from node.database.port import RETRY_AFTER_S, Statement, Transaction, Work, whole
from node.database.sqlite import SqliteDatabase
from node.database.sqlite_reader import at_once
from node.errors import StartupRefusedError
from node.ledger import batches, reservations
from node.ledger.entries import ACCOUNT_PREFIX, Entry, account_book, names_of
from node.ledger.errors import LedgerUnavailableError, PaymentRequiredError
from node.ledger.ledger import Decided, StoredLedger
from node.ledger.port import Balance, Spender
from node.ledger.reservations import (
    REMEMBERED_CAUSES,
    Balances,
    Decisions,
    Extend,
    Holdings,
    Order,
    Outcome,
    Reservation,
    Reserve,
    Settle,
    names_concerned,
    require_amount,
)
from node.ledger.schema import COMPONENT, SQLITE_STEPS
from node.settings.ledger import LedgerSettings

FILE_NAME: Final = "ledger.sqlite3"
"""File in the node's data_dir."""
MAX_SMALL_CHARGES: Final = 32
"""Maximum charges of a batch on the event loop; each takes some 20 microseconds."""

_LAST_CHARGES: Final = "SELECT cause FROM ledger_entry WHERE what IS NOT NULL ORDER BY entry DESC LIMIT ?"
_BALANCE: Final = "SELECT balance_microdollars FROM ledger_account WHERE book = ?"
_TOUCHED: Final = """
SELECT (
    SELECT at_ms FROM ledger_entry WHERE debit_book = value AND debit_book LIKE 'account:%' ORDER BY at_ms DESC LIMIT 1
) FROM @names
"""
"""Loads what a book's next charge changes into memory. Small batches run on the event loop."""

T = TypeVar("T")
R = TypeVar("R")
_log = structlog.get_logger(__name__)


class TotalsCache(OrderedDict[str, int]):
    """LRU cache of the database's totals by `names_of`. No operation awaits anything."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def has(self, names: Sequence[str]) -> bool:
        """Returns whether these totals need not be read first."""
        for name in names:
            if name not in self:
                return False
            self.move_to_end(name)
        return True

    def learn(self, totals: Mapping[str, int]) -> None:
        """Takes the database's totals, after room was made for them."""
        while len(self) > self._most:
            self.popitem(last=False)
        self.update(totals)

    def charge(self, entries: Sequence[Entry]) -> None:
        """Counts entered charges, which may come after a posting in the same commit."""
        for entry in entries:
            if entry.debit_book in self:
                self[entry.debit_book] -= entry.amount_microdollars
            if entry.usage_key is not None and entry.usage_key in self:
                self[entry.usage_key] += entry.amount_microdollars


class SqliteLedger(StoredLedger):
    """`LedgerDatabase` of the one process that has the file.

    A repetition of one of the last REMEMBERED_CAUSES causes is known at once. An older one that is
    reserved again holds credit until it is settled or released, which changes nothing either.
    """

    def __init__(self, database: SqliteDatabase, settings: LedgerSettings, unix: Callable[[], float]) -> None:
        self._totals = TotalsCache(2 * settings.ledger_max_cached_accounts)
        super().__init__(database, unix, Holdings(self._totals))
        self._database = database
        self._asked: list[tuple[Sequence[str], int]] = []
        """Names and amounts for which the batch under way is asked. They count as reserved."""

    @classmethod
    async def open(cls, path: Path, settings: LedgerSettings, unix: Callable[[], float]) -> "SqliteLedger":
        """Opens or creates the file. `unix` returns unix time in seconds.

        Raises StartupRefusedError if another process has it, or it is newer or damaged.
        """
        return await cls.on(await SqliteDatabase.open(path), path, settings, unix)

    @classmethod
    async def on(
        cls, database: SqliteDatabase, path: Path, settings: LedgerSettings, unix: Callable[[], float]
    ) -> "SqliteLedger":
        """Uses an open file. Closes it on errors; raises as `open` does."""
        try:
            await database.migrate(COMPONENT, SQLITE_STEPS)
            ledger = cls(database, settings, unix)
            # Before the first request: clients repeat their calls after a restart.
            (last,) = await database.read(Statement(_LAST_CHARGES, (REMEMBERED_CAUSES,)))
            # Oldest first, since the first that is remembered is the first to be forgotten.
            for row in reversed(last):
                ledger._holdings.remember(str(row[0]))
        except sqlite3.Error as error:
            await database.close()
            raise StartupRefusedError("data_dir", f"{path} is damaged: {error}. Restore a backup of it.") from error
        except BaseException:
            await database.close()
            raise
        return ledger

    async def balance(self, account: int) -> Balance:
        """See `Ledger.balance`."""
        book = account_book(account)

        async def work(transaction: Transaction) -> int:
            return await _balance(transaction, book)

        while self._database.has_failed or not self._totals.has([book]):
            await self._written(work, lambda balance: self._totals.learn({book: balance}), is_small=False)
        asked = sum(amount for names, amount in self._asked if book in names)
        return Balance(self._totals[book], self._holdings.balances.reserved.get(book, 0) - asked)

    async def reserve(self, spender: Spender, cause: str, amount_microdollars: int) -> None:
        """See `Ledger.reserve`."""
        require_amount(amount_microdollars)
        is_known = cause in self._holdings.reservations
        wanted = Reservation(spender, names_of(spender.account, spender.usage_key), amount_microdollars)
        if is_known or not self._takes(cause, wanted, lambda balances: reservations.reserve(None, wanted, balances)):
            await super().reserve(spender, cause, amount_microdollars)

    async def extend(self, cause: str, amount_microdollars: int, cap_microdollars: int | None = None) -> None:
        """See `Ledger.extend`."""
        require_amount(amount_microdollars)
        known = self._holdings.reservations.get(cause)
        if known is not None:
            target = known.amount_microdollars + amount_microdollars
            if self._takes(
                cause, known, lambda balances: reservations.extend(known, target, balances, cap_microdollars)
            ):
                return
        await super().extend(cause, amount_microdollars, cap_microdollars)

    async def release(self, cause: str, account: int | None = None) -> None:
        """See `Ledger.release`. A reservation whose charge is being written is charged."""
        # What is being charged, and what may be charged on the disk, is decided by the file.
        if self._queue.has(cause) or self._database.has_failed:
            await super().release(cause, account)
        else:
            self._holdings.put(cause, None)
            self._holdings.remember(cause)

    async def charged(self, cause: str) -> int:
        """See `Ledger.charged`. Waits for a charge that is being written."""
        await self._queue.decided(cause)
        return await super().charged(cause)

    async def close(self) -> None:
        """See `LedgerDatabase.close`. Closing twice changes nothing."""
        await self._queue.close(None)
        await self._database.close()

    def _takes(self, cause: str, wanted: Reservation, change: Callable[[Balances], Reservation | None]) -> bool:
        """Changes a reservation in memory. False if only the file can tell whether it may be."""
        names = wanted.names
        if (
            self._database.has_failed
            or self._queue.has(cause)
            or self._holdings.has_ended(cause)
            or not self._totals.has(names)
        ):
            return False
        try:
            changed = change(self._holdings.balances)
        except PaymentRequiredError:
            return False
        if changed is not None:
            self._holdings.put(cause, changed)
        return True

    async def _commit(self, orders: Sequence[Order], decided: Decided, skip_busy: bool) -> None:
        del skip_busy  # no other process locks an account of the file
        batch = batches.batch_of(orders, self._holdings)
        unread = tuple(name for name in batch.reserved if name not in self._totals)
        # What this process has reserved covers a charge, whatever the balance is.
        are_charges = not unread and all(isinstance(order, Settle) for order in orders)
        totals = {name: self._totals[name] for name in batch.reserved} if are_charges else None
        # Until the file has decided, memory must not give the same credit to another.
        for order in orders:
            if isinstance(order, Reserve | Extend):
                names = names_concerned(order, batch.known)
                self._asked.append((names, order.amount_microdollars))
                self._holdings.balances.move(names, order.amount_microdollars)

        async def work(transaction: Transaction) -> tuple[Sequence[Outcome], Decisions]:
            if totals is not None:
                return await batches.commit_charges(transaction, batch, totals)
            await transaction.execute(Statement(_TOUCHED, (unread,)))
            return await batches.commit_orders(transaction, batch)

        def learn(written: tuple[Sequence[Outcome], Decisions]) -> None:
            outcomes, decisions = written
            self._end_asking()
            self._holdings.apply(decisions)
            if are_charges:
                self._totals.charge(decisions.entries)
            else:
                self._totals.learn(decisions.balances.totals)
            decided(outcomes)

        # A few charges, whose pages are in memory since their accounts were read.
        is_small = are_charges and len(orders) <= MAX_SMALL_CHARGES
        try:
            await self._written(work, learn, is_small=is_small)
        finally:
            self._end_asking()

    def _end_asking(self) -> None:
        for names, amount in self._asked:
            self._holdings.balances.move(names, -amount)
        self._asked.clear()

    async def _post(self, entry: Entry, also: Sequence[Statement]) -> bool:
        book = entry.debit_book if entry.debit_book.startswith(ACCOUNT_PREFIX) else entry.credit_book

        async def work(transaction: Transaction) -> tuple[bool, int]:
            is_new = await batches.post(transaction, entry, also)
            return is_new, await _balance(transaction, book)

        def learn(written: tuple[bool, int]) -> bool:
            self._totals.learn({book: written[1]})
            return written[0]

        return await self._written(work, learn, is_small=False)

    async def _written(self, work: Work[T], learn: Callable[[T], R], *, is_small: bool) -> R:
        """Commits `work`. Returns what `learn` returns for its result, in the order of commits.

        Raises LedgerUnavailableError, and what `work` raises that is not of the file.
        """
        written: asyncio.Future[R] = asyncio.get_running_loop().create_future()

        def done(outcome: T | BaseException) -> None:
            if not isinstance(outcome, BaseException):
                # Also for a caller that was cancelled: memory must have what the file has.
                learned = learn(outcome)
                if not written.done():
                    written.set_result(learned)
            elif not written.done():
                written.set_exception(outcome)

        try:
            self._database.submit(at_once(work), done, is_small=is_small)
            return await written
        # A row that the tables forbid is no fault of the file.
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
            raise
        except (sqlite3.Error, RuntimeError) as error:
            _log.error("the ledger could not be written", error=type(error).__name__, reason=str(error))
            raise LedgerUnavailableError(RETRY_AFTER_S) from None


async def _balance(transaction: Transaction, book: str) -> int:
    """Returns the balance in a transaction, after the charges that come before it in its commit."""
    (rows,) = await transaction.execute(Statement(_BALANCE, (book,)))
    return whole(rows[0][0]) if rows else 0

"""Credits in one SQLite file: reservations and current balances in memory, every entry durable by group commit."""

import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from node.database.sqlite import Database
from node.errors import ErrorCode, NodeError, StartupRefusedError
from node.ledger.books import Posting, Row, Statement
from node.ledger.entries import account_book, entry_of_charge, entry_of_posting
from node.ledger.limits import LedgerLimits
from node.ledger.port import Balance, Spender, Usage
from node.ledger.rules import billing_unavailable, no_such_reservation, refuse_negative
from node.ledger.sqlite.batch import Batch, Outcome, PostingWork
from node.ledger.sqlite.commits import Commits, Round
from node.ledger.sqlite.log import WriteAheadLog
from node.ledger.sqlite.purses import PurseCache, Purses
from node.ledger.sqlite.reader import SqliteReader
from node.ledger.sqlite.schema import COMPONENT, STEPS
from node.ledger.sqlite.tables import run_statements
from node.values import u256_hex

FILE_NAME: Final = "ledger.sqlite3"
"""In the node's data_dir."""

_LAST_CHARGES: Final = "SELECT cause FROM ledger_entry WHERE what IS NOT NULL ORDER BY entry DESC LIMIT ?"


@dataclass(slots=True)
class _Reservation:
    spender: Spender
    purses: Purses
    amount: int
    settling: Round | None = None
    """The commit its charge is in."""
    taken: int = 0
    """What that charge takes."""

    @property
    def under_way(self) -> bool:
        """Whether its charge is being written."""
        return self.settling is not None and not self.settling.failed


class SqliteLedger:
    """`LedgerDatabase` of one process. A crash loses reservations alone: what was under way costs nothing.

    A repetition of one of the last `remembered_causes` ended charges is known at once. An older one that is
    reserved again holds credit until it is settled or released, and then changes nothing either.
    """

    def __init__(
        self,
        database: Database,
        reader: SqliteReader,
        log: WriteAheadLog,
        limits: LedgerLimits,
        clock: Callable[[], float],
    ) -> None:
        self._database = database
        self._reader = reader
        self._log = log
        self._limits = limits
        self._clock = clock
        self._commits = Commits(database, limits, self._learn)
        self._purses = PurseCache(limits.max_cached_accounts)
        self._reservations: dict[str, _Reservation] = {}
        self._ended: OrderedDict[str, None] = OrderedDict()

    @classmethod
    async def open(cls, path: Path, limits: LedgerLimits, clock: Callable[[], float]) -> "SqliteLedger":
        """Open or create the file; `clock` gives unix time in seconds.

        Raises StartupRefusedError when another process has it, a newer version wrote it, or it is damaged.
        """
        return await cls.on(await Database.open(path), path, limits, clock)

    @classmethod
    async def on(
        cls, database: Database, path: Path, limits: LedgerLimits, clock: Callable[[], float]
    ) -> "SqliteLedger":
        """The same on a file that is open already, and is closed when this raises."""
        try:
            await database.migrate(COMPONENT, STEPS)
            reader = SqliteReader(path, limits)
            ledger = cls(database, reader, WriteAheadLog(path, reader, database.log_was_emptied), limits, clock)
            await ledger._recall()
        except sqlite3.Error as error:
            await database.close()
            raise StartupRefusedError("data_dir", f"{path} is damaged: {error}. Restore a backup of it.") from error
        except BaseException:
            await database.close()
            raise
        return ledger

    async def balance(self, account: int) -> Balance:
        """The account's balance; zero for one never seen."""
        book = account_book(account)
        purse = self._purses.account(book)
        while purse is None:
            await self._ask(Batch(books={book}))
            purse = self._purses.account(book)
        return Balance(purse.settled, purse.reserved)

    async def reserve(self, spender: Spender, cause: str, amount_microdollars: int) -> None:
        """Set credit aside, in memory. Raises NodeError `payment_required`."""
        refuse_negative(amount_microdollars)
        looked_up = False
        while not self._knows(cause):
            purses = await self._purses_of(spender)
            if self._knows(cause):
                return
            refusal = _refusal(purses, spender, amount_microdollars)
            if refusal is None:
                self._reservations[cause] = _Reservation(spender, purses, amount_microdollars)
                purses.set_aside(amount_microdollars, holds=1)
                return
            if looked_up:
                raise refusal
            if cause in (await self._ask(Batch(causes={cause}))).known:
                self._remember(cause)
            looked_up = True

    async def extend(self, cause: str, amount_microdollars: int) -> None:
        """Set more aside, in memory. Raises NodeError `payment_required`; what was reserved stays."""
        refuse_negative(amount_microdollars)
        reservation = self._reservations.get(cause)
        if reservation is None or reservation.under_way:
            raise no_such_reservation()
        reservation.purses.require(reservation.spender, amount_microdollars)
        reservation.amount += amount_microdollars
        reservation.purses.set_aside(amount_microdollars)

    async def settle(self, cause: str, amount_microdollars: int, usage: Usage) -> int:
        """Take `amount`, at most what was reserved, and release the rest; durable when this returns."""
        refuse_negative(amount_microdollars)
        reservation = self._reservations.get(cause)
        if reservation is None:
            return 0
        if reservation.settling is None or reservation.settling.failed:
            reservation.taken = min(amount_microdollars, reservation.amount)
            entry = entry_of_charge(cause, reservation.spender, reservation.taken, usage, self._clock())
            reservation.settling = self._commits.gathering()
            reservation.settling.batch.charges.append(entry)
        outcome = await reservation.settling.durable()
        return 0 if cause in outcome.known else reservation.taken

    async def release(self, cause: str) -> None:
        """Give the whole reservation back; one whose charge is being written is charged."""
        reservation = self._reservations.get(cause)
        if reservation is not None and not reservation.under_way:
            self._end(cause)

    async def migrate(self, component: str, steps: Sequence[str]) -> None:
        """As `Books` says."""
        await self._database.migrate(component, steps)

    async def execute(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """As `Books` says; what runs at the same time shares its flush."""
        return await run_statements(self._database, statements, self._limits.retry_after_s)

    async def read(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """As `Books` says, on a connection of its own."""
        await self._log.keep_short()
        found = await self._reader.read(*statements)
        try:
            await self._database.flushed()  # what was found is told to nobody before it is durable
        except sqlite3.Error as error:
            raise billing_unavailable(self._limits.retry_after_s) from error
        return found

    async def post(self, posting: Posting, *also: Statement) -> bool:
        """As `Books` says."""
        entry = entry_of_posting(posting, self._clock())
        round_ = self._commits.gathering()
        position = len(round_.batch.postings)
        round_.batch.postings.append(PostingWork(entry, also))
        round_.batch.books.add(account_book(posting.account))
        posted = (await round_.durable()).posted[position]
        if isinstance(posted, Exception):
            raise posted
        return posted

    async def close(self) -> None:
        """Write what is under way and close the file. Closing twice is nothing."""
        await self._commits.close()
        await self._database.close()

    def _knows(self, cause: str) -> bool:
        return cause in self._reservations or cause in self._ended

    async def _purses_of(self, spender: Spender) -> Purses:
        purses = self._purses.of(spender)
        while purses is None:
            keys = set() if spender.usage_key is None else {u256_hex(spender.usage_key)}
            await self._ask(Batch(books={account_book(spender.account)}, usage_keys=keys))
            purses = self._purses.of(spender)
        return purses

    async def _ask(self, question: Batch) -> Outcome:
        """What the next batch tells of these books, usage keys and causes too."""
        round_ = self._commits.gathering()
        round_.batch.books |= question.books
        round_.batch.usage_keys |= question.usage_keys
        round_.batch.causes |= question.causes
        return await round_.durable()

    def _learn(self, batch: Batch, outcome: Outcome) -> None:
        """Balances as they are on disk now, and of the reservations those charges ended: in one step."""
        for entry in batch.charges:
            self._end(entry.cause)
        self._purses.learn(outcome.balances, outcome.spent)

    def _end(self, cause: str) -> None:
        reservation = self._reservations.pop(cause)
        reservation.purses.set_aside(-reservation.amount, holds=-1)
        self._remember(cause)

    def _remember(self, cause: str) -> None:
        self._ended[cause] = None
        if len(self._ended) > self._limits.remembered_causes:
            self._ended.popitem(last=False)

    async def _recall(self) -> None:
        """Know the last charges again: after a restart it is they that are repeated."""
        (last,) = await self._reader.read(Statement(_LAST_CHARGES, (self._limits.remembered_causes,)))
        for row in reversed(last):
            self._remember(str(row[0]))


def _refusal(purses: Purses, spender: Spender, amount: int) -> NodeError | None:
    try:
        purses.require(spender, amount)
    except NodeError as error:
        if error.code is not ErrorCode.PAYMENT_REQUIRED:
            raise
        return error
    return None

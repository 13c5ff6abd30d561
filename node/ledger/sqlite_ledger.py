"""Ledger in one SQLite file. Reservations and balances are in memory; entries are durable."""

import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from node.database.port import RETRY_AFTER_S, Statement
from node.database.sqlite import SqliteDatabase
from node.errors import StartupRefusedError
from node.ledger import reservations
from node.ledger.entries import account_book, entry_of_charge, entry_of_posting
from node.ledger.errors import (
    BooksDatabase,
    LedgerUnavailableError,
    PaymentRequiredError,
    ReservationMissingError,
)
from node.ledger.port import Balance, Posting, Spender, Usage
from node.ledger.reservations import HELD, AccountBalance, Funds, Reservation, require_amount
from node.ledger.sqlite_group_commit import Batch, GroupCommit, Outcome, PendingCommit, PostingWork
from node.ledger.sqlite_schema import COMPONENT, STEPS
from node.settings.ledger import LedgerSettings
from node.values import u256_hex

_Balances: TypeAlias = OrderedDict[str, AccountBalance]


class BalanceCache:
    """LRU cache of balances by book and by usage key: the database's amount and the reserved part.

    A balance with a reservation is never evicted. Nothing is awaited, so operations are atomic.
    """

    def __init__(self, accounts_max: int) -> None:
        self._max = accounts_max
        self._accounts: _Balances = OrderedDict()
        self._usage_keys: _Balances = OrderedDict()

    def account(self, book: str) -> AccountBalance | None:
        """Returns the balance of an account, or None if it must be read first."""
        return _used(self._accounts, book)

    def of(self, spender: Spender) -> Funds | None:
        """Returns the balances of a spender, or None if one of them must be read first."""
        account = _used(self._accounts, account_book(spender.account))
        if account is None:
            return None
        if spender.usage_key is None:
            return Funds(account, None)
        usage_key = _used(self._usage_keys, u256_hex(spender.usage_key))
        return None if usage_key is None else Funds(account, usage_key)

    def learn(self, balances: Mapping[str, int], spent: Mapping[str, int]) -> None:
        """Takes the database's balances by book and totals by usage key."""
        _learn(self._accounts, balances, self._max)
        _learn(self._usage_keys, spent, self._max)


def _used(known: _Balances, name: str) -> AccountBalance | None:
    balance = known.get(name)
    if balance is not None:
        known.move_to_end(name)
    return balance


def _learn(known: _Balances, totals: Mapping[str, int], most: int) -> None:
    _evict(known, most)
    for name, total in totals.items():
        balance = known.get(name)
        if balance is None:
            known[name] = AccountBalance(total)
        else:
            # In place: reservations hold a reference to this object and release into it.
            balance.total = total


def _evict(known: _Balances, most: int) -> None:
    """Evicts down to `most` before balances are added, so that their caller finds them all."""
    for _ in range(len(known)):
        if len(known) <= most:
            break
        name, balance = known.popitem(last=False)
        # A second object for the same balance would not count this reservation.
        if balance.reservations:
            known[name] = balance


FILE_NAME: Final = "ledger.sqlite3"
"""File in the node's data_dir."""
REMEMBERED_CAUSES: Final = 10_000
"""Ended causes known without a query, some 200 bytes each. Clients repeat within seconds."""

_HOLDER: Final = ""
"""Holder of every reservation. No other node has the file."""
_LAST_CHARGES: Final = "SELECT cause FROM ledger_entry WHERE what IS NOT NULL ORDER BY entry DESC LIMIT ?"


@dataclass(slots=True)
class _Held:
    """Reservation in memory, the balances it counts in, and the commit of its charge."""

    reservation: Reservation
    funds: Funds
    settling: PendingCommit | None = None
    taken_microdollars: int = 0

    @property
    def is_settling(self) -> bool:
        """Whether its charge is being written."""
        return self.settling is not None and not self.settling.failed


class SqliteLedger(BooksDatabase):
    """`LedgerDatabase` of one process. A crash loses only reservations; unfinished work is free.

    A repetition of one of the last REMEMBERED_CAUSES causes is known at once. An older one that is
    reserved again holds credit until it is settled or released, which changes nothing either.
    """

    def __init__(self, database: SqliteDatabase, settings: LedgerSettings, unix: Callable[[], float]) -> None:
        super().__init__(database)
        self._database = database
        self._unix = unix
        self._commits = GroupCommit(database, self._learn)
        self._balances = BalanceCache(settings.ledger_max_cached_accounts)
        self._reservations: dict[str, _Held] = {}
        self._ended: OrderedDict[str, None] = OrderedDict()

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
            await database.migrate(COMPONENT, STEPS)
            ledger = cls(database, settings, unix)
            # Before the first request: clients repeat their calls after a restart.
            await ledger._recall()
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
        balance = self._balances.account(book)
        while balance is None:
            await self._look_up(Batch(books={book}))
            balance = self._balances.account(book)
        return Balance(balance.total, balance.reserved)

    async def reserve(self, spender: Spender, cause: str, amount_microdollars: int) -> None:
        """See `Ledger.reserve`. The reservation is in memory."""
        require_amount(amount_microdollars)
        wanted = Reservation(spender, amount_microdollars, HELD, _HOLDER)
        looked_up = False
        while not self._knows(cause):
            funds = await self._funds_of(spender)
            # A concurrent call with the same cause may have reserved while the balance was read.
            if self._knows(cause):
                return
            try:
                reservations.reserve(None, wanted, funds)
            except PaymentRequiredError:
                if looked_up:
                    raise
            else:
                self._reservations[cause] = _Held(wanted, funds)
                funds.move(amount_microdollars, reservations=1)
                return
            # The credit may be gone because this cause was charged long ago. Then refuse nothing.
            if cause in (await self._look_up(Batch(causes={cause}))).known:
                self._remember(cause)
            looked_up = True

    async def extend(self, cause: str, amount_microdollars: int, cap_microdollars: int | None = None) -> None:
        """See `Ledger.extend`. The reservation is in memory."""
        require_amount(amount_microdollars)
        held = self._reservations.get(cause)
        if held is None or held.is_settling:
            raise ReservationMissingError
        target = held.reservation.amount_microdollars + amount_microdollars
        extended = reservations.extend(held.reservation, target, _HOLDER, held.funds, cap_microdollars)
        if extended is not None:
            held.reservation = extended
            held.funds.move(amount_microdollars)

    async def settle(self, cause: str, amount_microdollars: int, usage: Usage) -> int:
        """See `Ledger.settle`. The reservation ends with its charge's commit, if that succeeds."""
        require_amount(amount_microdollars)
        held = self._reservations.get(cause)
        if held is None:
            return 0
        if held.settling is None or held.settling.failed:
            taken = reservations.settle(held.reservation, amount_microdollars, held.funds)
            held.taken_microdollars = taken or 0
            spender = held.reservation.spender
            entry = entry_of_charge(cause, spender, held.taken_microdollars, usage, self._unix())
            # Credit stays reserved until the commit: a failure leaves the reservation as it was.
            held.settling = self._commits.gathering()
            held.settling.batch.charges.append(entry)
        # A second caller with the same cause waits for the same commit.
        outcome = await held.settling.durable()
        # The entry of an earlier process counts; this call then charged nothing.
        return 0 if cause in outcome.known else held.taken_microdollars

    async def release(self, cause: str) -> None:
        """See `Ledger.release`. A reservation whose charge is being written is charged."""
        held = self._reservations.get(cause)
        if held is not None and held.settling is not None and held.settling.failed:
            # After a failed flush its charge may still be on disk. The next start shows it.
            try:
                await self._database.flushed()
            except sqlite3.Error:
                raise LedgerUnavailableError(RETRY_AFTER_S) from None
            held = self._reservations.get(cause)
        if held is not None and not held.is_settling:
            self._end(cause)

    async def charged(self, cause: str) -> int:
        """See `Ledger.charged`. Waits for a charge that is being written."""
        held = self._reservations.get(cause)
        if held is not None and held.settling is not None:
            await held.settling.ended()
        return await super().charged(cause)

    async def post(self, posting: Posting, *also: Statement) -> bool:
        """See `LedgerDatabase.post`."""
        entry = entry_of_posting(posting, self._unix())
        commit = self._commits.gathering()
        position = len(commit.batch.postings)
        commit.batch.postings.append(PostingWork(entry, also))
        commit.batch.books.add(account_book(posting.account))
        posted = (await commit.durable()).posted[position]
        if isinstance(posted, Exception):
            raise posted
        return posted

    async def close(self) -> None:
        """See `LedgerDatabase.close`. Closing twice changes nothing."""
        await self._commits.close()
        await self._database.close()

    def _knows(self, cause: str) -> bool:
        return cause in self._reservations or cause in self._ended

    async def _funds_of(self, spender: Spender) -> Funds:
        funds = self._balances.of(spender)
        while funds is None:
            keys = set() if spender.usage_key is None else {u256_hex(spender.usage_key)}
            await self._look_up(Batch(books={account_book(spender.account)}, usage_keys=keys))
            funds = self._balances.of(spender)
        return funds

    async def _look_up(self, names: Batch) -> Outcome:
        """Adds books, usage keys and causes to the next commit. Returns its outcome."""
        commit = self._commits.gathering()
        commit.batch.books |= names.books
        commit.batch.usage_keys |= names.usage_keys
        commit.batch.causes |= names.causes
        return await commit.durable()

    def _learn(self, batch: Batch, outcome: Outcome) -> None:
        """Ends the reservations of the batch's charges and takes its balances in one step."""
        for entry in batch.charges:
            # No await before the new balance, or a reservation would spend the credit twice.
            self._end(entry.cause)
        self._balances.learn(outcome.balances, outcome.spent)

    def _end(self, cause: str) -> None:
        held = self._reservations.pop(cause)
        held.funds.move(-held.reservation.amount_microdollars, reservations=-1)
        self._remember(cause)

    def _remember(self, cause: str) -> None:
        self._ended[cause] = None
        if len(self._ended) > REMEMBERED_CAUSES:
            self._ended.popitem(last=False)

    async def _recall(self) -> None:
        """Remembers the last charges, since clients repeat those after a restart."""
        (last,) = await self._database.read(Statement(_LAST_CHARGES, (REMEMBERED_CAUSES,)))
        # Oldest first, since the front of the memory is forgotten first.
        for row in reversed(last):
            self._remember(str(row[0]))

"""Ledgers of the tests: a database that outlives whoever opens it, and short words for what is done with it."""

from pathlib import Path
from typing import Final, Protocol

from node.database.port import Row, Statement
from node.ledger.port import (
    MICRODOLLARS_PER_CENT,
    Balance,
    Ledger,
    LedgerDatabase,
    Posting,
    Service,
    Source,
    Spender,
    Usage,
)
from node.ledger.sqlite_ledger import FILE_NAME, SqliteLedger
from node.settings.ledger import LedgerSettings
from tests.support.clock import FakeClock

CENT: Final = MICRODOLLARS_PER_CENT
ACCOUNT: Final = 0xACC
OTHER: Final = 0x07E
KEY: Final = 0x5EC
CID: Final = "QmPK1s3pNYLi9ERiq3BDxKa4XosgWwFRQUydHUtz4YgpqB"
RUN: Final = Usage(Service.EXECUTION, CID, "0b6a4d4c-52f6-4f2b-9c4b-0a3f2a6f9d11", 812)
WRITE: Final = Usage(Service.WRITE, "addGroup", "5d0a1f63-4a53-4dd2-8d3d-6a1c6d2d9a0e")


class LedgerWorld(Protocol):
    """One database; every `open` is another process as far as memory goes."""

    name: str
    clock: FakeClock

    async def open(self, settings: LedgerSettings | None = None) -> LedgerDatabase:
        """The ledger as a process that has just started has it."""
        ...

    async def die(self, ledger: LedgerDatabase) -> None:
        """The process is gone, with what it had in memory."""
        ...


class SqliteWorld:
    """A file in a directory of the test's own."""

    name = "sqlite"

    def __init__(self, directory: Path) -> None:
        self.path = directory / FILE_NAME
        self.clock = FakeClock()

    async def open(self, settings: LedgerSettings | None = None) -> LedgerDatabase:
        return await SqliteLedger.open(self.path, settings or LedgerSettings(), self.clock)

    async def die(self, ledger: LedgerDatabase) -> None:
        """Closing writes nothing that a kill would not have left, once nothing is under way."""
        await ledger.close()


async def give(ledger: LedgerDatabase, cents: int, account: int = ACCOUNT, cause: str = "payment:pi_1") -> None:
    """A card payment of so many cents."""
    assert await ledger.post(Posting(cause, account, Source.CARD, cents * CENT))


async def pay(ledger: Ledger, cause: str, cents: int = 1, spender: Spender | None = None, usage: Usage = RUN) -> None:
    """Reserve so many cents and settle them."""
    await ledger.reserve(spender or Spender(ACCOUNT), cause, cents * CENT)
    await ledger.settle(cause, cents * CENT, usage)


def cents(credit: int, reserved: int = 0) -> Balance:
    """A balance in cents."""
    return Balance(credit * CENT, reserved * CENT)


async def rows(ledger: LedgerDatabase, sql: str, *values: str | int) -> list[Row]:
    """What one SELECT gives."""
    (found,) = await ledger.read(Statement(sql, values))
    return [tuple(row) for row in found]


async def assert_adds_up(ledger: LedgerDatabase) -> None:
    """Kept balances and totals are the sums of the entries, counted here and not by the node's own check."""
    sums: dict[str, int] = {}
    spent: dict[str, int] = {}
    for debit, credit, amount, key in await rows(
        ledger, "SELECT debit_book, credit_book, amount_microdollars, usage_key FROM ledger_entry"
    ):
        assert isinstance(amount, int)
        sums[str(debit)] = sums.get(str(debit), 0) - amount
        sums[str(credit)] = sums.get(str(credit), 0) + amount
        if key is not None:
            spent[str(key)] = spent.get(str(key), 0) + amount
    assert sum(sums.values()) == 0
    accounts = {book: total for book, total in sums.items() if book.startswith("account:")}
    kept = await rows(ledger, "SELECT book, balance_microdollars FROM ledger_account")
    assert {str(book): balance for book, balance in kept if balance or book in accounts} == accounts
    totals = await rows(ledger, "SELECT usage_key, spent_microdollars FROM ledger_usage_key")
    assert {str(key): total for key, total in totals if total or key in spent} == spent

"""The database itself keeps its entries, whoever is connected to it."""

import pytest

from node.database.port import Statement, StatementRefusedError
from node.ledger.port import LedgerDatabase, Spender
from tests.support.ledgers import ACCOUNT, CENT, KEY, assert_adds_up, cents, give, pay, rows
from tests.support.postgres_ledger import PostgresWorld

BOOK = f"account:0x{ACCOUNT:064x}"
COLUMNS = "(cause, at_ms, debit_book, credit_book, amount_microdollars)"


@pytest.mark.parametrize(
    "attempt",
    [
        "UPDATE ledger_entry SET amount_microdollars = 1",
        "UPDATE ledger_entry SET cause = 'other' WHERE cause = 'e1'",
        "UPDATE ledger_entry SET what = NULL",
        "DELETE FROM ledger_entry",
        "DELETE FROM ledger_entry WHERE cause = 'e1'",
        f"INSERT INTO ledger_entry {COLUMNS} VALUES ('e1', 1, '{BOOK}', 'write', 1)",
        f"INSERT INTO ledger_entry {COLUMNS} VALUES ('new', 1, '{BOOK}', 'write', -1)",
        f"INSERT INTO ledger_entry {COLUMNS} VALUES ('new', 1, '{BOOK}', '{BOOK}', 1)",
        f"INSERT INTO ledger_entry {COLUMNS} VALUES ('new', 1, 'card', 'write', 1)",
    ],
)
async def test_sql_that_would_change_the_past_or_invent_money_is_refused(ledger: LedgerDatabase, attempt: str) -> None:
    await give(ledger, 10)
    await pay(ledger, "e1", 3, Spender(ACCOUNT, KEY))
    before = await rows(ledger, "SELECT * FROM ledger_entry ORDER BY entry")
    with pytest.raises(Exception, match=r"(?i)never (changed|removed)|constraint|has that entry"):
        await ledger.execute(Statement(attempt))
    assert await rows(ledger, "SELECT * FROM ledger_entry ORDER BY entry") == before
    await assert_adds_up(ledger)


async def test_entries_are_not_removed_with_their_table_s_rows_either(postgres_world: PostgresWorld) -> None:
    """TRUNCATE asks no DELETE trigger."""
    ledger = await postgres_world.node("a")
    await give(ledger, 10)
    with pytest.raises(StatementRefusedError, match="never changed or removed"):
        await ledger.execute(Statement("TRUNCATE ledger_entry"))
    assert await rows(ledger, "SELECT cause FROM ledger_entry") == [("payment:pi_1",)]
    await ledger.close()


@pytest.mark.parametrize(
    "values", [f"(1, 'new', 1, 'card', '{BOOK}', 1)", f"(99, 'e1', 1, 'card', '{BOOK}', 1)"], ids=["number", "cause"]
)
async def test_replacing_an_entry_is_refused_too(sqlite_ledger: LedgerDatabase, values: str) -> None:
    """SQLite's REPLACE removes the row that is in the way without asking the DELETE trigger."""
    await give(sqlite_ledger, 10)
    await pay(sqlite_ledger, "e1", 3)
    columns = COLUMNS.replace("(", "(entry, ")
    with pytest.raises(Exception, match="has that entry"):
        await sqlite_ledger.execute(Statement(f"INSERT OR REPLACE INTO ledger_entry {columns} VALUES {values}"))
    assert await sqlite_ledger.balance(ACCOUNT) == cents(7)
    await assert_adds_up(sqlite_ledger)
    assert await rows(sqlite_ledger, "SELECT amount_microdollars FROM ledger_entry ORDER BY entry") == [
        (10 * CENT,),
        (3 * CENT,),
    ]

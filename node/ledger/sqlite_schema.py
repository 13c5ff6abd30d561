"""Tables of the ledger in SQLite. Entries in postgres_schema.py have the same columns.

The database keeps the rules. Entries are never changed or removed, and each has its own cause and
one customer account. Triggers update balances and usage keys' totals in the same transaction.
"""

from typing import Final

COMPONENT: Final = "ledger"

STEPS: Final = (
    """
    CREATE TABLE ledger_entry (
        entry INTEGER PRIMARY KEY,
        cause TEXT NOT NULL UNIQUE,
        at_ms INTEGER NOT NULL,
        debit_book TEXT NOT NULL,
        credit_book TEXT NOT NULL,
        amount_microdollars INTEGER NOT NULL CHECK (amount_microdollars >= 0),
        usage_key TEXT,
        what TEXT,
        request_id TEXT,
        duration_ms INTEGER,
        CHECK ((debit_book LIKE 'account:%') <> (credit_book LIKE 'account:%'))
    ) STRICT
    """,
    # Has all columns by which charges are counted and paged, so only a page's rows are looked up.
    """
    CREATE INDEX ledger_entry_debited ON ledger_entry (debit_book, at_ms, entry, credit_book, usage_key)
        WHERE debit_book LIKE 'account:%'
    """,
    "CREATE INDEX ledger_entry_credited ON ledger_entry (credit_book, at_ms, entry) WHERE credit_book LIKE 'account:%'",
    """
    CREATE TABLE ledger_account (
        book TEXT PRIMARY KEY,
        balance_microdollars INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE ledger_usage_key (
        usage_key TEXT PRIMARY KEY,
        spent_microdollars INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TRIGGER ledger_entry_counts AFTER INSERT ON ledger_entry BEGIN
        INSERT INTO ledger_account (book, balance_microdollars)
            SELECT NEW.credit_book, NEW.amount_microdollars WHERE NEW.credit_book LIKE 'account:%'
            ON CONFLICT (book) DO UPDATE
            SET balance_microdollars = balance_microdollars + excluded.balance_microdollars;
        INSERT INTO ledger_account (book, balance_microdollars)
            SELECT NEW.debit_book, -NEW.amount_microdollars WHERE NEW.debit_book LIKE 'account:%'
            ON CONFLICT (book) DO UPDATE
            SET balance_microdollars = balance_microdollars + excluded.balance_microdollars;
        INSERT INTO ledger_usage_key (usage_key, spent_microdollars)
            SELECT NEW.usage_key, NEW.amount_microdollars WHERE NEW.usage_key IS NOT NULL
            ON CONFLICT (usage_key) DO UPDATE
            SET spent_microdollars = spent_microdollars + excluded.spent_microdollars;
    END
    """,
    # REPLACE deletes rows without firing the DELETE trigger, so the insert is refused first.
    """
    CREATE TRIGGER ledger_entry_once BEFORE INSERT ON ledger_entry
        WHEN EXISTS (SELECT 1 FROM ledger_entry WHERE cause = NEW.cause OR entry = NEW.entry)
        BEGIN SELECT RAISE(ABORT, 'the ledger has that entry'); END
    """,
    """
    CREATE TRIGGER ledger_entry_unchanged BEFORE UPDATE ON ledger_entry
        BEGIN SELECT RAISE(ABORT, 'ledger entries are never changed'); END
    """,
    """
    CREATE TRIGGER ledger_entry_kept BEFORE DELETE ON ledger_entry
        BEGIN SELECT RAISE(ABORT, 'ledger entries are never removed'); END
    """,
)

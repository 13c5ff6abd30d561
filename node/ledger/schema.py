"""Tables of the ledger in SQLite and PostgreSQL: entries, balances, usage keys' totals, allotments.

The database keeps the rules. Entries are never changed or removed, and each has its own cause and
one customer account. Triggers update balances and usage keys' totals in the same transaction.
PostgreSQL, which several processes share, also has their allotments and the causes that they
released; its entries are numbered as they begin, not as they commit. The leases are rows of
node/database/lease.py.
"""

from typing import Final

COMPONENT: Final = "ledger"

SQLITE_STEPS: Final = (
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

# Half of each page of balances stays free. A charge updates a row within its page if there is space
# (as a heap-only tuple), without index writes.
_ENTRIES: Final = """
CREATE TABLE ledger_entry (
    entry BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cause TEXT NOT NULL UNIQUE,
    at_ms BIGINT NOT NULL,
    debit_book TEXT NOT NULL,
    credit_book TEXT NOT NULL,
    amount_microdollars BIGINT NOT NULL CHECK (amount_microdollars >= 0),
    usage_key TEXT,
    what TEXT,
    request_id TEXT,
    duration_ms BIGINT,
    CHECK ((debit_book LIKE 'account:%') <> (credit_book LIKE 'account:%'))
);
CREATE INDEX ledger_entry_debited ON ledger_entry (debit_book, at_ms, entry, credit_book, usage_key)
    WHERE debit_book LIKE 'account:%';
CREATE INDEX ledger_entry_credited ON ledger_entry (credit_book, at_ms, entry) WHERE credit_book LIKE 'account:%';

CREATE TABLE ledger_account (
    book TEXT PRIMARY KEY,
    balance_microdollars BIGINT NOT NULL,
    reserved_microdollars BIGINT NOT NULL DEFAULT 0 CHECK (reserved_microdollars >= 0)
) WITH (fillfactor = 50);

CREATE TABLE ledger_usage_key (
    usage_key TEXT PRIMARY KEY,
    spent_microdollars BIGINT NOT NULL,
    reserved_microdollars BIGINT NOT NULL DEFAULT 0 CHECK (reserved_microdollars >= 0)
) WITH (fillfactor = 50);
"""

# Balances are updated in key order: a transaction that waits for a row holds only rows before it.
_ENTRIES_COUNT: Final = """
CREATE FUNCTION ledger_entry_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ledger_account AS kept (book, balance_microdollars)
        SELECT moved.book, sum(moved.amount) FROM (
            SELECT credit_book AS book, amount_microdollars AS amount FROM fresh WHERE credit_book LIKE 'account:%'
            UNION ALL
            SELECT debit_book, -amount_microdollars FROM fresh WHERE debit_book LIKE 'account:%'
        ) AS moved GROUP BY moved.book ORDER BY moved.book
        ON CONFLICT (book) DO UPDATE
        SET balance_microdollars = kept.balance_microdollars + excluded.balance_microdollars;
    INSERT INTO ledger_usage_key AS kept (usage_key, spent_microdollars)
        SELECT usage_key, sum(amount_microdollars) FROM fresh WHERE usage_key IS NOT NULL
        GROUP BY usage_key ORDER BY usage_key
        ON CONFLICT (usage_key) DO UPDATE SET spent_microdollars = kept.spent_microdollars + excluded.spent_microdollars;
    RETURN NULL;
END $$;
CREATE TRIGGER ledger_entry_counts AFTER INSERT ON ledger_entry
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION ledger_entry_counts();

CREATE FUNCTION ledger_entry_unchanged() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'ledger entries are never changed or removed';
END $$;
CREATE TRIGGER ledger_entry_unchanged BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entry
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_entry_unchanged();
"""

# Release 0.1.0 kept a row for each reservation. Its step is only counted: the next removes them.
_RESERVATIONS: Final = "SELECT 1"

# Reservations moved into the memory of their processes. All nodes are stopped for this step: an
# earlier release cannot work without the tables that it removes.
_ALLOTMENTS: Final = """
DROP TABLE IF EXISTS ledger_reservation;
DROP FUNCTION IF EXISTS ledger_reservation_counts();
ALTER TABLE ledger_account DROP COLUMN reserved_microdollars;
ALTER TABLE ledger_usage_key DROP COLUMN reserved_microdollars;

CREATE TABLE ledger_allotment (
    name TEXT NOT NULL,
    holder TEXT NOT NULL,
    amount_microdollars BIGINT NOT NULL CHECK (amount_microdollars >= 0),
    PRIMARY KEY (name, holder)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX ledger_allotment_holder ON ledger_allotment (holder);

CREATE TABLE ledger_released (
    cause TEXT PRIMARY KEY,
    released_ms BIGINT NOT NULL DEFAULT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)
);
CREATE INDEX ledger_released_at ON ledger_released (released_ms);
"""

POSTGRES_STEPS: Final = (_ENTRIES, _ENTRIES_COUNT, _RESERVATIONS, _ALLOTMENTS)

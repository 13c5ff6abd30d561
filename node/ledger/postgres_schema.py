"""Tables of the ledger in PostgreSQL: those of sqlite_schema.py, and reservations with their sums.

The database keeps the rules. Entries are never changed or removed, and each has its own cause and
one customer account. Triggers update balances, usage keys' totals and reserved amounts in the same
transaction. Entries are numbered as they begin, not as they commit. The nodes' leases are rows of
node/database/lease.py.
"""

from typing import Final

COMPONENT: Final = "ledger"

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

# Reservations live for seconds. Vacuum at 2 % of changes, not 20 %, to keep dead rows few.
_RESERVATIONS: Final = """
CREATE TABLE ledger_reservation (
    cause TEXT PRIMARY KEY,
    book TEXT NOT NULL,
    usage_key TEXT,
    cap_microdollars BIGINT NOT NULL,
    amount_microdollars BIGINT NOT NULL CHECK (amount_microdollars >= 0),
    state TEXT NOT NULL CHECK (state IN ('held', 'expired', 'released')),
    holder TEXT NOT NULL,
    changed_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX ledger_reservation_held ON ledger_reservation (holder) WHERE state = 'held';
CREATE INDEX ledger_reservation_idle ON ledger_reservation (changed_at) WHERE state = 'held';
CREATE INDEX ledger_reservation_done ON ledger_reservation (changed_at) WHERE state <> 'held';

CREATE FUNCTION ledger_reservation_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        UPDATE ledger_account AS kept SET reserved_microdollars = kept.reserved_microdollars - given.amount
            FROM (SELECT book, sum(amount_microdollars) AS amount FROM gone WHERE state = 'held' GROUP BY book) AS given
            WHERE kept.book = given.book;
        UPDATE ledger_usage_key AS kept SET reserved_microdollars = kept.reserved_microdollars - given.amount
            FROM (SELECT usage_key, sum(amount_microdollars) AS amount FROM gone WHERE state = 'held' GROUP BY usage_key)
            AS given WHERE kept.usage_key = given.usage_key;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO ledger_account AS kept (book, balance_microdollars, reserved_microdollars)
            SELECT book, 0, sum(amount_microdollars) FROM fresh WHERE state = 'held' GROUP BY book ORDER BY book
            ON CONFLICT (book) DO UPDATE
            SET reserved_microdollars = kept.reserved_microdollars + excluded.reserved_microdollars;
        INSERT INTO ledger_usage_key AS kept (usage_key, spent_microdollars, reserved_microdollars)
            SELECT usage_key, 0, sum(amount_microdollars) FROM fresh WHERE state = 'held' AND usage_key IS NOT NULL
            GROUP BY usage_key ORDER BY usage_key
            ON CONFLICT (usage_key) DO UPDATE
            SET reserved_microdollars = kept.reserved_microdollars + excluded.reserved_microdollars;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER ledger_reservation_made AFTER INSERT ON ledger_reservation
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION ledger_reservation_counts();
CREATE TRIGGER ledger_reservation_changed AFTER UPDATE ON ledger_reservation
    REFERENCING OLD TABLE AS gone NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION ledger_reservation_counts();
CREATE TRIGGER ledger_reservation_ended AFTER DELETE ON ledger_reservation
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION ledger_reservation_counts();
"""

STEPS: Final = (_ENTRIES, _ENTRIES_COUNT, _RESERVATIONS)

# Locks for changes of reservations. All transactions take them in one order, to avoid deadlocks.
FOR_UPDATE: Final = "FOR UPDATE\n"
LOCK_ACCOUNTS: Final = """
SELECT book, balance_microdollars, reserved_microdollars FROM ledger_account
WHERE book = ANY(ARRAY(
    SELECT unnest($1::text[]) UNION SELECT book FROM ledger_reservation WHERE cause = ANY($2::text[])
)) ORDER BY book FOR UPDATE
"""
LOCK_USAGE_KEYS: Final = """
SELECT usage_key, spent_microdollars, reserved_microdollars FROM ledger_usage_key
WHERE usage_key = ANY(ARRAY(
    SELECT unnest($1::text[]) UNION SELECT usage_key FROM ledger_reservation WHERE cause = ANY($2::text[])
)) ORDER BY usage_key FOR UPDATE
"""

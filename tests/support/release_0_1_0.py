"""Tables of release 0.1.0 that later ones remove."""

from typing import Final

RESERVATIONS: Final = """
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
"""Third step of the ledger in PostgreSQL."""

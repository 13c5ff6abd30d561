"""What must hold in PostgreSQL besides: of reservations, which are rows here (SQLite's are in memory), and of triggers."""

from typing import Final

from node.ledger.check import Rule

ORPHANED_AFTER_S: Final = 120
"""A lease that lapsed so long ago would have been noticed by any node that lives, several times over."""

TRIGGER_RULE: Final = Rule(
    "the triggers that keep the tables are there and in force",
    "ledger",
    """
    SELECT wanted.name FROM (
        SELECT 'ledger_entry_counts' AS name UNION ALL SELECT 'ledger_entry_unchanged'
        UNION ALL SELECT 'ledger_reservation_made' UNION ALL SELECT 'ledger_reservation_changed'
        UNION ALL SELECT 'ledger_reservation_ended'
    ) AS wanted WHERE NOT EXISTS (
        SELECT 1 FROM pg_trigger WHERE tgname = wanted.name AND tgenabled IN ('O', 'A')
        AND tgrelid IN (to_regclass('ledger_entry'), to_regclass('ledger_reservation'))
    ) ORDER BY wanted.name
    """,
    ("missing",),
)

RESERVATION_RULES: Final = (
    Rule(
        "no reservation is held by a node that is gone",
        "ledger",
        """
        SELECT cause, book, amount_microdollars, holder FROM ledger_reservation AS held
        WHERE state = 'held' AND NOT EXISTS (
            SELECT 1 FROM ledger_lease WHERE ledger_lease.holder = held.holder
            AND expires_at > clock_timestamp() - make_interval(secs => CAST(? AS double precision))
        ) ORDER BY cause
        """,
        ("cause", "book", "amount_microdollars", "holder"),
        (ORPHANED_AFTER_S,),
    ),
    Rule(
        "nothing is reserved for what was charged already",
        "ledger",
        """
        SELECT held.cause, held.book, held.amount_microdollars FROM ledger_reservation AS held
        JOIN ledger_entry ON ledger_entry.cause = held.cause WHERE held.state = 'held' ORDER BY held.cause
        """,
        ("cause", "book", "amount_microdollars"),
    ),
    Rule(
        "what is set aside of every account and usage key is the sum of its reservations",
        "ledger",
        """
        SELECT name, kept, counted FROM (
            SELECT name, SUM(kept) AS kept, SUM(counted) AS counted FROM (
                SELECT book AS name, reserved_microdollars AS kept, 0 AS counted FROM ledger_account
                UNION ALL SELECT usage_key, reserved_microdollars, 0 FROM ledger_usage_key
                UNION ALL SELECT book, 0, amount_microdollars FROM ledger_reservation WHERE state = 'held'
                UNION ALL SELECT usage_key, 0, amount_microdollars FROM ledger_reservation
                    WHERE state = 'held' AND usage_key IS NOT NULL
            ) AS amounts GROUP BY name
        ) AS sums WHERE kept <> counted ORDER BY name
        """,
        ("book_or_usage_key", "kept_microdollars", "counted_microdollars"),
    ),
)

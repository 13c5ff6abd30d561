"""Tables of card payments in the ledger's database.

Accounts are u256 hex, times whole unix seconds, money cents.
"""

from typing import Final

from node.database.port import Database, Row, Statement, Value

COMPONENT: Final = "payments"

CLAIM_S: Final = 120
"""Seconds of a node's claim on the sweep or on rows of the outbox, longer than any round."""
OVERLAP_S: Final = 3600
"""Seconds by which events and payments are listed again, since they may be listed late."""

# Append only. `Database.migrate` records steps by number (node/database/migrations.py).
STEPS: Final = (
    """CREATE TABLE payments_customer (
        account TEXT PRIMARY KEY,
        customer TEXT,
        email TEXT,
        asked_s BIGINT NOT NULL,
        seen_transaction TEXT,
        looked_at_s BIGINT NOT NULL DEFAULT 0,
        changed BIGINT NOT NULL DEFAULT 0,
        mirrored_cents BIGINT NOT NULL DEFAULT 0,
        mirrored_rows BIGINT NOT NULL DEFAULT 0,
        mirror_turn TEXT NOT NULL DEFAULT ''
    )""",
    "CREATE UNIQUE INDEX payments_customer_by_customer ON payments_customer (customer)",
    "CREATE INDEX payments_customer_waiting ON payments_customer (asked_s) WHERE customer IS NULL",
    "CREATE INDEX payments_customer_looked ON payments_customer (looked_at_s)",
    "CREATE INDEX payments_customer_changed ON payments_customer (changed) WHERE changed > 0",
    """CREATE TABLE payments_payment (
        payment TEXT PRIMARY KEY,
        account TEXT NOT NULL,
        amount_cents BIGINT NOT NULL,
        intent TEXT,
        status TEXT NOT NULL,
        received_cents BIGINT,
        created_s BIGINT NOT NULL,
        look_at_s BIGINT NOT NULL,
        turn TEXT NOT NULL DEFAULT ''
    )""",
    "CREATE UNIQUE INDEX payments_payment_by_intent ON payments_payment (intent)",
    """CREATE INDEX payments_payment_unfinished ON payments_payment (look_at_s)
        WHERE received_cents IS NULL AND intent IS NOT NULL""",
    """CREATE TABLE payments_reversal (
        cause TEXT PRIMARY KEY,
        object TEXT NOT NULL,
        intent TEXT NOT NULL,
        wanted_cents BIGINT NOT NULL,
        takes_back BIGINT NOT NULL,
        cents BIGINT,
        posted BIGINT NOT NULL DEFAULT 0,
        look_at_s BIGINT NOT NULL
    )""",
    "CREATE INDEX payments_reversal_by_intent ON payments_reversal (intent)",
    "CREATE INDEX payments_reversal_open ON payments_reversal (look_at_s) WHERE posted = 0",
    "CREATE TABLE payments_event (event TEXT PRIMARY KEY, handled_s BIGINT NOT NULL)",
    "CREATE INDEX payments_event_handled ON payments_event (handled_s)",
    "CREATE TABLE payments_grant (grant_id TEXT PRIMARY KEY, account TEXT NOT NULL, cents BIGINT NOT NULL)",
    "CREATE INDEX payments_grant_by_account ON payments_grant (account)",
    """CREATE TABLE payments_delta (
        account TEXT PRIMARY KEY,
        number BIGINT NOT NULL,
        customer TEXT NOT NULL,
        cents BIGINT NOT NULL,
        after_transaction TEXT,
        created_s BIGINT NOT NULL,
        claimed_until_s BIGINT NOT NULL DEFAULT 0
    )""",
    "CREATE INDEX payments_delta_by_age ON payments_delta (created_s)",
    """CREATE TABLE payments_cursor (
        name TEXT PRIMARY KEY, value BIGINT NOT NULL, claimed_until_s BIGINT NOT NULL DEFAULT 0
    )""",
    "CREATE INDEX payments_payment_unpaid ON payments_payment (created_s) WHERE received_cents IS NULL",
)
"""payments_customer: `customer` and the encrypted `email` exclude each other. `mirrored_cents` is
the sum of its deltas. `looked_at_s` is the last failed creation, then the last read of its balance.
payments_payment: `received_cents` is set once the payment is credited.
payments_reversal: `cents` is its change of the account's credit, fixed before it is posted.
payments_delta: unsent balance changes, one row for each account.
"""


async def select(database: Database, sql: str, *values: Value) -> list[Row]:
    """Returns the rows of one SELECT. Raises LedgerUnavailableError."""
    (rows,) = await database.execute(Statement(sql, values))
    return list(rows)

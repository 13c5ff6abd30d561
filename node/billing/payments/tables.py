"""Tables of card payments in the ledger's database.

Accounts are u256 hex, times whole unix seconds, money cents.
"""

from typing import Final

from node.database.port import Database, Row, Statement, Value

COMPONENT: Final = "payments"

CLAIM_S: Final = 120
"""Time for which one node of several keeps a sweep, or rows of the outbox, to itself: above any round, below a patience."""
OVERLAP_S: Final = 3600
"""Events, and payments, are asked for from so much earlier again: the processor may list them late."""

# Only ever appended to: `Database.migrate` knows by their number which were run (see node/database/migrations.py).
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
"""payments_customer: `customer` and `email`, which is sealed (customers.py), are never there together; `mirrored_cents` is what its deltas add up to;
`looked_at_s` is when making it failed, then when its balance was looked at.
payments_payment: `received_cents` is there once the payment is credited.
payments_reversal: `cents` is what it changes the account's credit by, fixed before it is posted.
payments_delta: balance changes that the processor has yet to receive, one row an account.
"""


async def select(database: Database, sql: str, *values: Value) -> list[Row]:
    """Return the rows of one SELECT. Raises LedgerUnavailableError."""
    (rows,) = await database.execute(Statement(sql, values))
    return list(rows)

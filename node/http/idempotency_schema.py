"""The tables behind Idempotency-Key in the ledger's database. Ids, MACs and sealed answers are text, times unix microseconds."""

from typing import Final

COMPONENT: Final = "idempotency"

ROW_BYTES: Final = 400
"""What a row takes beside its answer, about."""

STEPS: Final = (
    f"""CREATE TABLE idempotency (
        id TEXT PRIMARY KEY,
        body_mac TEXT NOT NULL,
        created_us BIGINT NOT NULL,
        holder TEXT NOT NULL,
        claim TEXT NOT NULL,
        claims BIGINT NOT NULL DEFAULT 1,
        finished_us BIGINT,
        shows_secret BIGINT NOT NULL DEFAULT 0,
        refused BIGINT NOT NULL DEFAULT 0,
        size_bytes BIGINT NOT NULL DEFAULT {ROW_BYTES},
        sealed TEXT
    )""",
    "CREATE INDEX idempotency_by_age ON idempotency (created_us)",
    """CREATE INDEX idempotency_secrets ON idempotency (finished_us)
        WHERE shows_secret = 1 AND sealed IS NOT NULL""",
    "CREATE INDEX idempotency_open ON idempotency (holder) WHERE finished_us IS NULL",
    "CREATE TABLE idempotency_life (life TEXT PRIMARY KEY, beat BIGINT NOT NULL)",
    "ALTER TABLE idempotency DROP COLUMN refused",
    "ALTER TABLE idempotency ADD COLUMN owner TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE idempotency ADD COLUMN counted_bytes BIGINT NOT NULL DEFAULT 0",
    "CREATE INDEX idempotency_uncounted ON idempotency (owner) WHERE size_bytes <> counted_bytes",
    """CREATE TABLE idempotency_owner (
        owner TEXT PRIMARY KEY,
        claims BIGINT NOT NULL,
        bytes BIGINT NOT NULL DEFAULT 0,
        answers BIGINT NOT NULL DEFAULT 0
    )""",
)
"""idempotency: `claim` is the token of the last claim, '' when it was given up; `holder` is the life of a node that made it;
`claims` counts them. `finished_us` is there from the final answer on.
`owner` is a MAC of the account, or of the client address of a caller without a key, whose share the row counts against;
`size_bytes` is what it takes of it: from the claim on the largest answer that the request may get, from the end on what is stored,
0 when it is about to be dropped. `counted_bytes` is the part of it that its owner's `bytes` hold: the same after each transaction.
idempotency_owner: what the rows of an owner take together, kept so that a claim need not add them up. `claims` changes in
order to lock the row.
idempotency_life: lives of nodes; each counts its own `beat` up for as long as it lasts.
"""

"""The journal's tables (SQLite). A row of `chain_write` never exists without the signed bytes of its first attempt."""

from typing import Final

COMPONENT: Final = "chain_writes"

STEPS: Final = (
    """
    CREATE TABLE payer_nonce (
        chain_id INTEGER NOT NULL,
        payer TEXT NOT NULL,
        next_nonce INTEGER NOT NULL,
        PRIMARY KEY (chain_id, payer)
    ) STRICT
    """,
    """
    CREATE TABLE chain_write (
        row_id INTEGER PRIMARY KEY AUTOINCREMENT,
        chain_id INTEGER NOT NULL,
        payer TEXT NOT NULL,
        nonce INTEGER NOT NULL,
        purpose TEXT NOT NULL,
        recipient TEXT NOT NULL,
        data BLOB NOT NULL,
        value TEXT NOT NULL,
        gas_limit INTEGER NOT NULL,
        write_id TEXT UNIQUE,
        idempotency_id TEXT,
        intent TEXT,
        answer BLOB,
        journaled_at REAL NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('open', 'mined', 'failed')),
        outcome TEXT,
        block_number INTEGER,
        ended_at REAL,
        told INTEGER NOT NULL DEFAULT 0,
        UNIQUE (chain_id, payer, nonce)
    ) STRICT
    """,
    # One request, one write: the database itself refuses a second that is not known to have failed.
    """
    CREATE UNIQUE INDEX chain_write_once ON chain_write (idempotency_id)
        WHERE idempotency_id IS NOT NULL AND state <> 'failed'
    """,
    "CREATE INDEX chain_write_idempotency ON chain_write (idempotency_id) WHERE idempotency_id IS NOT NULL",
    "CREATE INDEX chain_write_unfinished ON chain_write (chain_id, state, told) WHERE state = 'open' OR told = 0",
    "CREATE INDEX chain_write_ended ON chain_write (ended_at) WHERE ended_at IS NOT NULL",
    """
    CREATE TABLE write_attempt (
        row_id INTEGER NOT NULL REFERENCES chain_write ON DELETE CASCADE,
        ordinal INTEGER NOT NULL,
        hash TEXT NOT NULL UNIQUE,
        raw BLOB NOT NULL,
        max_fee TEXT NOT NULL,
        priority_fee TEXT NOT NULL,
        cancels INTEGER NOT NULL,
        stored_at REAL NOT NULL,
        PRIMARY KEY (row_id, ordinal)
    ) STRICT
    """,
)

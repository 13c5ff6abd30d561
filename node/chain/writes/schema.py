"""The journal's tables in the ledger's database. A row of `chain_write` never exists without its first signed bytes.

Addresses and hashes are 0x hex, `data`, `raw` and `answer` hex without 0x, amounts of wei decimal text, times unix
microseconds. Every row belongs to an instance: several nodes keep theirs in one database.
"""

from typing import Final

COMPONENT: Final = "write_journal"

STEPS: Final = (
    # `holder` is the life of the node that may sign for this payer: see holding.py.
    """
    CREATE TABLE write_payer (
        chain_id BIGINT NOT NULL,
        instance TEXT NOT NULL,
        payer TEXT NOT NULL,
        next_nonce BIGINT NOT NULL,
        holder TEXT NOT NULL,
        PRIMARY KEY (chain_id, instance, payer)
    )
    """,
    # The instance is part of the key for the admin payer alone, whose nonces all instances race for on the chain.
    """
    CREATE TABLE chain_write (
        chain_id BIGINT NOT NULL,
        instance TEXT NOT NULL,
        payer TEXT NOT NULL,
        nonce BIGINT NOT NULL,
        purpose TEXT NOT NULL,
        recipient TEXT NOT NULL,
        data TEXT NOT NULL,
        value TEXT NOT NULL,
        gas_limit BIGINT NOT NULL,
        write_id TEXT,
        idempotency_id TEXT,
        intent TEXT,
        answer TEXT,
        journaled_at_us BIGINT NOT NULL,
        first_hash TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('open', 'mined', 'failed')),
        outcome TEXT,
        block_number BIGINT,
        ended_at_us BIGINT,
        told BIGINT NOT NULL,
        PRIMARY KEY (chain_id, instance, payer, nonce)
    )
    """,
    "CREATE UNIQUE INDEX chain_write_id ON chain_write (chain_id, write_id)",
    # One request, one write: the database itself refuses a second that is not known to have failed, of any instance.
    """
    CREATE UNIQUE INDEX chain_write_once ON chain_write (chain_id, idempotency_id)
        WHERE idempotency_id IS NOT NULL AND state <> 'failed'
    """,
    """
    CREATE INDEX chain_write_idempotency ON chain_write (chain_id, idempotency_id) WHERE idempotency_id IS NOT NULL
    """,
    """
    CREATE INDEX chain_write_unfinished ON chain_write (chain_id, instance, payer) WHERE state = 'open' OR told = 0
    """,
    "CREATE INDEX chain_write_ended ON chain_write (chain_id, instance, ended_at_us) WHERE ended_at_us IS NOT NULL",
    """
    CREATE TABLE write_attempt (
        chain_id BIGINT NOT NULL,
        instance TEXT NOT NULL,
        payer TEXT NOT NULL,
        nonce BIGINT NOT NULL,
        ordinal BIGINT NOT NULL,
        hash TEXT NOT NULL,
        raw TEXT NOT NULL,
        max_fee TEXT NOT NULL,
        priority_fee TEXT NOT NULL,
        cancels BIGINT NOT NULL,
        stored_at_us BIGINT NOT NULL,
        PRIMARY KEY (chain_id, instance, payer, nonce, ordinal),
        UNIQUE (chain_id, instance, hash),
        FOREIGN KEY (chain_id, instance, payer, nonce) REFERENCES chain_write ON DELETE CASCADE
    )
    """,
)

"""The tables of token payments, beside the ledger's own in its database."""

from typing import Final

COMPONENT: Final = "token_payments"

STEPS: Final = (
    """
    CREATE TABLE token_cursor (
        chain_id BIGINT NOT NULL,
        contract TEXT NOT NULL,
        block_number BIGINT NOT NULL,
        block_hash TEXT NOT NULL,
        PRIMARY KEY (chain_id, contract)
    )
    """,
    """
    CREATE TABLE token_deposit (
        chain_id BIGINT NOT NULL,
        tx TEXT NOT NULL,
        log_index BIGINT NOT NULL,
        contract TEXT NOT NULL,
        block_number BIGINT NOT NULL,
        block_hash TEXT NOT NULL,
        account TEXT NOT NULL,
        payer TEXT NOT NULL,
        token TEXT NOT NULL,
        amount TEXT NOT NULL,
        seen_at BIGINT NOT NULL,
        status TEXT NOT NULL,
        reason TEXT NOT NULL,
        symbol TEXT NOT NULL,
        decimals BIGINT NOT NULL,
        microdollars_per_token BIGINT NOT NULL,
        microdollars BIGINT NOT NULL,
        PRIMARY KEY (chain_id, tx, log_index)
    )
    """,
    "CREATE INDEX token_deposit_of_account ON token_deposit (account, chain_id, block_number, log_index)",
    "CREATE INDEX token_deposit_by_status ON token_deposit (chain_id, contract, status)",
)

"""What must hold between the deposits' table and the ledger's entries."""

from typing import Final

from node.billing.tokens.schema import COMPONENT
from node.ledger.check import Rule

DEPOSIT_RULES: Final = (
    Rule(
        "a token deposit is credited when it is entered, with its account and amount, and not otherwise",
        COMPONENT,
        """
        SELECT d.chain_id, d.tx, d.log_index, d.account, d.status FROM token_deposit d
        LEFT JOIN ledger_entry e ON e.cause = 'token:' || d.chain_id || ':' || d.tx || ':' || d.log_index
        WHERE (d.status = 'credited') <> (e.entry IS NOT NULL)
            OR (e.entry IS NOT NULL AND (
                e.debit_book <> 'token' OR e.credit_book <> 'account:' || d.account
                OR e.amount_microdollars <> d.microdollars
            ))
        ORDER BY d.chain_id, d.tx, d.log_index
        """,
        ("chain_id", "transaction", "log_index", "account", "status"),
    ),
    Rule(
        "every token deposit that is entered was seen",
        COMPONENT,
        """
        SELECT e.cause, e.credit_book, e.amount_microdollars FROM ledger_entry e
        WHERE e.debit_book = 'token' AND NOT EXISTS (
            SELECT 1 FROM token_deposit d
            WHERE 'token:' || d.chain_id || ':' || d.tx || ':' || d.log_index = e.cause
        ) ORDER BY e.entry
        """,
        ("cause", "book", "amount_microdollars"),
    ),
)

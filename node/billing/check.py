"""Consistency rules between payment tables and ledger entries, and the outbox's maximum age."""

from collections.abc import Sequence
from typing import Final

from node.billing.payments.tables import COMPONENT as PAYMENTS
from node.billing.tokens.book import COMPONENT as TOKENS
from node.ledger.check import Rule

# In both directions. A row without an entry is a payment without credit; an entry without a row
# is credit without a payment.
_PAYMENT_RULES: Final = (
    Rule(
        "every card payment that was received is entered, with its account and amount",
        PAYMENTS,
        """
        SELECT p.intent, p.account, p.received_cents FROM payments_payment p
        LEFT JOIN ledger_entry e ON e.cause = 'payment:' || p.intent
        WHERE p.received_cents > 0 AND (
            e.entry IS NULL OR e.debit_book <> 'card' OR e.credit_book <> 'account:' || p.account
            OR e.amount_microdollars <> p.received_cents * 10000
        ) ORDER BY p.intent
        """,
        ("payment_intent", "account", "received_cents"),
    ),
    Rule(
        "every card payment that is entered was received",
        PAYMENTS,
        """
        SELECT e.cause, e.credit_book, e.amount_microdollars FROM ledger_entry e
        WHERE e.debit_book = 'card' AND e.cause LIKE 'payment:%' AND NOT EXISTS (
            SELECT 1 FROM payments_payment p WHERE p.intent = SUBSTR(e.cause, 9) AND p.received_cents IS NOT NULL
        ) ORDER BY e.entry
        """,
        ("cause", "book", "amount_microdollars"),
    ),
    Rule(
        "every refund and dispute that was counted is entered, as its payment's",
        PAYMENTS,
        """
        SELECT r.cause, r.intent, r.cents FROM payments_reversal r
        LEFT JOIN payments_payment p ON p.intent = r.intent
        LEFT JOIN ledger_entry e ON e.cause = r.cause
        WHERE r.posted = 1 AND r.cents <> 0 AND (
            e.entry IS NULL OR p.account IS NULL OR e.amount_microdollars <> ABS(r.cents) * 10000
            OR e.debit_book <> CASE WHEN r.cents < 0 THEN 'account:' || p.account ELSE 'card' END
            OR e.credit_book <> CASE WHEN r.cents < 0 THEN 'card' ELSE 'account:' || p.account END
        ) ORDER BY r.cause
        """,
        ("cause", "payment_intent", "cents"),
    ),
    Rule(
        "every refund and dispute that is entered was counted",
        PAYMENTS,
        """
        SELECT e.cause, e.debit_book, e.credit_book, e.amount_microdollars FROM ledger_entry e
        WHERE 'card' IN (e.debit_book, e.credit_book) AND NOT (e.debit_book = 'card' AND e.cause LIKE 'payment:%')
            AND NOT EXISTS (SELECT 1 FROM payments_reversal r WHERE r.cause = e.cause AND r.cents IS NOT NULL)
        ORDER BY e.entry
        """,
        ("cause", "debit_book", "credit_book", "amount_microdollars"),
    ),
)


def payment_rules(now_s: float, outbox_max_age_s: float) -> Sequence[Rule]:
    """Returns the rules of card payments at `now_s` (unix seconds)."""
    # Young rows are normal, since the processor may be slow or unavailable.
    oldest_s = int(now_s - outbox_max_age_s)
    return (
        *_PAYMENT_RULES,
        Rule(
            "all credit was sent to the card processor in time",
            PAYMENTS,
            """
            SELECT account, customer, cents, created_s FROM payments_delta WHERE created_s < ? ORDER BY created_s
            """,
            ("account", "customer", "cents", "since_s"),
            (oldest_s,),
        ),
        Rule(
            "every account became a customer of the card processor in time",
            PAYMENTS,
            """
            SELECT account, asked_s FROM payments_customer WHERE customer IS NULL AND asked_s < ? ORDER BY asked_s
            """,
            ("account", "since_s"),
            (oldest_s,),
        ),
    )


DEPOSIT_RULES: Final = (
    Rule(
        "a token deposit is credited when it is entered, with its account and amount, and not otherwise",
        TOKENS,
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
        TOKENS,
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

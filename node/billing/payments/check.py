"""What must hold between the payments' tables and the ledger's entries, and how long the outbox may take."""

from collections.abc import Sequence
from typing import Final

from node.billing.payments.tables import COMPONENT
from node.ledger.check import Rule

_OF_MONEY: Final = (
    Rule(
        "every card payment that was received is entered, with its account and amount",
        COMPONENT,
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
        COMPONENT,
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
        COMPONENT,
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
        COMPONENT,
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
    """The rules as they are at `now_s` (unix seconds)."""
    oldest_s = int(now_s - outbox_max_age_s)
    return (
        *_OF_MONEY,
        Rule(
            "the card processor was told of all credit in time",
            COMPONENT,
            """
            SELECT account, customer, cents, created_s FROM payments_delta WHERE created_s < ? ORDER BY created_s
            """,
            ("account", "customer", "cents", "since_s"),
            (oldest_s,),
        ),
        Rule(
            "every account became a customer of the card processor in time",
            COMPONENT,
            """
            SELECT account, asked_s FROM payments_customer WHERE customer IS NULL AND asked_s < ? ORDER BY asked_s
            """,
            ("account", "since_s"),
            (oldest_s,),
        ),
    )

"""Balances of the card processor's customers, both ways: credit that the operator gave there, and what it is told of ours.

A delta is durable, with its amount and idempotency key, before it is sent, and an account has one at a time: what
changes meanwhile is in the next. Parts of a cent stay until they add up to one. Each change that the operator made by
hand enters the ledger once.
"""

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from node.billing.payments.settlement import PaymentMetrics
from node.billing.payments.tables import select
from node.database.port import Database, Row, Statement, text, text_or_none, whole
from node.ledger.entries import ACCOUNT_PREFIX
from node.ledger.port import MICRODOLLARS_PER_CENT, Posting, Postings, Source
from node.processor.port import BalanceTransaction, CardProcessor, Fault, ProcessorError

_FROM_THE_START: Final = ""
_ACCOUNTS_PER_COMMIT: Final = 20
"""A commit of so many takes some milliseconds, for which settlements wait."""
ACCOUNTS_PER_ROUND: Final = 20_000
"""Accounts whose balance is compared in one round; the next one begins after them."""
DELTAS_PER_ROUND: Final = 200

LARGEST_CENTS: Final = 99_999_999
"""Largest delta, either way: the processor takes amounts of eight digits (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts).
A larger difference, of a token payment, is sent in the rounds that follow.
"""

_PAGE: Final = """
    SELECT account FROM payments_customer WHERE account > ? AND customer IS NOT NULL ORDER BY account LIMIT ?
"""

_LAST_OF_PAGE: Final = f"SELECT MAX(account), COUNT(*) FROM ({_PAGE}) AS page"  # noqa: S608 - the text above

# Both databases divide towards zero, where cents are to be rounded down: hence the comparison with a whole cent.
_DIFFERING: Final = f"""
    SELECT account, customer, seen_transaction, mirrored_rows, sent_cents, balance FROM (
        SELECT c.account, c.customer, c.seen_transaction, c.mirrored_rows,
            c.mirrored_cents + (
                SELECT CAST(COALESCE(SUM(g.cents), 0) AS BIGINT) FROM payments_grant g WHERE g.account = c.account
            ) AS sent_cents,
            COALESCE(l.balance_microdollars, 0) AS balance
        FROM payments_customer c
        LEFT JOIN ledger_account l ON l.book = ? || c.account
        LEFT JOIN payments_delta d ON d.account = c.account
        WHERE c.account IN ({_PAGE}) AND d.number IS NULL
    ) AS differences
    WHERE balance < sent_cents * {MICRODOLLARS_PER_CENT} OR balance >= (sent_cents + 1) * {MICRODOLLARS_PER_CENT}
    ORDER BY account LIMIT ?
"""  # noqa: S608 - a text above and a constant of the ledger


@dataclass(frozen=True, slots=True)
class _Difference:
    """Customer whose credit is `cents` more than the processor's balance, deltas included."""

    account: str
    customer: str
    seen_transaction: str | None
    rows: int
    cents: int


class BalanceSync:
    """Compares balances with what the processor has. `unix` is unix time in seconds."""

    def __init__(self, database: Database, unix: Callable[[], float]) -> None:
        self._database = database
        self._unix = unix
        self._after = _FROM_THE_START

    async def compare(self) -> int:
        """Compare the next accounts. Returns how many deltas were written. Raises LedgerUnavailableError."""
        page = (self._after, ACCOUNTS_PER_ROUND)
        ((last, count),), rows = await self._database.read(
            Statement(_LAST_OF_PAGE, page),
            Statement(_DIFFERING, (ACCOUNT_PREFIX, *page, DELTAS_PER_ROUND)),
        )
        differences = [_difference(row) for row in rows]
        written = 0
        for first in range(0, len(differences), _ACCOUNTS_PER_COMMIT):
            written += await self._write(differences[first : first + _ACCOUNTS_PER_COMMIT])
        if len(differences) == DELTAS_PER_ROUND:  # there may be more in this page
            self._after = differences[-1].account
        else:
            self._after = text(last) if count == ACCOUNTS_PER_ROUND else _FROM_THE_START
        return written

    async def _write(self, differences: Sequence[_Difference]) -> int:
        # The insert finds its own update by this value: another node's update leaves it without a row.
        now, turn = int(self._unix()), uuid.uuid4().hex
        given_back = await self._database.execute(*_deltas(differences, now, turn))
        return sum(len(rows) for rows in given_back)


def _difference(row: Row) -> _Difference:
    account, customer, seen, rows, sent_cents, balance = row
    # Floored: fractions of a cent are told once they add up. // rounds down below zero too, as _DIFFERING compares.
    pending_cents = whole(balance) // MICRODOLLARS_PER_CENT - whole(sent_cents)
    cents = max(-LARGEST_CENTS, min(pending_cents, LARGEST_CENTS))
    return _Difference(text(account), text(customer), text_or_none(seen), whole(rows), cents)


def _deltas(differences: Iterable[_Difference], now_s: int, turn: str) -> Iterable[Statement]:
    """Count each on the customer and write its delta, both or neither, unless another node did so since it was read."""
    for difference in differences:
        yield Statement(
            """
            UPDATE payments_customer SET mirrored_rows = mirrored_rows + 1, mirrored_cents = mirrored_cents + ?,
            mirror_turn = ? WHERE account = ? AND mirrored_rows = ?
            """,
            (difference.cents, turn, difference.account, difference.rows),
        )
        yield Statement(
            """
            INSERT INTO payments_delta (account, number, customer, cents, after_transaction, created_s)
            SELECT account, mirrored_rows, customer, CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS BIGINT)
            FROM payments_customer WHERE account = ? AND mirror_turn = ? AND mirrored_rows = ?
            RETURNING number
            """,
            (
                difference.cents,
                difference.seen_transaction,
                now_s,
                difference.account,
                turn,
                difference.rows + 1,
            ),
        )


_log = structlog.get_logger(__name__)

CUSTOMERS_PER_SWEEP: Final = 20
"""Customers looked at in one sweep, longest not looked at first: one call each."""
CHANGED_CUSTOMERS_PER_SWEEP: Final = 200
"""Customers looked at in one sweep whose balance changed, by an event."""

_CUSTOMER: Final = "SELECT account, customer, seen_transaction, changed FROM payments_customer"


@dataclass(frozen=True, slots=True)
class _Customer:
    account: str
    customer: str
    seen_transaction: str | None
    changed: int


class OperatorCredit:
    """Looks at customers' balances for changes that we did not make. `unix` is unix time in seconds."""

    def __init__(
        self,
        database: Postings,
        processor: CardProcessor,
        metrics: PaymentMetrics,
        unix: Callable[[], float],
    ) -> None:
        self._database = database
        self._processor = processor
        self._metrics = metrics
        self._unix = unix

    async def import_some(self) -> None:
        """Look at customers whose balance changed, then at those not looked at for longest. Our own changes make events too.

        Raises ProcessorError, and LedgerUnavailableError.
        """
        changed = f"{_CUSTOMER} WHERE changed > 0 AND customer IS NOT NULL ORDER BY looked_at_s, account LIMIT ?"
        # Events first; the turn of all others finds what an event was lost for.
        await self._look_at(changed, CHANGED_CUSTOMERS_PER_SWEEP)
        next_in_turn = f"{_CUSTOMER} WHERE customer IS NOT NULL ORDER BY looked_at_s, account LIMIT ?"
        await self._look_at(next_in_turn, CUSTOMERS_PER_SWEEP)

    async def _look_at(self, which: str, most: int) -> None:
        for account, customer, seen, changed in await select(self._database, which, most):
            await self._import(_Customer(text(account), text(customer), text_or_none(seen), whole(changed)))

    async def _import(self, customer: _Customer) -> None:
        seen = customer.seen_transaction
        for change in await self._changes(customer):
            seen = change.id
            # A change with a cause is the node's own, sent from the outbox.
            if change.cause is None and change.amount_cents:
                await self._grant(customer, change)
        sql = """
            UPDATE payments_customer SET seen_transaction = ?, looked_at_s = ?,
            changed = CASE WHEN changed = ? THEN 0 ELSE changed END WHERE account = ? AND customer = ?
        """
        values = (seen, int(self._unix()), customer.changed, customer.account, customer.customer)
        await self._database.execute(Statement(sql, values))

    async def _changes(self, customer: _Customer) -> Sequence[BalanceTransaction]:
        """Return new changes of a customer. One that the processor does not show (deleted, say) must not stop the others."""
        try:
            return await self._processor.balance_transactions(customer.customer, customer.seen_transaction)
        except ProcessorError as error:
            if error.fault not in {Fault.NOT_FOUND, Fault.REFUSED}:
                raise
            _log.error("customer_refused", customer=customer.customer, fault=str(error.fault), reason=error.reason)
            return ()

    async def _grant(self, customer: _Customer, change: BalanceTransaction) -> None:
        """Post it in one transaction with the note that the processor has it: else the balance sync would send it back."""
        credit_cents = -change.amount_cents
        account, amount = int(customer.account, 16), credit_cents * MICRODOLLARS_PER_CENT
        posting = Posting(f"processor_grant:{change.id}", account, Source.PROCESSOR_GRANT, amount)
        known = Statement(
            "INSERT INTO payments_grant (grant_id, account, cents) VALUES (?, ?, ?) ON CONFLICT (grant_id) DO NOTHING",
            (change.id, customer.account, credit_cents),
        )
        if await self._database.post(posting, known):
            self._metrics.posted(posting.cause)

"""Balance sync with the card processor: the operator's credit comes in, balances go out.

A delta has its amount and idempotency key stored before it is sent. An account has one at a time,
so later changes are in the next one. Parts of a cent wait until they add up to a cent. Each change
that the operator makes by hand enters the ledger once.
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
"""Maximum accounts in a commit, which takes some milliseconds and delays settlements."""
ACCOUNTS_PER_ROUND: Final = 20_000
"""Accounts whose balance is compared in one round. The next round continues after them."""
DELTAS_PER_ROUND: Final = 200

LARGEST_CENTS: Final = 99_999_999
"""Maximum delta, either way, since the processor takes eight digits (see below).
https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts. The rest of a larger
difference is sent in later rounds."""

_PAGE: Final = """
    SELECT account FROM payments_customer WHERE account > ? AND customer IS NOT NULL ORDER BY account LIMIT ?
"""

_LAST_OF_PAGE: Final = f"SELECT MAX(account), COUNT(*) FROM ({_PAGE}) AS page"  # noqa: S608 - the text above

# Both databases divide towards zero, so whole cents are compared to round down.
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
    """Customer whose credit is `cents` above the processor's balance, deltas included."""

    account: str
    customer: str
    seen_transaction: str | None
    rows: int
    cents: int


class BalanceSync:
    """Compares balances with the processor's. `unix` returns unix time in seconds."""

    def __init__(self, database: Database, unix: Callable[[], float]) -> None:
        self._database = database
        self._unix = unix
        self._after = _FROM_THE_START

    async def compare(self) -> int:
        """Compares the next accounts. Returns the deltas written. Raises LedgerUnavailableError."""
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
        # `turn` shows the insert that this node's update won; after another's it inserts none.
        now, turn = int(self._unix()), uuid.uuid4().hex
        given_back = await self._database.execute(*_deltas(differences, now, turn))
        return sum(len(rows) for rows in given_back)


def _difference(row: Row) -> _Difference:
    account, customer, seen, rows, sent_cents, balance = row
    # `//` rounds down below zero too, like _DIFFERING. Parts of a cent wait.
    pending_cents = whole(balance) // MICRODOLLARS_PER_CENT - whole(sent_cents)
    cents = max(-LARGEST_CENTS, min(pending_cents, LARGEST_CENTS))
    return _Difference(text(account), text(customer), text_or_none(seen), whole(rows), cents)


def _deltas(differences: Iterable[_Difference], now_s: int, turn: str) -> Iterable[Statement]:
    """Yields for each a count on the customer and its delta, both or neither."""
    # Without the condition on `mirrored_rows`, two nodes that read the same difference would both
    # send it. If the two statements were not in one transaction, a crash between them would count
    # a delta that no node ever sends.
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
"""Customers read in one sweep, those read longest ago first, at one call each."""
CHANGED_CUSTOMERS_PER_SWEEP: Final = 200
"""Customers read in one sweep since an event says that their balance changed."""

_CUSTOMER: Final = "SELECT account, customer, seen_transaction, changed FROM payments_customer"


@dataclass(frozen=True, slots=True)
class _Customer:
    account: str
    customer: str
    seen_transaction: str | None
    changed: int


class OperatorCredit:
    """Imports balance changes that the node did not make. `unix` returns unix seconds."""

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
        """Reads customers whose balance changed, then those read longest ago.

        Raises ProcessorError, and LedgerUnavailableError.
        """
        changed = f"{_CUSTOMER} WHERE changed > 0 AND customer IS NOT NULL ORDER BY looked_at_s, account LIMIT ?"
        # The second query finds changes whose event was lost. Our own changes make events too.
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
        """Returns new changes of a customer. A refusal, as of a deleted one, is only logged."""
        try:
            return await self._processor.balance_transactions(customer.customer, customer.seen_transaction)
        except ProcessorError as error:
            if error.fault not in {Fault.NOT_FOUND, Fault.REFUSED}:
                raise
            _log.error("customer_refused", customer=customer.customer, fault=str(error.fault), reason=error.reason)
            return ()

    async def _grant(self, customer: _Customer, change: BalanceTransaction) -> None:
        """Posts the change and its row in one transaction, or the sync would send it back."""
        credit_cents = -change.amount_cents
        account, amount = int(customer.account, 16), credit_cents * MICRODOLLARS_PER_CENT
        posting = Posting(f"processor_grant:{change.id}", account, Source.PROCESSOR_GRANT, amount)
        known = Statement(
            "INSERT INTO payments_grant (grant_id, account, cents) VALUES (?, ?, ?) ON CONFLICT (grant_id) DO NOTHING",
            (change.id, customer.account, credit_cents),
        )
        if await self._database.post(posting, known):
            self._metrics.posted(posting.cause)

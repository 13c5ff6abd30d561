"""Balance sync: writes the difference between each customer's credit and the processor's balance into the outbox.

A delta is durable, with its amount and idempotency key, before it is sent, and an account has one at a time: what
changes meanwhile is in the next. Parts of a cent stay until they add up to one.
"""

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from node.billing.payments.tables import text, text_or_none, whole
from node.database.port import Database, Row, Statement
from node.ledger.entries import ACCOUNT_PREFIX
from node.ledger.port import MICRODOLLARS_PER_CENT

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

"""What the processor is to be told: how the credit of each customer differs from what it was told so far.

A delta is durable, with its amount and idempotency key, before the processor hears of it, and an account has one at a
time: what changes meanwhile is in the next. Parts of a cent stay until they are a whole one.
"""

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from node.billing.payments.limits import MirrorLimits
from node.billing.payments.rows import text, text_or_none, whole
from node.database.port import Database, Row, Statement
from node.ledger.entries import ACCOUNT_PREFIX
from node.ledger.port import MICRODOLLARS_PER_CENT

_FROM_THE_START: Final = ""
_ACCOUNTS_PER_COMMIT: Final = 20
"""So that no settlement waits for long: some milliseconds."""

LARGEST_CENTS: Final = 99_999_999
"""Of one delta, either way: the processor takes amounts of eight digits (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts).
What is more, as a token payment may be, is told in the rounds that follow.
"""

_PAGE: Final = """
    SELECT account FROM payments_customer WHERE account > ? AND customer IS NOT NULL ORDER BY account LIMIT ?
"""

_LAST_OF_PAGE: Final = f"SELECT MAX(account), COUNT(*) FROM ({_PAGE}) AS page"  # noqa: S608 - the text above

# Both databases divide towards zero, where cents are to be rounded down: hence the comparison with a whole cent.
_DIFFERING: Final = f"""
    SELECT account, customer, seen_transaction, mirrored_rows, told_cents, balance FROM (
        SELECT c.account, c.customer, c.seen_transaction, c.mirrored_rows,
            c.mirrored_cents + (
                SELECT CAST(COALESCE(SUM(g.cents), 0) AS BIGINT) FROM payments_grant g WHERE g.account = c.account
            ) AS told_cents,
            COALESCE(l.balance_microdollars, 0) AS balance
        FROM payments_customer c
        LEFT JOIN ledger_account l ON l.book = ? || c.account
        LEFT JOIN payments_delta d ON d.account = c.account
        WHERE c.account IN ({_PAGE}) AND d.number IS NULL
    ) AS standings
    WHERE balance < told_cents * {MICRODOLLARS_PER_CENT} OR balance >= (told_cents + 1) * {MICRODOLLARS_PER_CENT}
    ORDER BY account LIMIT ?
"""  # noqa: S608 - a text above and a constant of the ledger


@dataclass(frozen=True, slots=True)
class _Standing:
    """A customer whose credit is not what the processor was told: it is to hear of `cents` more."""

    account: str
    customer: str
    seen_transaction: str | None
    rows: int
    cents: int


class Mirror:
    """Compares balances with what the processor was told. `clock` is unix time in seconds."""

    def __init__(self, books: Database, limits: MirrorLimits, clock: Callable[[], float]) -> None:
        self._books = books
        self._limits = limits
        self._clock = clock
        self._after = _FROM_THE_START

    async def compare(self) -> int:
        """Look at the next accounts in turn; how many deltas were written. Raises NodeError `billing_unavailable`."""
        page = (self._after, self._limits.accounts)
        ((last, count),), rows = await self._books.read(
            Statement(_LAST_OF_PAGE, page),
            Statement(_DIFFERING, (ACCOUNT_PREFIX, *page, self._limits.rows)),
        )
        standings = [_standing(row) for row in rows]
        written = 0
        for first in range(0, len(standings), _ACCOUNTS_PER_COMMIT):
            written += await self._write(standings[first : first + _ACCOUNTS_PER_COMMIT])
        if len(standings) == self._limits.rows:  # there may be more in this page
            self._after = standings[-1].account
        else:
            self._after = text(last) if count == self._limits.accounts else _FROM_THE_START
        return written

    async def _write(self, standings: Sequence[_Standing]) -> int:
        now, turn = int(self._clock()), uuid.uuid4().hex
        given_back = await self._books.execute(*_deltas(standings, now, turn))
        return sum(len(rows) for rows in given_back)


def _standing(row: Row) -> _Standing:
    account, customer, seen, rows, told_cents, balance = row
    untold_cents = whole(balance) // MICRODOLLARS_PER_CENT - whole(told_cents)
    cents = max(-LARGEST_CENTS, min(untold_cents, LARGEST_CENTS))
    return _Standing(text(account), text(customer), text_or_none(seen), whole(rows), cents)


def _deltas(standings: Iterable[_Standing], now_s: int, turn: str) -> Iterable[Statement]:
    """Each counted on the customer and written, both or neither, unless another node did since it was read."""
    for standing in standings:
        yield Statement(
            """
            UPDATE payments_customer SET mirrored_rows = mirrored_rows + 1, mirrored_cents = mirrored_cents + ?,
            mirror_turn = ? WHERE account = ? AND mirrored_rows = ?
            """,
            (standing.cents, turn, standing.account, standing.rows),
        )
        yield Statement(
            """
            INSERT INTO payments_delta (account, number, customer, cents, after_transaction, created_s)
            SELECT account, mirrored_rows, customer, CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS BIGINT)
            FROM payments_customer WHERE account = ? AND mirror_turn = ? AND mirrored_rows = ?
            RETURNING number
            """,
            (
                standing.cents,
                standing.seen_transaction,
                now_s,
                standing.account,
                turn,
                standing.rows + 1,
            ),
        )

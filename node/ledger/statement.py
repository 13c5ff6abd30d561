"""One account's entries of a period, with the balance before, after each, and at the end. Whoever has them can add up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from node.errors import ErrorCode, NodeError
from node.ledger.books import Reader, Row, Statement
from node.ledger.entries import account_book

_FOREVER_MS: Final = 2**62

_KEPT: Final = "SELECT balance_microdollars FROM ledger_account WHERE book = ?"
_LINES: Final = """
    SELECT entry, at_ms, cause, credit_book AS other_book, -amount_microdollars AS amount, usage_key, what, request_id,
        duration_ms FROM ledger_entry WHERE debit_book = ? AND debit_book LIKE 'account:%'
    UNION ALL
    SELECT entry, at_ms, cause, debit_book, amount_microdollars, usage_key, what, request_id,
        duration_ms FROM ledger_entry WHERE credit_book = ? AND credit_book LIKE 'account:%'
    ORDER BY at_ms, entry
"""


@dataclass(frozen=True, slots=True)
class StatementLine:
    """One entry as its account sees it: micro-dollars, above zero for credit; `book` is the other side.

    `at_ms` is unix time in milliseconds; the last four are a charge's.
    """

    at_ms: int
    cause: str
    book: str
    amount_microdollars: int
    balance_microdollars: int
    usage_key: str | None
    what: str | None
    request_id: str | None
    duration_ms: int | None


@dataclass(frozen=True, slots=True)
class AccountStatement:
    """The lines from `from_ms` up to, and without, `to_ms` (None: no end); balances before the first and after the last."""

    account: int
    from_ms: int
    to_ms: int | None
    opening_microdollars: int
    closing_microdollars: int
    lines: Sequence[StatementLine]


async def account_statement(
    reader: Reader, account: int, from_ms: int = 0, to_ms: int | None = None
) -> AccountStatement:
    """Read it at one moment, and add it up.

    Raises NodeError `internal_error` when all entries do not add up to the balance the ledger spends from, and
    `billing_unavailable`.
    """
    book = account_book(account)
    kept, rows = await reader.read(Statement(_KEPT, (book,)), Statement(_LINES, (book, book)))
    lines, balance = list[StatementLine](), 0
    for row in rows:
        balance += _whole(row[4])
        lines.append(_line(row, balance))
    if balance != (_whole(kept[0][0]) if kept else 0):
        raise NodeError(
            ErrorCode.INTERNAL_ERROR,
            f"The entries of {book} add up to {balance} micro-dollars, which is not its balance.",
            fix="Run `svc-node ledger check`.",
        )
    end_ms = _FOREVER_MS if to_ms is None else to_ms
    before = [line for line in lines if line.at_ms < from_ms]
    within = [line for line in lines if from_ms <= line.at_ms < end_ms]
    opening = before[-1].balance_microdollars if before else 0
    closing = within[-1].balance_microdollars if within else opening
    return AccountStatement(account, from_ms, to_ms, opening, closing, within)


def _line(row: Row, balance: int) -> StatementLine:
    _, at_ms, cause, book, amount, usage_key, what, request_id, duration_ms = row
    return StatementLine(
        _whole(at_ms),
        str(cause),
        str(book),
        _whole(amount),
        balance,
        None if usage_key is None else str(usage_key),
        None if what is None else str(what),
        None if request_id is None else str(request_id),
        None if duration_ms is None else _whole(duration_ms),
    )


def _whole(value: object) -> int:
    return int(str(value))

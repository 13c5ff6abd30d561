"""One account's entries of a period, page by page, with the balance before, after each, and at the end. Whoever has them can add up."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from node.errors import ErrorCode, NodeError
from node.ledger.books import Reader, Row, Snapshots, Statement
from node.ledger.entries import account_book

_FOREVER_MS: Final = 2**62

T = TypeVar("T")

PAGE: Final = 1_000
"""Entries that are in memory at once."""

_KEPT: Final = "SELECT balance_microdollars FROM ledger_account WHERE book = ?"
_SIDES: Final = (
    ("credit_book", "-amount_microdollars", "debit_book"),
    ("debit_book", "amount_microdollars", "credit_book"),
)
"""The other side, by how much the balance changes, our side, each with the condition of its own index."""


def _sides(select: str, rest: str) -> str:
    return " UNION ALL ".join(
        select.format(other=other, amount=amount)
        + f" FROM ledger_entry WHERE {ours} = ? AND {ours} LIKE 'account:%' {rest}"
        for other, amount, ours in _SIDES
    )


_SUMS: Final = f"""
    SELECT COALESCE(SUM(amount), 0), COALESCE(SUM(CASE WHEN at_ms < ? THEN amount ELSE 0 END), 0),
        COALESCE(SUM(CASE WHEN at_ms < ? THEN amount ELSE 0 END), 0)
    FROM ({_sides("SELECT at_ms, {amount} AS amount", "")}) AS moved
"""  # noqa: S608 - of constants
_FIRST_OF_A_SIDE: Final = (
    "SELECT * FROM (SELECT entry, at_ms, cause, {other} AS other_book, {amount} AS amount, usage_key, what, request_id,"
    " duration_ms"
)
_LINES: Final = (
    _sides(_FIRST_OF_A_SIDE, "AND (at_ms, entry) > (?, ?) AND at_ms < ? ORDER BY at_ms, entry LIMIT ?) AS side")
    + " ORDER BY at_ms, entry LIMIT ?"
)


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
    """The lines from `from_ms` up to, and without, `to_ms` (None: no end); balances before the first and after the last.

    `lines` can be gone through once, and only while the statement is shown; raises NodeError `billing_unavailable`.
    """

    account: int
    from_ms: int
    to_ms: int | None
    opening_microdollars: int
    closing_microdollars: int
    lines: AsyncIterator[StatementLine]


async def account_statement(
    books: Snapshots,
    account: int,
    show: Callable[[AccountStatement], Awaitable[T]],
    from_ms: int = 0,
    to_ms: int | None = None,
) -> T:
    """Read it at one moment, add it up, and have it shown; the entries are never in memory all together.

    Raises NodeError `internal_error`, before anything is shown, when all entries do not add up to the balance the ledger
    spends from, `billing_unavailable`, and what `show` raises.
    """

    async def work(reader: Reader) -> T:
        return await show(await _statement(reader, account, from_ms, to_ms))

    return await books.at_one_moment(work)


async def _statement(reader: Reader, account: int, from_ms: int, to_ms: int | None) -> AccountStatement:
    book, end_ms = account_book(account), max(from_ms, _FOREVER_MS if to_ms is None else to_ms)
    kept, ((total, before, until),) = await reader.read(
        Statement(_KEPT, (book,)), Statement(_SUMS, (from_ms, end_ms, book, book))
    )
    if _whole(total) != (_whole(kept[0][0]) if kept else 0):
        raise NodeError(
            ErrorCode.INTERNAL_ERROR,
            f"The entries of {book} add up to {_whole(total)} micro-dollars, which is not its balance.",
            fix="Run `svc-node ledger check`.",
        )
    opening = _whole(before)
    lines = _lines(reader, book, (from_ms, end_ms), opening)
    return AccountStatement(account, from_ms, to_ms, opening, _whole(until), lines)


async def _lines(reader: Reader, book: str, period_ms: tuple[int, int], balance: int) -> AsyncIterator[StatementLine]:
    """A page after the other, each from the last entry of the one before."""
    at_ms, entry = period_ms[0], -1
    while True:
        side = (book, at_ms, entry, period_ms[1], PAGE)
        (rows,) = await reader.read(Statement(_LINES, (*side, *side, PAGE)))
        for row in rows:
            balance += _whole(row[4])
            yield _line(row, balance)
        if len(rows) < PAGE:
            return
        entry, at_ms = _whole(rows[-1][0]), _whole(rows[-1][1])


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

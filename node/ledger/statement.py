"""Account statement of a period: entries, opening and closing balance; as CSV, JSON or text.

Entries are read by page and written by line, so that no statement is in memory as a whole.
"""

import csv
import io
import json
import textwrap
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter
from typing import Final, TypeAlias, TypeVar

from node.database.port import Reader, Row, Snapshots, Statement, text, text_or_none, whole, whole_or_none
from node.ledger.entries import account_book
from node.ledger.errors import LedgerInconsistentError
from node.ledger.port import MICRODOLLARS_PER_CENT
from node.values import u256_hex

_FOREVER_MS: Final = 2**62

T = TypeVar("T")
Write: TypeAlias = Callable[[str], object]

PAGE: Final = 1_000
"""Entries read at a time, the most that are in memory."""

COLUMNS: Final = (
    *("time", "cause", "book", "amount_microdollars", "balance_microdollars"),
    *("usage_key", "what", "request_id", "duration_ms"),
)
_AFTER_TIME: Final = attrgetter(*COLUMNS[1:])
_ROW: Final = "{:<24}  {:>16}  {:>16}  {:<60}  {}"

_KEPT: Final = "SELECT balance_microdollars FROM ledger_account WHERE book = ?"
_SIDES: Final = (
    ("credit_book", "-amount_microdollars", "debit_book"),
    ("debit_book", "amount_microdollars", "credit_book"),
)
"""Other side, change of the balance, own side; `_sides` adds the condition of each side's index."""


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
    """Entry as its account sees it. Amounts above zero are credit; `book` is the other side.

    `at_ms` is unix time in milliseconds. Only charges have the last four values.
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
    """Lines from `from_ms` until before `to_ms` (None: no end), with the balances around them.

    `lines` can be iterated once, only inside `show`, and raises DatabaseUnavailableError.
    """

    account: int
    from_ms: int
    to_ms: int | None
    opening_microdollars: int
    closing_microdollars: int
    lines: AsyncIterator[StatementLine]


async def account_statement(
    snapshots: Snapshots,
    account: int,
    show: Callable[[AccountStatement], Awaitable[T]],
    from_ms: int = 0,
    to_ms: int | None = None,
) -> T:
    """Reads a statement at one moment, checks its sums and passes it to `show`. Returns its result.

    Raises LedgerInconsistentError before `show` is called if the account's entries do not add up to
    its balance, DatabaseUnavailableError, and what `show` raises.
    """

    async def work(reader: Reader) -> T:
        return await show(await _statement(reader, account, from_ms, to_ms))

    return await snapshots.at_one_moment(work)


async def _statement(reader: Reader, account: int, from_ms: int, to_ms: int | None) -> AccountStatement:
    book, end_ms = account_book(account), max(from_ms, _FOREVER_MS if to_ms is None else to_ms)
    # All sums come from one snapshot. A statement that does not add up is never shown.
    kept, ((total, before, until),) = await reader.read(
        Statement(_KEPT, (book,)), Statement(_SUMS, (from_ms, end_ms, book, book))
    )
    if whole(total) != (whole(kept[0][0]) if kept else 0):
        raise LedgerInconsistentError(
            f"The entries of {book} add up to {whole(total)} micro-dollars, which is not its balance."
        )
    opening = whole(before)
    lines = _lines(reader, book, (from_ms, end_ms), opening)
    return AccountStatement(account, from_ms, to_ms, opening, whole(until), lines)


async def _lines(reader: Reader, book: str, period_ms: tuple[int, int], balance: int) -> AsyncIterator[StatementLine]:
    """Yields the lines page by page. A page begins after the last entry of the one before."""
    at_ms, entry = period_ms[0], -1
    while True:
        # By key, not by offset, so that each page costs the same.
        side = (book, at_ms, entry, period_ms[1], PAGE)
        (rows,) = await reader.read(Statement(_LINES, (*side, *side, PAGE)))
        for row in rows:
            balance += whole(row[4])
            yield _line(row, balance)
        if len(rows) < PAGE:
            return
        entry, at_ms = whole(rows[-1][0]), whole(rows[-1][1])


def _line(row: Row, balance: int) -> StatementLine:
    _, at_ms, cause, book, amount, usage_key, what, request_id, duration_ms = row
    return StatementLine(
        whole(at_ms),
        text(cause),
        text(book),
        whole(amount),
        balance,
        text_or_none(usage_key),
        text_or_none(what),
        text_or_none(request_id),
        whole_or_none(duration_ms),
    )


async def write_csv(statement: AccountStatement, write: Write) -> None:
    """Writes `COLUMNS`, the opening balance, the entries and the closing balance (RFC 4180)."""
    write(_csv_line(COLUMNS))
    write(_csv_line(("", "opening balance", "", "", statement.opening_microdollars)))
    async for line in statement.lines:
        write(_csv_line(_values(line)))
    write(_csv_line(("", "closing balance", "", "", statement.closing_microdollars)))


async def write_json(statement: AccountStatement, write: Write) -> None:
    """Writes one object with the account, both balances, and the entries by `COLUMNS`."""
    head = {
        "account": u256_hex(statement.account),
        "from": time_text(statement.from_ms),
        "to": None if statement.to_ms is None else time_text(statement.to_ms),
        "opening_microdollars": statement.opening_microdollars,
        "closing_microdollars": statement.closing_microdollars,
    }
    write(json.dumps(head, indent=1).removesuffix("\n}") + ',\n "entries": [')
    before = "\n"
    async for line in statement.lines:
        entry = dict(zip(COLUMNS, _values(line), strict=True))
        write(before + textwrap.indent(json.dumps(entry, indent=1), "  "))
        before = ",\n"
    write("]\n}\n" if before == "\n" else "\n ]\n}\n")


async def write_for_people(statement: AccountStatement, write: Write) -> None:
    """Writes columns of fixed width, the longest last."""
    write(u256_hex(statement.account) + "\n")
    write(_row("time", "amount", "balance", "for", "cause"))
    write(_row("", "", dollars(statement.opening_microdollars), "", "opening balance"))
    async for line in statement.lines:
        what = line.book if line.what is None else f"{line.book} {line.what}"
        amount, balance = dollars(line.amount_microdollars), dollars(line.balance_microdollars)
        write(_row(time_text(line.at_ms), amount, balance, what, line.cause))
    write(_row("", "", dollars(statement.closing_microdollars), "", "closing balance"))


def dollars(microdollars: int) -> str:
    """Formats an amount, with fractions of a cent where there are any."""
    cents, rest = divmod(abs(microdollars), MICRODOLLARS_PER_CENT)
    sign = "-" if microdollars < 0 else ""
    return f"{sign}${cents // 100}.{cents % 100:02d}" + (f"{rest:04d}" if rest else "")


def time_text(at_ms: int) -> str:
    """Formats milliseconds of unix time as RFC 3339."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _csv_line(values: Sequence[str | int | None]) -> str:
    line = io.StringIO(newline="")
    csv.writer(line).writerow(values)
    return line.getvalue()


def _row(*cells: str) -> str:
    return _ROW.format(*cells).rstrip() + "\n"


def _values(line: StatementLine) -> tuple[str | int | None, ...]:
    return (time_text(line.at_ms), *_AFTER_TIME(line))

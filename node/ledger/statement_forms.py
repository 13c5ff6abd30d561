"""The forms in which a statement is written: for spreadsheets, for machines, for people. Line by line, none is whole in memory."""

import csv
import io
import json
import textwrap
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final, TypeAlias

from node.ledger.port import MICRODOLLARS_PER_CENT
from node.ledger.statement import AccountStatement, StatementLine
from node.values import u256_hex

Write: TypeAlias = Callable[[str], object]

COLUMNS: Final = (
    *("time", "cause", "book", "amount_microdollars", "balance_microdollars"),
    *("usage_key", "what", "request_id", "duration_ms"),
)
_ROW: Final = "{:<24}  {:>16}  {:>16}  {:<60}  {}"


async def write_csv(statement: AccountStatement, write: Write) -> None:
    """`COLUMNS`, a line for the opening balance, one for each entry, one for the closing balance (RFC 4180)."""
    write(_csv_line(COLUMNS))
    write(_csv_line(("", "opening balance", "", "", statement.opening_microdollars)))
    async for line in statement.lines:
        write(_csv_line(_values(line)))
    write(_csv_line(("", "closing balance", "", "", statement.closing_microdollars)))


async def write_json(statement: AccountStatement, write: Write) -> None:
    """One object: the account, both balances, the entries by `COLUMNS`."""
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
    """Columns of fixed width, the longest last."""
    write(u256_hex(statement.account) + "\n")
    write(_row("time", "amount", "balance", "for", "cause"))
    write(_row("", "", dollars(statement.opening_microdollars), "", "opening balance"))
    async for line in statement.lines:
        what = line.book if line.what is None else f"{line.book} {line.what}"
        amount, balance = dollars(line.amount_microdollars), dollars(line.balance_microdollars)
        write(_row(time_text(line.at_ms), amount, balance, what, line.cause))
    write(_row("", "", dollars(statement.closing_microdollars), "", "closing balance"))


def dollars(microdollars: int) -> str:
    """As people write it, with what is less than a cent where there is any."""
    cents, rest = divmod(abs(microdollars), MICRODOLLARS_PER_CENT)
    sign = "-" if microdollars < 0 else ""
    return f"{sign}${cents // 100}.{cents % 100:02d}" + (f"{rest:04d}" if rest else "")


def time_text(at_ms: int) -> str:
    """Milliseconds of unix time as RFC 3339."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _csv_line(values: Sequence[str | int | None]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text).writerow(values)
    return text.getvalue()


def _row(*cells: str) -> str:
    return _ROW.format(*cells).rstrip() + "\n"


def _values(line: StatementLine) -> tuple[str | int | None, ...]:
    return (
        time_text(line.at_ms),
        line.cause,
        line.book,
        line.amount_microdollars,
        line.balance_microdollars,
        line.usage_key,
        line.what,
        line.request_id,
        line.duration_ms,
    )

"""Reading the charges of an account from the ledger's entries."""

import asyncio
import csv
import io
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from node.billing.usage.models import UsageItem, UsageQuery
from node.database.port import Reader, Row, Statement, Value
from node.errors import ErrorCode, NodeError
from node.http.endpoint import Listing
from node.http.rate import MINUTE_S, RateLimiter
from node.ledger.entries import account_book
from node.ledger.port import MICRODOLLARS_PER_CENT, Service
from node.permissions.grants import Caller
from node.values import u256_hex

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_END_MS: Final = 2**62
_ASK_AGAIN_S: Final = 3600
_COLUMNS: Final = (
    "cause",
    "at_ms",
    "credit_book",
    "amount_microdollars",
    "usage_key",
    "what",
    "duration_ms",
    "request_id",
)
_TRACKED_CALLERS: Final = 100_000
"""Whose counters are kept in memory; beyond it the one seen longest ago is forgotten."""
_FIELDS: Final = tuple(UsageItem.model_fields)
_SERVICES: Final = ", ".join(f"'{service.value}'" for service in Service)
# The second term is the index's own condition: without it there the index is not used. All others are of its columns.
_CHARGES: Final = (
    "WHERE debit_book = ? AND debit_book LIKE 'account:%' AND at_ms >= ? AND at_ms < ?"
    f" AND credit_book IN ({_SERVICES})"
)


@dataclass(frozen=True, slots=True)
class UsageLimits:
    """`export_max_rows`: most charges in one answer of CSV.

    `exports_per_minute_per_account`: more are 429, since an answer of megabytes stays in memory until its client has
    read it. Each usage key has as many of its own, for its own charges.
    """

    export_max_rows: int = 100_000
    exports_per_minute_per_account: int = 6


class UsageService:
    """What an account was charged for. A usage key is shown its own charges, the account's owner all; without
    `books` nothing is charged. `monotonic` is in seconds.
    """

    def __init__(
        self,
        books: Reader | None,
        limits: UsageLimits | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open = books
        self._limits = limits or UsageLimits()
        per_minute = self._limits.exports_per_minute_per_account
        self._exports = RateLimiter("exports by this caller", per_minute, MINUTE_S, monotonic, _TRACKED_CALLERS)

    @property
    def _books(self) -> Reader:
        if self._open is None:
            raise NodeError(
                ErrorCode.BILLING_DISABLED,
                "This node charges nothing, so there is nothing to tell.",
                retry_after_s=_ASK_AGAIN_S,
            )
        return self._open

    async def page(self, caller: Caller, query: UsageQuery) -> Listing[UsageItem]:
        """A page in the order in which it was charged. Raises NodeError `billing_unavailable`, `billing_disabled`."""
        where, values = _selection(caller, query)
        page = query.page
        total, rows = await self._books.read(
            Statement(f"SELECT COUNT(*) FROM ledger_entry {where}", values),  # noqa: S608 - of constants
            _rows(where, values, page.size, page.number * page.size),
        )
        return Listing([_item(row) for row in rows], int(total[0][0] or 0))

    async def export(self, caller: Caller, query: UsageQuery) -> bytes:
        """The whole period as CSV with a line of names (RFC 4180), whatever page is asked for.

        Raises NodeError 400 when the period has too many charges for one answer, `too_many_requests`,
        `billing_unavailable`, `billing_disabled`.
        """
        books = self._books
        self._exports.take(u256_hex(caller.master_hash if caller.is_account_key else caller.key_hash))
        where, values = _selection(caller, query)
        (rows,) = await books.read(_rows(where, values, self._limits.export_max_rows + 1, 0))
        if len(rows) > self._limits.export_max_rows:
            raise _too_many(self._limits.export_max_rows)
        return await asyncio.to_thread(_csv, rows)


def _selection(caller: Caller, query: UsageQuery) -> tuple[str, Sequence[Value]]:
    """Which entries: the charges of the account, in the period, of this usage key alone where one asks."""
    values: list[Value] = [
        account_book(caller.master_hash),
        _moment_ms(query.since, 0),
        _moment_ms(query.until, _END_MS),
    ]
    if caller.is_account_key:
        return _CHARGES, values
    return f"{_CHARGES} AND usage_key = ?", [*values, u256_hex(caller.key_hash)]


def _rows(where: str, values: Sequence[Value], limit: int, offset: int) -> Statement:
    columns = ", ".join(_COLUMNS)
    sql = f"SELECT {columns} FROM ledger_entry {where} ORDER BY at_ms, entry LIMIT ? OFFSET ?"  # noqa: S608 - of constants
    return Statement(sql, [*values, limit, offset])


def _moment_ms(moment: datetime | None, default_ms: int) -> int:
    """Milliseconds of unix time, a part of one counted as one."""
    return default_ms if moment is None else -((_EPOCH - moment) // timedelta(milliseconds=1))


def _item(row: Row) -> UsageItem:
    return UsageItem.model_validate(dict(zip(_FIELDS, _cells(row), strict=True)))


def _cells(row: Row) -> tuple[Value, ...]:
    """A row of `_COLUMNS` as the values of `_FIELDS`."""
    cause, at_ms, service, amount, usage_key, what, duration_ms, request_id = row
    assert isinstance(amount, int)  # noqa: S101 - the column's type
    assert isinstance(at_ms, int)  # noqa: S101 - likewise
    time = (_EPOCH + timedelta(milliseconds=at_ms)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    cid = what if service == Service.EXECUTION else None
    operation = what if service == Service.WRITE else None
    cents = amount // MICRODOLLARS_PER_CENT
    return cause, time, service, cents, usage_key, cid, operation, duration_ms, request_id


def _csv(rows: Sequence[Row]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(_FIELDS)
    writer.writerows(map(_cells, rows))
    return text.getvalue().encode()


def _too_many(max_rows: int) -> NodeError:
    return NodeError(
        ErrorCode.BAD_REQUEST,
        f"The period has more than {max_rows} charges.",
        fix="Ask for a shorter period with `from` and `to`, one after the other.",
    )

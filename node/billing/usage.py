"""Usage records are an account's charges in the ledger, as pages of JSON or as CSV."""

import csv
import io
import re
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated, Final, Literal

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from node.api.calls import Listing
from node.api.errors import ErrorCode, NodeError
from node.api.paging import PageQuery
from node.database.port import Reader, Row, Statement, Value, whole
from node.ledger.entries import account_book
from node.ledger.port import MICRODOLLARS_PER_CENT, Service
from node.ledger.statement import time_text
from node.permissions.grants import Caller
from node.runtime.limits import MINUTE_S, TokenBuckets
from node.runtime.tasks import in_thread
from node.settings.credits import UsageSettings
from node.values import u256_hex

_UNIX_SECONDS: Final = re.compile(r"[0-9]{1,11}")
_HOURS: Final = r"([01]\d|2[0-3]):[0-5]\d"
_DATE: Final = r"\d{4}-((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(0[469]|11)-(0[1-9]|[12]\d|30)|02-(0[1-9]|[12]\d))"
_RFC_3339: Final = re.compile(rf"{_DATE}T{_HOURS}:[0-5]\d(\.\d{{1,6}})?(Z|[+-]{_HOURS})", re.ASCII)
"""Valid times. The library alone would accept an offset of 99 minutes, or hour 24."""
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
"""Maximum callers with a rate limit in memory. The least recently seen is evicted."""
_SERVICES: Final = ", ".join(f"'{service.value}'" for service in Service)
# The LIKE repeats the condition of the partial index, which is not used without it.
_CHARGES: Final = (
    "WHERE debit_book = ? AND debit_book LIKE 'account:%' AND at_ms >= ? AND at_ms < ?"
    f" AND credit_book IN ({_SERVICES})"
)


def parse_moment(value: object) -> datetime:
    """Returns a time from RFC 3339 with its zone, or from unix seconds. Raises ValueError."""
    try:
        if isinstance(value, str) and _UNIX_SECONDS.fullmatch(value):
            return datetime.fromtimestamp(int(value), UTC)
        if isinstance(value, str) and _RFC_3339.fullmatch(value):
            return datetime.fromisoformat(value).astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise ValueError("must be a time with its zone, as 2026-01-31T00:00:00Z, or unix seconds")


Moment = Annotated[
    datetime,
    BeforeValidator(parse_moment),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": f"^({_UNIX_SECONDS.pattern}|{_RFC_3339.pattern})$",
            "examples": ["2026-01-31T00:00:00Z"],
        }
    ),
]


class UsageQuery(PageQuery):
    """A page of a period, with `from` and without `to`, each an RFC 3339 time or unix seconds."""

    since: Annotated[Moment | None, Field(alias="from", description="first moment; without it, from the start")] = None
    until: Annotated[Moment | None, Field(alias="to", description="first moment after the period")] = None


class UsageItem(BaseModel, frozen=True):
    """A charge. `api_key_hash` is null if the account key paid.

    An execution has `action_ipfs_cid` and `duration_ms`, and a write has `operation`.
    """

    id: str
    time: str
    service: Literal[Service.EXECUTION, Service.WRITE]
    charged_cents: int
    api_key_hash: str | None
    action_ipfs_cid: str | None
    operation: str | None
    duration_ms: int | None
    request_id: str | None


_FIELDS: Final = tuple(UsageItem.model_fields)


class UsageService:
    """Reads charges, for a usage key its own and for the account key all, if `database` is set."""

    def __init__(
        self,
        database: Reader | None,
        settings: UsageSettings | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        settings = settings or UsageSettings()
        self._database = database
        self._export_max_rows = settings.usage_export_max_rows
        per_minute = settings.usage_exports_per_minute_per_account
        self._exports = TokenBuckets("exports by this caller", per_minute, MINUTE_S, monotonic, _TRACKED_CALLERS)

    @property
    def _reader(self) -> Reader:
        if self._database is None:
            raise NodeError(
                ErrorCode.BILLING_DISABLED,
                "This node charges nothing, so there is nothing to tell.",
                retry_after_s=_ASK_AGAIN_S,
            )
        return self._database

    async def page(self, caller: Caller, query: UsageQuery) -> Listing[UsageItem]:
        """Returns a page, oldest first. Raises LedgerUnavailableError, `billing_disabled`."""
        where, values = _selection(caller, query)
        page = query.page
        total, rows = await self._reader.read(
            Statement(f"SELECT COUNT(*) FROM ledger_entry {where}", values),  # noqa: S608 - of constants
            _rows(where, values, page.size, page.number * page.size),
        )
        items = [UsageItem.model_validate(dict(zip(_FIELDS, _cells(row), strict=True))) for row in rows]
        return Listing(items, int(total[0][0] or 0))

    async def export(self, caller: Caller, query: UsageQuery) -> bytes:
        """Returns the whole period as CSV with a header line (RFC 4180), for any requested page.

        Raises NodeError `bad_request` if the period has too many charges for one response,
        LimitReachedError, `billing_disabled`, LedgerUnavailableError.
        """
        reader = self._reader
        self._exports.take(u256_hex(caller.master_hash if caller.is_account_key else caller.key_hash))
        where, values = _selection(caller, query)
        # One row more than the limit shows that there are too many.
        (rows,) = await reader.read(_rows(where, values, self._export_max_rows + 1, 0))
        if len(rows) > self._export_max_rows:
            raise NodeError(
                ErrorCode.BAD_REQUEST,
                f"The period has more than {self._export_max_rows} charges.",
                fix="Ask for a shorter period with `from` and `to`, one after the other.",
            )
        # In a thread, since formatting these rows would block the event loop too long.
        return await in_thread(partial(_csv, rows))


def _selection(caller: Caller, query: UsageQuery) -> tuple[str, Sequence[Value]]:
    """Returns the SQL condition and values for the period's charges that the caller may see."""
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
    """Returns unix milliseconds, rounded up, or the default if there is no moment."""
    return default_ms if moment is None else -((_EPOCH - moment) // timedelta(milliseconds=1))


def _cells(row: Row) -> tuple[Value, ...]:
    """Converts a row of `_COLUMNS` to the values of `_FIELDS`."""
    cause, at_ms, service, amount, usage_key, what, duration_ms, request_id = row
    time = time_text(whole(at_ms))
    cid = what if service == Service.EXECUTION else None
    operation = what if service == Service.WRITE else None
    cents = whole(amount) // MICRODOLLARS_PER_CENT
    return cause, time, service, cents, usage_key, cid, operation, duration_ms, request_id


def _csv(rows: Sequence[Row]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(_FIELDS)
    writer.writerows(map(_cells, rows))
    return text.getvalue().encode()

"""Requests and answers of `GET /billing/usage`."""

import re
from datetime import UTC, datetime
from typing import Annotated, Final, Literal

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from node.http.paging import PageQuery
from node.ledger.port import Service

_UNIX_SECONDS: Final = re.compile(r"[0-9]{1,11}")
_HOURS: Final = r"([01]\d|2[0-3]):[0-5]\d"
_RFC_3339: Final = re.compile(rf"\d{{4}}-\d\d-\d\dT{_HOURS}:[0-5]\d(\.\d{{1,6}})?(Z|[+-]{_HOURS})", re.ASCII)
"""Stricter than the library, which takes an offset of 99 minutes, and in some versions an hour of 24."""


def parse_moment(value: object) -> datetime:
    """A moment, as RFC 3339 with its zone or as unix seconds. Raises ValueError for anything else."""
    try:
        if isinstance(value, str) and _UNIX_SECONDS.fullmatch(value):
            return datetime.fromtimestamp(int(value), UTC)
        if isinstance(value, str) and _RFC_3339.fullmatch(value):
            return datetime.fromisoformat(value).astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise ValueError("must be a time with its zone, as 2026-01-31T00:00:00Z, or unix seconds")


Moment = Annotated[
    datetime, BeforeValidator(parse_moment), WithJsonSchema({"type": "string", "examples": ["2026-01-31T00:00:00Z"]})
]


class UsageQuery(PageQuery):
    """A page of a period: from the first moment up to, and without, the last; each an RFC 3339 time or unix seconds."""

    since: Annotated[Moment | None, Field(alias="from", description="first moment; without it, from the start")] = None
    until: Annotated[Moment | None, Field(alias="to", description="first moment after the period")] = None


class UsageItem(BaseModel, frozen=True):
    """One charge. `api_key_hash` is null where the account key paid; an execution has a CID and a duration, a write an operation."""

    id: str
    time: str
    service: Literal[Service.EXECUTION, Service.WRITE]
    charged_cents: int
    api_key_hash: str | None
    action_ipfs_cid: str | None
    operation: str | None
    duration_ms: int | None
    request_id: str | None

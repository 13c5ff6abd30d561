"""Requests and answers of `GET /billing/usage`."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, Field

from node.http.paging import PageQuery
from node.ledger.port import Service


class UsageQuery(PageQuery):
    """A page of a period: from the first moment up to, and without, the last; each an RFC 3339 time or unix seconds."""

    since: Annotated[
        AwareDatetime | None, Field(alias="from", description="first moment; without it, from the start")
    ] = None
    until: Annotated[AwareDatetime | None, Field(alias="to", description="first moment after the period")] = None


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

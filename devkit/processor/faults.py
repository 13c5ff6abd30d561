"""Faults that a test or a developer injects into the API."""

import asyncio
import fnmatch
from collections.abc import Mapping
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from devkit.processor.errors import API, ApiError

FaultKind = Literal["server_error", "rate_limit", "hang", "dropped"]
MAX_STATUS: Final = 599


class Fault(BaseModel):
    """A fault to inject, with the requests it concerns and how often.

    `path` is a pattern (`/v1/customers/*`), `times` None until it is cleared. With `after_work`
    only the response is lost, late or an error. A server error is repeated for its idempotency key
    after the work or if `kept`, as by the real one once an endpoint has begun.
    """

    model_config = ConfigDict(extra="forbid")

    kind: FaultKind
    method: Literal["GET", "POST", "DELETE"] | None = None
    path: str = "*"
    times: int | None = Field(default=1, ge=1)
    after_work: bool = False
    kept: bool = False
    status: int = Field(default=500, ge=500, le=MAX_STATUS)
    retry_after_s: int | None = 1

    def error(self) -> ApiError:
        """Returns the response of a "server_error" or a "rate_limit"."""
        if self.kind == "rate_limit":
            return ApiError(429, "Request rate limit exceeded. Please slow down.", code="rate_limit")
        message = "An unknown error occurred on the local card processor (injected)."
        return ApiError(self.status, message, kind=API, begun=self.kept or self.after_work)

    def headers(self) -> Mapping[str, str]:
        """Returns the headers of a "rate_limit" response."""
        if self.kind != "rate_limit":
            return {}
        retry = {} if self.retry_after_s is None else {"Retry-After": str(self.retry_after_s)}
        return {"Stripe-Rate-Limited-Reason": "global-rate", **retry}


class Faults:
    """The faults that are set. The first that fits a request is used."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._let_go = asyncio.Event()
        self._hung: asyncio.Queue[None] = asyncio.Queue()
        self.hanging = 0

    def add(self, fault: Fault) -> None:
        """Set one more."""
        self._faults.append(fault.model_copy())

    def clear(self) -> None:
        """Remove all of them and let every hanging request continue."""
        self._faults.clear()
        self.release()

    def take(self, method: str, path: str) -> Fault | None:
        """Returns the fault of this request, counted as used."""
        for fault in self._faults:
            if fault.method in (None, method) and fnmatch.fnmatchcase(path, fault.path):
                self._use(fault)
                return fault
        return None

    def _use(self, fault: Fault) -> None:
        if fault.times is not None:
            fault.times -= 1
            if not fault.times:
                self._faults.remove(fault)

    async def hang(self) -> None:
        """Return when `release` or `clear` is called."""
        self.hanging += 1
        self._hung.put_nowait(None)
        try:
            await self._let_go.wait()
        finally:
            self.hanging -= 1

    async def someone_hangs(self) -> None:
        """Return when one more request has begun to hang."""
        await self._hung.get()

    def release(self) -> None:
        """Let every hanging request continue. Later ones hang again."""
        self._let_go.set()
        self._let_go = asyncio.Event()

    def listed(self) -> list[JsonValue]:
        """Returns the faults that are set, as JSON."""
        return [fault.model_dump() for fault in self._faults]

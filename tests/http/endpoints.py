"""A small API that exercises every attribute an endpoint can have."""

import asyncio
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BaseModel, Field, JsonValue, RootModel

from node.api.calls import Call, Listing, ManyValues, NoInput
from node.api.errors import ErrorCode
from node.api.fields import ApiKeyText, Description, GroupId, Name
from node.api.paging import PageQuery
from node.errors import DomainError
from node.http.endpoint import AnyEndpoint, Auth, Endpoint, account_gate
from node.values import new_key


class Note(BaseModel, extra="forbid"):
    name: Name
    description: Description = ""
    group_id: GroupId = 0
    loud: bool = False
    anything: JsonValue = None


class Noted(BaseModel):
    name: str
    group_id: str
    loud: bool
    caller: str | None
    address: str
    idempotency_id: str | None


class WithKey(BaseModel, extra="forbid"):
    usage_api_key: ApiKeyText


class ThingsQuery(PageQuery):
    group_id: GroupId | None = None


class Thing(BaseModel):
    id: str


class Secret(BaseModel):
    success: bool = True
    usage_api_key: str
    transaction_hash: Annotated[str | None, Field(exclude_if=lambda value: value is None)] = None


class Text(RootModel[str]):
    pass


class Params(ManyValues, extra="forbid"):
    params: JsonValue = None


class Count(BaseModel):
    count: int


BEFORE_ANY_HANDLER = {
    ErrorCode.METHOD_NOT_ALLOWED,
    ErrorCode.URI_TOO_LONG,
    ErrorCode.HEADERS_TOO_LARGE,
    ErrorCode.NOT_IMPLEMENTED,
    ErrorCode.HTTP_VERSION_NOT_SUPPORTED,
}


@dataclass
class Desk:
    """What the endpoints share with their test."""

    things: int = 250
    count: int = 0
    fail_with: BaseException | None = None
    refuse_with: DomainError | None = None
    """What the caller of `/granted` is refused with."""
    started: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    idempotency_ids: list[str | None] = field(default_factory=list)

    def endpoints(self) -> list[AnyEndpoint]:
        every = frozenset(ErrorCode) - BEFORE_ANY_HANDLER
        return [
            Endpoint("POST", "/note", Auth.ANY_KEY, Note, Noted, self.note, "Note", "Test", errors=every),
            Endpoint("POST", "/anonymous", Auth.NONE, Note, Noted, self.note, "Note", "Test", errors=every),
            Endpoint("POST", "/with_key", Auth.ANY_KEY, WithKey, Count, self.with_key, "Key", "Test"),
            Endpoint("POST", "/owner", Auth.ACCOUNT_KEY, NoInput, Count, self.counted, "Owner", "Test", errors=every),
            Endpoint("POST", "/count", Auth.ANY_KEY, NoInput, Count, self.counted, "Count", "Test", errors=every),
            Endpoint("GET", "/shaped", Auth.SHAPED_KEY, NoInput, bool, self.shaped, "Shaped", "Test", open_to_converted=True),
            Endpoint("GET", "/things", Auth.ANY_KEY, ThingsQuery, Listing[Thing], self.list_things, "Things", "Test", open_to_converted=True),
            Endpoint("GET", "/mint", Auth.ANY_KEY, NoInput, Count, self.counted, "Mint", "Test", deprecated_by="/count"),
            Endpoint("POST", "/text", Auth.NONE, Text, str, self.text, "Text", "Test", takes_code=True, example="x"),
            Endpoint("POST", "/params", Auth.ANY_KEY, Params, Count, self.counted_params, "Params", "Test", takes_code=True),
            Endpoint("POST", "/secret", Auth.NONE, Note, Secret, self.secret, "Secret", "Test", errors=every, one_time_secret=True, free_mint=True),
            Endpoint("POST", "/sign_up", Auth.NONE, Note, Secret, self.secret, "Sign up", "Test", errors=every, one_time_secret=True, idempotency_key_is_secret=True),
            Endpoint("POST", "/granted", Auth.ANY_KEY, Note, Secret, self.secret, "Granted", "Test", errors=every, one_time_secret=True, authorise=self.authorise),
            Endpoint("POST", "/slow", Auth.ANY_KEY, NoInput, Count, self.slow, "Slow", "Test", account_gate=account_gate(2)),
            Endpoint("POST", "/abandoned", Auth.ANY_KEY, NoInput, Count, self.slow, "Slow", "Test", cancel_on_disconnect=True),
            Endpoint("GET", "/noop", Auth.NONE, NoInput, Count, self.noop, "Nothing", "Test", also_at=("/noop",), other_statuses=frozenset({503})),
        ]  # fmt: skip

    async def note(self, call: Call, given: Note) -> Noted:
        self.count += 1
        self.idempotency_ids.append(call.idempotency_id)
        self._maybe_fail()
        caller = None if call.authenticated is None else str(call.caller.key_hash)
        return Noted(
            name=given.name,
            group_id=str(given.group_id),
            loud=given.loud,
            caller=caller,
            address=call.client_address,
            idempotency_id=call.idempotency_id,
        )

    async def with_key(self, _: Call, given: WithKey) -> Count:
        return Count(count=given.usage_api_key % 1000)

    async def counted(self, _: Call, __: NoInput) -> Count:
        self.count += 1
        self._maybe_fail()
        return Count(count=self.count)

    async def shaped(self, call: Call, _: NoInput) -> bool:
        return call.authenticated is not None

    async def list_things(self, _: Call, query: ThingsQuery) -> Listing[Thing]:
        first = query.page_number * query.page_size
        ids = range(self.things)[first : first + query.page_size]
        return Listing([Thing(id=str(number)) for number in ids], self.things)

    async def text(self, _: Call, given: Text) -> str:
        return given.root[::-1]

    async def counted_params(self, _: Call, given: Params) -> Count:
        return Count(count=len(given.params) if isinstance(given.params, dict | list | str) else 0)

    async def secret(self, call: Call, _: Note) -> Secret:
        self.count += 1
        self.idempotency_ids.append(call.idempotency_id)
        self._maybe_fail()
        return Secret(usage_api_key=new_key())

    async def authorise(self, _: Call, __: Note) -> None:
        if self.refuse_with is not None:
            raise self.refuse_with

    async def slow(self, _: Call, __: NoInput) -> Count:
        self.started.release()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.ended.put_nowait("cancelled")
            raise
        self.ended.put_nowait("finished")
        return Count(count=1)

    async def noop(self, call: Call, _: NoInput) -> Count:
        if self.fail_with is not None:
            call.status = 503
        return Count(count=0)

    def _maybe_fail(self) -> None:
        if self.fail_with is not None:
            raise self.fail_with

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
from node.http.endpoint import (
    Access,
    AnyEndpoint,
    Auth,
    Docs,
    Endpoint,
    Limits,
    Operation,
    Repetition,
    Responses,
    account_gate,
)
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
            Endpoint(Operation("POST", "/note", Note, Noted, self.note), Docs("Note"), "Test", Access(Auth.ANY_KEY), every),
            Endpoint(Operation("POST", "/anonymous", Note, Noted, self.note), Docs("Note"), "Test", Access(Auth.NONE), every),
            Endpoint(Operation("POST", "/with_key", WithKey, Count, self.with_key), Docs("Key"), "Test", Access(Auth.ANY_KEY)),
            Endpoint(Operation("POST", "/owner", NoInput, Count, self.counted), Docs("Owner"), "Test", Access(Auth.ACCOUNT_KEY), every),
            Endpoint(Operation("POST", "/count", NoInput, Count, self.counted), Docs("Count"), "Test", Access(Auth.ANY_KEY), every),
            Endpoint(Operation("GET", "/shaped", NoInput, bool, self.shaped), Docs("Shaped"), "Test", Access(Auth.SHAPED_KEY, open_to_converted=True)),
            Endpoint(Operation("GET", "/things", ThingsQuery, Listing[Thing], self.list_things), Docs("Things"), "Test", Access(Auth.ANY_KEY, open_to_converted=True)),
            Endpoint(Operation("GET", "/mint", NoInput, Count, self.counted, deprecated_by="/count"), Docs("Mint"), "Test", Access(Auth.ANY_KEY)),
            Endpoint(Operation("POST", "/text", Text, str, self.text), Docs("Text", example="x"), "Test", Access(Auth.NONE), limits=Limits(takes_code=True)),
            Endpoint(Operation("POST", "/params", Params, Count, self.counted_params), Docs("Params"), "Test", Access(Auth.ANY_KEY), limits=Limits(takes_code=True)),
            Endpoint(Operation("POST", "/secret", Note, Secret, self.secret), Docs("Secret"), "Test", Access(Auth.NONE), every, repetition=Repetition(one_time_secret=True), limits=Limits(free_mint=True)),
            Endpoint(Operation("POST", "/sign_up", Note, Secret, self.secret), Docs("Sign up"), "Test", Access(Auth.NONE), every, repetition=Repetition(one_time_secret=True, key_is_secret=True)),
            Endpoint(Operation("POST", "/granted", Note, Secret, self.secret), Docs("Granted"), "Test", Access(Auth.ANY_KEY), every, authorise=self.authorise, repetition=Repetition(one_time_secret=True)),
            Endpoint(Operation("POST", "/slow", NoInput, Count, self.slow), Docs("Slow"), "Test", Access(Auth.ANY_KEY), limits=Limits(account_gate=account_gate(2))),
            Endpoint(Operation("POST", "/abandoned", NoInput, Count, self.slow), Docs("Slow"), "Test", Access(Auth.ANY_KEY), limits=Limits(cancel_on_disconnect=True)),
            Endpoint(Operation("GET", "/noop", NoInput, Count, self.noop, also_at=("/noop",)), Docs("Nothing"), "Test", Access(Auth.NONE), responses=Responses(other=frozenset({503}))),
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

"""Calls of the API without HTTP: their JSON, their input, and what they return."""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Final, Generic, NoReturn, Protocol, Self, TypeVar

from pydantic import BaseModel, Field, GetJsonSchemaHandler, JsonValue, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from node.api.errors import ErrorCode, NodeError
from node.chain.port import MayReread
from node.permissions.grants import Caller
from node.runtime.limits import rate_limit_client

JSON: Final = "application/json"
CSV: Final = "text/csv"


@dataclass(frozen=True, slots=True)
class Document:
    """A page, certificate or file, sent as it is; `etag` (without quotes) names its content for revalidation."""

    body: bytes
    content_type: str
    etag: str | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """The request's own id, which its answer and its charge bear; what identifies it across repetitions, if anything does.

    `client` is the client's address as rate limits count it (`rate_limit_client`); empty where no client asked.
    """

    request_id: str | None = None
    idempotency_id: str | None = None
    client: str = ""


Item = TypeVar("Item")


class OptionalBody(BaseModel, extra="forbid"):
    """Base of bodies that may be left out: an empty one, of whatever content type, is `{}`."""


class NoInput(OptionalBody, extra="forbid"):
    """The input of an endpoint that takes none: no query, and an empty body or `{}`."""


class EitherBody(BaseModel):
    """Base of bodies that name their subject by exactly one of two fields, `EITHER`."""

    EITHER: ClassVar[tuple[str, str]]

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        # By None and not by truth: the empty text is a source, and has a CID.
        first, second = (getattr(self, name) is None for name in self.EITHER)
        if first == second:
            raise ValueError(f"must name it by exactly one of {' and '.join(self.EITHER)}")
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Returns two whole schemas: generators of clients do not understand a part of one under `oneOf`."""
        given = handler(schema)
        whole = handler.resolve_ref_schema(given)
        alternatives = []
        for name, other in (cls.EITHER, cls.EITHER[::-1]):
            fields = {**whole["properties"], name: _not_null(whole["properties"][name]), other: {"type": "null"}}
            title = f"{whole['title']}By{name.title().replace('_', '')}"
            required = [*whole.get("required", []), name]
            alternatives.append({**whole, "title": title, "properties": fields, "required": required})
        described = {"title": whole["title"], "description": whole["description"], "oneOf": alternatives}
        whole.clear()
        whole.update(described)
        return given


def _not_null(schema: JsonSchemaValue) -> JsonSchemaValue:
    kinds = [kind for kind in schema["anyOf"] if kind != {"type": "null"}]
    return {**schema, "anyOf": kinds} if len(kinds) > 1 else kinds[0]


class ManyValues(BaseModel):
    """Base of bodies that hold a value of the client's own, of any shape and size (`js_params`)."""


class SignedBody(BaseModel, frozen=True, extra="forbid"):
    """The body byte for byte as it was sent, and the header that signs it (`Endpoint.signature_header`); empty: none."""

    content: Annotated[bytes, Field(repr=False)]
    signature: Annotated[str, Field(repr=False)]


@dataclass(frozen=True, slots=True)
class Listing(Generic[Item]):
    """Page of items and the length of the whole list; answered as a bare array with paging headers."""

    items: Sequence[Item]
    total: int


Note = Callable[[Mapping[str, object]], bool]
"""Adds fields to the log line of the request; False when the line is written already."""


def not_noted(_: Mapping[str, object]) -> bool:
    """Add nothing: the call has no log line."""
    return False


class Attempt(Protocol):
    """Try to do the work of a request with an Idempotency-Key, where the work must not be done twice.

    Work begins in two steps: `commit`, for good, then `begin`. A try that ends between them has not begun.
    """

    async def commit(self, cause: str) -> None:
        """Note in the database that the work is about to begin; the ledger charges it under `cause`.

        Raises NodeError `conflict` when another node has the request meanwhile, and DatabaseUnavailableError: then it must not
        begin.
        """
        ...

    def begin(self) -> None:
        """Note that it has begun: it goes on without its client, and is never tried again."""
        ...


def no_rereads() -> bool:
    """Allow none: the call came from no client address."""
    return False


@dataclass(slots=True)
class Call:
    """Request as a handler sees it: the caller and the client's address; never the key, never the HTTP request.

    `idempotency_id` identifies the request across repetitions when the client sent an Idempotency-Key; `attempt` is this try of it.
    Headers a handler puts in `headers` are sent with its answer, which has the HTTP `status`
    (the endpoint's `success_status`, or one of its `other_statuses`). `may_reread` takes one of the client address's re-reads of
    cached denials. `by_wallet`: the caller is the account's current admin wallet, by its signature. `host` is `host[:port]` as the request names it, on endpoints at the host's root; None: it names none.
    `wallets_used` are the addresses of the wallets that the answer was made with (see `Answer.wallets`).
    `note` adds fields to the request's log line.
    `wants_csv`: its Accept header would rather have CSV than JSON, on an endpoint that has both.
    """

    request_id: str
    client_address: str
    correlation_id: str | None = None
    idempotency_id: str | None = None
    attempt: Attempt | None = None
    authenticated: Caller | None = None
    may_reread: MayReread = no_rereads
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 200
    host: str | None = None
    by_wallet: bool = False
    wants_csv: bool = False
    wallets_used: Sequence[str] = ()
    note: Note = not_noted

    @property
    def origin(self) -> Origin:
        """Return the ids of the request, for the work that is done for it."""
        return Origin(self.request_id, self.idempotency_id, rate_limit_client(self.client_address))

    @property
    def caller(self) -> Caller:
        """Return the authenticated caller. On an endpoint without authentication this is a bug, and says so."""
        if self.authenticated is None:
            raise NodeError(ErrorCode.INTERNAL_ERROR, "This endpoint has no caller.")
        return self.authenticated


_MAX_NUMBER_DIGITS: Final = 100
"""More than any value of the API needs (u256: 78); keeps parsing of integers linear."""
_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")


class DuplicateFieldError(ValueError):
    """An object names a field twice, of which parsers take now the one, now the other."""


def parse_strict_json(body: bytes) -> JsonValue:
    """Return the value in `body`, which must be UTF-8.

    Raises ValueError, with a message fit for the client, for invalid UTF-8, lone surrogates, syntax errors,
    repeated names in an object (DuplicateFieldError), NaN, Infinity, numbers no double holds, and nesting too deep.
    """
    try:
        text = body.decode()
    except UnicodeDecodeError:
        raise ValueError("The body is not valid UTF-8.") from None
    try:
        value: JsonValue = _DECODER.decode(text)
        # A lone surrogate is valid JSON, and no UTF-8: it would fail later, where the text is hashed or stored.
        if b"\\" in body and _SURROGATE_ESCAPE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("The body holds half of a surrogate pair, which is no character.") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"The body is not valid JSON (line {error.lineno}, column {error.colno}).") from None
    except RecursionError:
        raise ValueError("The body is nested too deeply.") from None
    return value


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    value = dict(pairs)
    # RFC 8259, 4: parsers differ in which of two equal names they take.
    if len(value) != len(pairs):
        raise DuplicateFieldError("The body names a field twice in one object.")
    return value


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("The body holds NaN or Infinity, which JSON does not have.")


def _float(text: str) -> float:
    # 1e999 is valid JSON and becomes infinity.
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("The body holds a number that is too large.")
    return number


def _int(text: str) -> int:
    # Before `int`, whose time grows with the square of the digits.
    if len(text) > _MAX_NUMBER_DIGITS:
        raise ValueError("The body holds a number that is too large.")
    return int(text)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_float, parse_int=_int
)


def json_bytes(value: JsonValue) -> bytes:
    """Compact JSON in UTF-8."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()

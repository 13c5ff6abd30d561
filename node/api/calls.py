"""Calls of the API without HTTP: strict JSON, base classes of bodies, and the handler's request."""

import gzip
import hashlib
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
    """A page, certificate or file, sent unchanged. `etag`, without quotes, names the content.

    `compressed` is the body as gzip (RFC 1952), for clients that accept it.
    """

    body: bytes = field(repr=False)
    content_type: str
    etag: str | None = None
    compressed: bytes | None = field(default=None, repr=False)

    @classmethod
    def fixed(cls, body: bytes, content_type: str) -> Self:
        """Returns a document that is served many times: compressed now, its SHA-256 the `etag`."""
        # Without a time in the header, so that equal files are equal bytes.
        return cls(body, content_type, hashlib.sha256(body).hexdigest(), gzip.compress(body, mtime=0))


@dataclass(frozen=True, slots=True)
class Origin:
    """Ids of a request, for its work, its response and its charge.

    `idempotency_id` is the same in each repetition. `client` is the address for rate limits, or "".
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
        # Compared with None, since the empty text is a valid source and has a CID.
        first, second = (getattr(self, name) is None for name in self.EITHER)
        if first == second:
            raise ValueError(f"must name it by exactly one of {' and '.join(self.EITHER)}")
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Returns two whole schemas under `oneOf`, since client generators misread partial ones."""
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
    """Exact bytes of a body, and its signature header (`Endpoint.signature_header`) or ""."""

    content: Annotated[bytes, Field(repr=False)]
    signature: Annotated[str, Field(repr=False)]


@dataclass(frozen=True, slots=True)
class Listing(Generic[Item]):
    """Page of a list, sent as a bare array. `total` is the length of the whole list."""

    items: Sequence[Item]
    total: int


Note = Callable[[Mapping[str, object]], bool]
"""Adds fields to the request's log line. Returns False if that line is already written."""


def not_noted(_: Mapping[str, object]) -> bool:
    """Adds nothing, since the call has no log line."""
    return False


class Attempt(Protocol):
    """Attempt at a request with an Idempotency-Key, whose work must not be done twice.

    Call `commit` before the work and `begin` when the work starts. If the attempt fails between
    the two, the work has not begun and the request may be repeated.
    """

    async def commit(self, cause: str) -> None:
        """Stores that the work is about to begin. The ledger charges it under `cause`.

        The work must not begin if this raises DatabaseUnavailableError, or NodeError `conflict`
        because another node has taken the request over.
        """
        ...

    def begin(self) -> None:
        """Records that the work has begun. It goes on without its client and is never retried."""
        ...


def no_rereads() -> bool:
    """Refuses every re-read, since the call has no client address."""
    return False


@dataclass(slots=True)
class Call:
    """Request as a handler sees it, without the key and without the HTTP request.

    `attempt` is one of the attempts at a request with an Idempotency-Key, which share an
    `idempotency_id`. The handler may set `headers` and `status` (`success_status` or one of
    `other_statuses`) of the response. `may_reread` takes one of the client address's re-reads of
    cached denials. `by_wallet`: the account's current admin wallet signed it. `host` is the Host
    of a request at the host's root. `wallets_used` are the addresses of wallets used for it (see
    `Answer.wallets`). `note` adds to the log line. `wants_csv`: Accept prefers CSV to JSON.
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
        """Returns the ids of the request, for the work that is done for it."""
        return Origin(self.request_id, self.idempotency_id, rate_limit_client(self.client_address))

    @property
    def caller(self) -> Caller:
        """Returns the authenticated caller. Raises NodeError if the endpoint authenticates none."""
        if self.authenticated is None:
            raise NodeError(ErrorCode.INTERNAL_ERROR, "This endpoint has no caller.")
        return self.authenticated


_MAX_NUMBER_DIGITS: Final = 100
"""Maximum digits of a number. The API needs 78 (u256); the limit keeps parsing linear."""
_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")


class DuplicateFieldError(ValueError):
    """An object names a field twice. Parsers differ in which of the two they take."""


def parse_strict_json(body: bytes) -> JsonValue:
    """Returns the value in `body`, which must be UTF-8.

    Raises ValueError, with a message for the client, for invalid UTF-8, lone surrogates, syntax
    errors, repeated names (DuplicateFieldError), NaN, infinities and too deep nesting.
    """
    try:
        text = body.decode()
    except UnicodeDecodeError:
        raise ValueError("The body is not valid UTF-8.") from None
    try:
        value: JsonValue = _DECODER.decode(text)
        # A lone surrogate is valid JSON but not UTF-8: hashing or storing it would fail later.
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
    # Checked before `int`, whose time grows with the square of the digits.
    if len(text) > _MAX_NUMBER_DIGITS:
        raise ValueError("The body holds a number that is too large.")
    return int(text)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_float, parse_int=_int
)


def json_bytes(value: JsonValue) -> bytes:
    """Returns compact JSON in UTF-8."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()

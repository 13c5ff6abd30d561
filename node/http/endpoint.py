"""Declaration of an endpoint: the same object serves requests and describes them in the OpenAPI document."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Annotated, Any, ClassVar, Generic, Literal, Protocol, Self, TypeAlias, TypedDict, TypeVar, Unpack

from pydantic import BaseModel, Field, GetJsonSchemaHandler, JsonValue, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from node.chain.port import MayReread, WriteResult
from node.http.errors import ErrorCode, NodeError
from node.http.mutation import Mutation
from node.http.rate import AccountGate, rate_limit_client
from node.permissions.grants import Caller


@dataclass(frozen=True, slots=True)
class Origin:
    """The request's own id, which its answer and its charge bear; what identifies it across repetitions, if anything does.

    `client` is the client's address as rate limits count it (`rate_limit_client`); empty where no client asked.
    """

    request_id: str | None = None
    idempotency_id: str | None = None
    client: str = ""


Input = TypeVar("Input", bound=BaseModel)
Output = TypeVar("Output")
Item = TypeVar("Item")


class Auth(Enum):
    """Kinds of keys that an endpoint takes."""

    NONE = "none"
    """No key; one that is sent is ignored."""
    ANY_KEY = "any key"
    """The account key or any live usage key of the account."""
    ACCOUNT_KEY = "account key"
    """The account key alone; a usage key is 403."""
    SHAPED_KEY = "any well-shaped key"
    """A key must be sent; when it is unknown, removed or expired `Call.authenticated` is None (account_exists)."""


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


def sent_transaction(answer: object) -> bool:
    """Return whether a mutation's answer is that of a transaction, which is paid for, or bounded by the budget of mints."""
    return isinstance(answer, Mutation) and answer.transaction_hash is not None


def nothing_from_write(_: WriteResult) -> Mapping[str, JsonValue]:
    """Return nothing: most endpoints know their answer before the write."""
    return {}


@dataclass(frozen=True, slots=True)
class Endpoint(Generic[Input, Output]):
    """A method and path under `/core/v1`, its input and output models, and the handler.

    `host_root`: the path is a full one, at the host's root. A `{part}` of it is a field of `takes`.
    `takes` is the JSON body of a POST and the query of a GET, a model with `extra="forbid"`; a `RootModel`
    takes a bare value. `answers` is anything pydantic can serialise; `Listing[Item]` becomes a bare array with
    `X-Total-Count` and `Link` (its `takes` then extends `node.http.paging.PageQuery`). A handler may give a
    `node.http.answers.Document` instead, sent as it is; `content_types` describe it. `also_csv`: it is the same as CSV where
    the client `wants_csv`. A field that is to be
    absent when None says `Field(default=None, exclude_if=lambda value: value is None)`.
    `one_time_secret` marks answers that show a secret once: `no-store`, and an idempotent replay of 10 minutes.
    `idempotency_key_is_secret`: nothing but the Idempotency-Key and the client's address authorises a repetition, which shows
    a secret. The key must have the form of a random one, and a repetition from another address is 409.
    `errors` lists the codes beyond those of the pipeline itself that the handler can answer.
    `deprecated_by` is the `path` of the successor; the answer then carries `Deprecation` and `Link`, and HEAD is 405.
    `open_to_converted`: the old account key of a converted account may call it (lists, account_exists, balance).
    `wallet_auth`: a ChainSecured account's admin wallet may call it by an `X-Wallet-Auth` header instead of a key.
    `free_mint`: new accounts and minted wallets, counted together by client address. What sends a transaction takes gas
    from the node's budget of free writes besides, once it is about to be sent (`node.billing.free_writes`).
    `cached_caller`: who calls may be known from the cache of authorisations; elsewhere it is read live, every time.
    `until_known`, for a key that is unknown so far: waits for the block that the input names, at which it may be known,
    and says whether it names one; without one the key is refused before the input is looked at.
    `authorise` asks for the permission that the handler asks for, without doing anything else: it is asked before an answer
    stored for an Idempotency-Key is shown, with the wallets of that answer in `Call.wallets_used`. It asks for the right
    to make the call, not whether its subject still exists: a repeated removal is answered as the first one was. None:
    `auth` says all there is. `largest_answer_bytes`: no body of an answer is longer, errors included.
    `cancel_on_disconnect`: the handler is cancelled when the client hangs up; others run to their end.
    `account_gate` bounds what one account runs at a time. `also_at` are further full paths that serve the same.
    `other_statuses` lists statuses besides `success_status` with which the same answer, or with 3xx none, is sent.
    `from_write` tells what the answer takes from the write's events, for a repeated request that finds its write done.
    `signature_header` names the header of an endpoint that takes a `SignedBody`; that one's body is JSON as well, but read
    by the handler, after the signature.
    `is_paid` says of an answer whether the request was paid for: its reads of the chain are then not counted.
    `answer_headers` describes headers the handler sets, by name. `example` is one of the body, by default made of the
    examples of its fields; of an endpoint without input it is one of the answer.
    """

    method: Literal["GET", "POST"]
    path: str
    auth: Auth
    takes: type[Input]
    answers: object
    handle: Callable[[Call, Input], Awaitable[Output]]
    summary: str
    tag: str
    description: str = ""
    errors: frozenset[ErrorCode] = frozenset()
    one_time_secret: bool = False
    idempotency_key_is_secret: bool = False
    deprecated_by: str | None = None
    open_to_converted: bool = False
    wallet_auth: bool = False
    free_mint: bool = False
    cached_caller: bool = False
    until_known: Callable[[Input], Awaitable[bool]] | None = None
    authorise: Callable[[Call, Input], Awaitable[object]] | None = None
    largest_answer_bytes: int = 32 * 1024
    cancel_on_disconnect: bool = False
    account_gate: AccountGate | None = None
    also_at: tuple[str, ...] = ()
    other_statuses: frozenset[int] = frozenset()
    success_status: int = 200
    host_root: bool = False
    content_types: tuple[str, ...] = ("application/json",)
    also_csv: bool = False
    signature_header: str = ""
    answer_headers: Mapping[str, str] = field(default_factory=dict)
    example: JsonValue = None
    from_write: Callable[[WriteResult], Mapping[str, JsonValue]] = nothing_from_write
    is_paid: Callable[[Output], bool] = sent_transaction


AnyEndpoint: TypeAlias = Endpoint[Any, Any]
"""An endpoint of whatever input and output, as lists of endpoints hold it."""


@dataclass(frozen=True, slots=True)
class Operation(Generic[Input, Output]):
    """Method and path of an endpoint, its input and output, and the handler, as `Endpoint` has them."""

    method: Literal["GET", "POST"]
    path: str
    takes: type[Input]
    answers: object
    handle: Callable[[Call, Input], Awaitable[Output]]


@dataclass(frozen=True, slots=True)
class Docs:
    """Description of an endpoint in the OpenAPI document."""

    summary: str
    description: str
    example: JsonValue = None


class Own(TypedDict, total=False):
    """Attributes of `Endpoint` that an endpoint of a group has beside, or in place of, those of the group."""

    auth: Auth
    errors: frozenset[ErrorCode]
    authorise: Callable[[Call, Any], Awaitable[object]]
    from_write: Callable[[WriteResult], Mapping[str, JsonValue]]
    deprecated_by: str
    one_time_secret: bool
    free_mint: bool
    open_to_converted: bool
    other_statuses: frozenset[int]
    answer_headers: Mapping[str, str]
    also_at: tuple[str, ...]
    signature_header: str


@dataclass(frozen=True, slots=True)
class Group:
    """Attributes that the endpoints of a group share. Calling it declares one of them."""

    tag: str
    auth: Auth
    errors: frozenset[ErrorCode] = frozenset()
    open_to_converted: bool = False
    wallet_auth: bool = False

    def __call__(self, operation: Operation[Input, Output], docs: Docs, **own: Unpack[Own]) -> AnyEndpoint:
        """Returns the endpoint: what the group has, and what is its own."""
        endpoint = Endpoint(
            operation.method,
            operation.path,
            self.auth,
            operation.takes,
            operation.answers,
            operation.handle,
            docs.summary,
            self.tag,
            docs.description,
            self.errors,
            open_to_converted=self.open_to_converted,
            wallet_auth=self.wallet_auth,
            example=docs.example,
        )
        return replace(endpoint, **own)

"""Declaration of an endpoint: the same object serves requests and describes them in the OpenAPI document."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Generic, Literal, TypeAlias, TypedDict, TypeVar, Unpack

from pydantic import BaseModel, JsonValue

from node.api.calls import Call
from node.api.errors import ErrorCode
from node.api.mutation import Mutation
from node.chain.port import WriteResult
from node.runtime.limits import Gate

Input = TypeVar("Input", bound=BaseModel)
Output = TypeVar("Output")


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
    `X-Total-Count` and `Link` (its `takes` then extends `node.api.paging.PageQuery`). A handler may give a
    `node.api.calls.Document` instead, sent as it is; `content_types` describe it. `also_csv`: it is the same as CSV where
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
    `takes_code`: a body may have `http_max_body_bytes`, elsewhere `http_max_other_body_bytes`.
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
    account_gate: Gate | None = None
    takes_code: bool = False
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


def account_gate(most: int, retry_after_max_s: int = 60) -> Gate:
    """Return a gate of what an account runs at a time. Endpoints that share it share the count."""
    return Gate(
        f"This account already has {most} calls of this kind running.",
        most_of_one=most,
        fix="Wait for one of them to end, then send the request again.",
        retry_after_max_s=retry_after_max_s,
    )


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

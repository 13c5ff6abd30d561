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


@dataclass(frozen=True, slots=True)
class Operation(Generic[Input, Output]):
    """Method and path under `/core/v1`, input and output, and the functions that serve it.

    `takes` is the JSON body of a POST and the query of a GET, a model with `extra="forbid"`; a
    `RootModel` takes a bare value, and a `{part}` of the path is a field. `answers` is anything
    pydantic can serialise; `Listing[Item]` becomes a bare array with `X-Total-Count` and `Link` (its
    `takes` then extends `node.api.paging.PageQuery`). A handler may return a `Document` instead,
    which is sent as it is. A field that is absent when None says
    `Field(default=None, exclude_if=lambda value: value is None)`.

    `until_known` waits for the block that the input names, at which an unknown key may be known, and
    returns whether it names one. Without one the key is refused before the input is read.
    `host_root`: the path is at the host's root. `also_at` has further full paths of the same.
    `deprecated_by` is the successor's `path`; responses then carry `Deprecation` and `Link`, and
    HEAD is 405. `signature_header` names the header of a `SignedBody`, whose body is JSON that the
    handler reads after it checked the signature.
    """

    method: Literal["GET", "POST"]
    path: str
    takes: type[Input]
    answers: object
    handle: Callable[[Call, Input], Awaitable[Output]]
    until_known: Callable[[Input], Awaitable[bool]] | None = None
    host_root: bool = False
    also_at: tuple[str, ...] = ()
    deprecated_by: str | None = None
    signature_header: str = ""


@dataclass(frozen=True, slots=True)
class Docs:
    """Description in the OpenAPI document.

    `example` is one of the body, by default made of the examples of its fields; without input it is
    one of the response. `answer_headers` describes the headers that the handler sets, by name.
    """

    summary: str
    description: str = ""
    example: JsonValue = None
    answer_headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Access:
    """Callers of an endpoint.

    `open_to_converted`: also the old account key of a converted account. `wallet_auth`: also a
    ChainSecured account's admin wallet, by an `X-Wallet-Auth` header instead of a key.
    `cached_caller`: the caller may come from the cache of authorisations, else it is read live.
    """

    auth: Auth
    open_to_converted: bool = False
    wallet_auth: bool = False
    cached_caller: bool = False


def nothing_from_write(_: WriteResult) -> Mapping[str, JsonValue]:
    """Return nothing: most endpoints know their answer before the write."""
    return {}


@dataclass(frozen=True, slots=True)
class Repetition:
    """Response to a repeated request with an Idempotency-Key.

    `one_time_secret`: the response shows a secret once. It is `no-store`, and repeated for 10 minutes
    instead of a day. `key_is_secret`: only the Idempotency-Key and the client's address authorise a
    repetition, so the key must have the form of a random one, and another address gets 409.
    `from_write` reads from the write's events what the response takes from them, for a repetition
    that finds its write done.
    """

    one_time_secret: bool = False
    key_is_secret: bool = False
    from_write: Callable[[WriteResult], Mapping[str, JsonValue]] = nothing_from_write


def sent_transaction(answer: object) -> bool:
    """Return whether a mutation's answer is that of a transaction, which is paid for, or bounded by the budget of mints."""
    return isinstance(answer, Mutation) and answer.transaction_hash is not None


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on requests and responses.

    `takes_code`: a body has up to `http_max_body_bytes`, else `http_max_other_body_bytes`.
    `largest_answer_bytes` bounds every body of a response, errors included. `account_gate` bounds
    the calls that an account runs at a time. `cancel_on_disconnect`: the handler is cancelled when
    the client hangs up; others run to their end. `free_mint`: a new account or minted wallet, which
    are counted together by client address. A transaction also takes gas from the node's budget of
    free writes before it is sent (`node.billing.free_writes`). `is_paid` tells from the response
    whether the request was paid for; its reads of the chain are then not counted.
    """

    takes_code: bool = False
    largest_answer_bytes: int = 32 * 1024
    account_gate: Gate | None = None
    cancel_on_disconnect: bool = False
    free_mint: bool = False
    is_paid: Callable[[object], bool] = sent_transaction


@dataclass(frozen=True, slots=True)
class Responses:
    """Statuses and types of the response.

    `other` has the statuses besides `success` of the same response, or with 3xx of none. `also_csv`:
    it is CSV where the client `wants_csv`.
    """

    success: int = 200
    other: frozenset[int] = frozenset()
    content_types: tuple[str, ...] = ("application/json",)
    also_csv: bool = False


@dataclass(frozen=True, slots=True)
class Endpoint(Generic[Input, Output]):
    """An operation and everything HTTP knows of it.

    `errors` are the codes beside the pipeline's own.
    `authorise` checks the permission that the handler checks, and does nothing else. It runs before
    a response stored for an Idempotency-Key is shown, with the wallets of that response in
    `Call.wallets_used`. It checks the right to call, not whether the subject still exists: a
    repeated removal gets the first response. None: `Access.auth` says everything.
    """

    operation: Operation[Input, Output]
    docs: Docs
    tag: str
    access: Access
    errors: frozenset[ErrorCode] = frozenset()
    authorise: Callable[[Call, Input], Awaitable[object]] | None = None
    repetition: Repetition = Repetition()
    limits: Limits = Limits()
    responses: Responses = Responses()


def account_gate(most: int, retry_after_max_s: int = 60) -> Gate:
    """Return a gate of what an account runs at a time. Endpoints that share it share the count."""
    return Gate(
        f"This account already has {most} calls of this kind running.",
        most_of_one=most,
        fix="Wait for one of them to end, then send the request again.",
        retry_after_max_s=retry_after_max_s,
    )


AnyEndpoint: TypeAlias = Endpoint[Any, Any]
"""An endpoint of any input and output, as lists of endpoints hold it."""


class Own(TypedDict, total=False):
    """Attributes of an endpoint of a group beside, or in place of, those of the group."""

    access: Access
    errors: frozenset[ErrorCode]
    authorise: Callable[[Call, Any], Awaitable[object]]
    repetition: Repetition
    limits: Limits
    responses: Responses


@dataclass(frozen=True, slots=True)
class Group:
    """Attributes that the endpoints of a group share. Calling it declares one of them."""

    tag: str
    access: Access
    errors: frozenset[ErrorCode] = frozenset()

    def __call__(self, operation: Operation[Input, Output], docs: Docs, **own: Unpack[Own]) -> AnyEndpoint:
        """Returns the endpoint: what the group has, and what is its own."""
        return replace(Endpoint(operation, docs, self.tag, self.access, self.errors), **own)

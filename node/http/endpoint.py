"""Declaration of an endpoint, which serves requests and describes them in the OpenAPI document."""

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
    """No key is needed, and one that is sent is ignored."""
    ANY_KEY = "any key"
    """The account key or any live usage key of the account."""
    ACCOUNT_KEY = "account key"
    """Only the account key; a usage key gets 403."""
    SHAPED_KEY = "any well-shaped key"
    """A key must be sent. If it is not live, `Call.authenticated` is None (account_exists)."""


@dataclass(frozen=True, slots=True)
class Operation(Generic[Input, Output]):
    """Method and path under `/core/v1`, input and output, and the functions that serve it.

    `takes` models the JSON body of a POST or the query of a GET, with `extra="forbid"`. A
    `RootModel` takes a bare value, and a `{part}` of the path is a field. `answers` is any type
    that pydantic can serialise. `Listing[Item]` becomes a bare array with `X-Total-Count` and
    `Link`; its `takes` must extend `node.api.paging.PageQuery`. A handler may also return a
    `Document`, which is sent unchanged. To omit a field that is None, declare it with
    `Field(default=None, exclude_if=lambda value: value is None)`.

    `until_known` waits for the block named by the input, which may make an unknown key known, and
    returns whether one is named. If it is None, an unknown key is refused before the input is read.
    If `host_root` is set, the path is at the host's root. `also_at` lists further full paths.
    `deprecated_by` is the successor's `path`. Responses then have `Deprecation` and `Link`, and
    HEAD is 405. `signature_header` names the header of a `SignedBody`. The handler checks the
    signature before it parses the body.
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

    `example` shows the body, by default made of the examples of its fields. If there is no input,
    it shows the response. `answer_headers` describes the handler's headers by name.
    """

    summary: str
    description: str = ""
    example: JsonValue = None
    answer_headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Access:
    """Callers of an endpoint.

    `open_to_converted` admits the old account key of a converted account. `wallet_auth` admits a
    ChainSecured account's admin wallet by an `X-Wallet-Auth` header. `cached_caller` allows a
    caller from the cache of authorisations; otherwise the caller is read live.
    """

    auth: Auth
    open_to_converted: bool = False
    wallet_auth: bool = False
    cached_caller: bool = False


def nothing_from_write(_: WriteResult) -> Mapping[str, JsonValue]:
    """Return no fields, since most endpoints know their response before the write."""
    return {}


@dataclass(frozen=True, slots=True)
class Repetition:
    """Response to a repeated request with an Idempotency-Key.

    With `one_time_secret` the response shows a secret, is `no-store` and is repeated for 10 minutes
    instead of a day. With `key_is_secret` only the Idempotency-Key and the client's address
    authorise a repetition, so the key must be random, and another address gets 409. `from_write`
    reads the response's fields from the events of a write, for a repetition that finds its write
    done.
    """

    one_time_secret: bool = False
    key_is_secret: bool = False
    from_write: Callable[[WriteResult], Mapping[str, JsonValue]] = nothing_from_write


def sent_transaction(answer: object) -> bool:
    """Return whether a mutation sent a transaction, which its price or the mint budget covers."""
    return isinstance(answer, Mutation) and answer.transaction_hash is not None


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on requests and responses.

    With `takes_code` a body has up to `http_max_body_bytes`, else `http_max_other_body_bytes`.
    `largest_answer_bytes` bounds every body of a response, errors included. `account_gate` bounds
    the parallel calls of an account. `cancel_on_disconnect` cancels the handler when the client
    hangs up; other handlers run to their end. `free_mint` counts new accounts and minted wallets
    together by client address. Their transactions also need gas from the node's budget for free
    writes (`node.billing.free_writes`). `is_paid` returns whether the request was paid for, given
    its result. The chain reads of a paid request do not count.
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

    `other` lists further statuses: 3xx without a response body, others with that of `success`.
    With `also_csv` the response is CSV if the client `wants_csv`.
    """

    success: int = 200
    other: frozenset[int] = frozenset()
    content_types: tuple[str, ...] = ("application/json",)
    also_csv: bool = False


@dataclass(frozen=True, slots=True)
class Endpoint(Generic[Input, Output]):
    """Operation with its attributes in HTTP.

    `errors` lists the codes beside those of the pipeline. `authorise` checks only the handler's
    permission. It runs before a response stored for an Idempotency-Key is shown, with the wallets
    of that response in `Call.wallets_used`. It does not check whether the subject still exists, so
    a repeated removal gets the first response. It is None if `Access.auth` is the only condition.
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
    """Return a gate for the calls of an account. Endpoints with the same gate share its count."""
    return Gate(
        f"This account already has {most} calls of this kind running.",
        most_of_one=most,
        fix="Wait for one of them to end, then send the request again.",
        retry_after_max_s=retry_after_max_s,
    )


AnyEndpoint: TypeAlias = Endpoint[Any, Any]
"""Endpoint of any input and output, as in lists of endpoints."""


class Own(TypedDict, total=False):
    """Attributes of one endpoint of a group, in addition to the group's or instead of them."""

    access: Access
    errors: frozenset[ErrorCode]
    authorise: Callable[[Call, Any], Awaitable[object]]
    repetition: Repetition
    limits: Limits
    responses: Responses


@dataclass(frozen=True, slots=True)
class Group:
    """Attributes that the endpoints of a group share. A call declares one endpoint."""

    tag: str
    access: Access
    errors: frozenset[ErrorCode] = frozenset()

    def __call__(self, operation: Operation[Input, Output], docs: Docs, **own: Unpack[Own]) -> AnyEndpoint:
        """Returns an endpoint with the group's attributes and its own."""
        return replace(Endpoint(operation, docs, self.tag, self.access, self.errors), **own)

"""One endpoint, declared once: what serves it is what describes it in the OpenAPI document."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel

from node.errors import ErrorCode, NodeError
from node.permissions.grants import Caller

Input = TypeVar("Input", bound=BaseModel)
Output = TypeVar("Output")
Item = TypeVar("Item")


class Auth(Enum):
    """Which key an endpoint takes."""

    NONE = "none"
    """No key; one that is sent is ignored."""
    ANY_KEY = "any key"
    """The account key or any live usage key of the account."""
    ACCOUNT_KEY = "account key"
    """The account key alone; a usage key is 403."""


class NoInput(BaseModel, extra="forbid"):
    """The input of an endpoint that takes none: no query, and an empty body or `{}`."""


@dataclass(frozen=True, slots=True)
class Listing(Generic[Item]):
    """One page of items and the length of the whole list; answered as a bare array with paging headers."""

    items: Sequence[Item]
    total: int


@dataclass(slots=True)
class Call:
    """One request as a handler sees it: who asks and from where; never the key, never the HTTP request.

    `idempotency_id` identifies the request across repetitions when the client sent an Idempotency-Key.
    Headers a handler puts in `headers` are sent with its answer.
    """

    request_id: str
    client_address: str
    correlation_id: str | None = None
    idempotency_id: str | None = None
    authenticated: Caller | None = None
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def caller(self) -> Caller:
        """The authenticated caller. On an endpoint without authentication this is a bug, and says so."""
        if self.authenticated is None:
            raise NodeError(ErrorCode.INTERNAL_ERROR, "This endpoint has no caller.")
        return self.authenticated


@dataclass(frozen=True, slots=True)
class Endpoint(Generic[Input, Output]):
    """A method and path under `/core/v1`, its input and output models, and the handler.

    `takes` is the JSON body of a POST and the query of a GET. `answers` is anything pydantic can
    serialise; `Listing[Item]` becomes a bare array with `X-Total-Count` and `Link`.
    `one_time_secret` marks answers that show a secret once: `no-store`, and an idempotent replay of 10 minutes.
    `errors` lists the codes beyond those of the pipeline itself that the handler can answer.
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
    deprecated_by: str | None = None

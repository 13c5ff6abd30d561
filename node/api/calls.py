"""Requests and their results as services see them: the call, its input and output, and never HTTP itself."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final, Generic, Protocol, TypeVar

from pydantic import BaseModel, Field

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

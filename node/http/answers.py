"""Responses to all requests: headers, the error shape, request ids, one log line and one count."""

import re
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol
from urllib.parse import urlencode

from aiohttp import web
from multidict import CIMultiDict
from prometheus_client import CollectorRegistry, Gauge
from pydantic import JsonValue

from node.api.calls import CSV, JSON, json_bytes
from node.api.errors import ErrorCode, NodeError, as_node_error
from node.api.paging import PageQuery
from node.errors import DomainError
from node.http.rate import ClientAddresses
from node.runtime.counts import Counts, Durations
from node.runtime.limits import rate_limit_client
from node.values import UniqueIds

_BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0, 900.0)
_METHODS: Final = frozenset({"GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"})


_MAX_RANGES: Final = 32

EXPOSED_HEADERS: Final = (
    "X-Request-Id, X-Total-Count, Link, Retry-After, X-Authorized-At-Block, Idempotency-Replayed, X-Correlation-Id"
)
ALLOWED_HEADERS: Final = "Content-Type, Authorization, X-Api-Key, X-Wallet-Auth, Idempotency-Key, X-Correlation-Id"
_PREFLIGHT_MAX_AGE_S: Final = 600

STATUS_OF: Final[Mapping[ErrorCode, int]] = {
    ErrorCode.BAD_REQUEST: 400,
    ErrorCode.UNAUTHORIZED: 401,
    ErrorCode.PAYMENT_REQUIRED: 402,
    ErrorCode.FORBIDDEN: 403,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.METHOD_NOT_ALLOWED: 405,
    ErrorCode.CONFLICT: 409,
    ErrorCode.PAYLOAD_TOO_LARGE: 413,
    ErrorCode.URI_TOO_LONG: 414,
    ErrorCode.UNSUPPORTED_MEDIA_TYPE: 415,
    ErrorCode.TOO_MANY_REQUESTS: 429,
    ErrorCode.HEADERS_TOO_LARGE: 431,
    ErrorCode.INTERNAL_ERROR: 500,
    ErrorCode.NOT_IMPLEMENTED: 501,
    ErrorCode.CHAIN_UNAVAILABLE: 503,
    ErrorCode.DATABASE_UNAVAILABLE: 503,
    ErrorCode.BILLING_UNAVAILABLE: 503,
    ErrorCode.RUNNER_UNAVAILABLE: 503,
    ErrorCode.TEE_UNAVAILABLE: 503,
    ErrorCode.BILLING_DISABLED: 503,
    ErrorCode.CHAIN_TIMEOUT: 504,
    ErrorCode.HTTP_VERSION_NOT_SUPPORTED: 505,
}
"""HTTP status of each error code."""

COMMON_HEADERS: Final[Mapping[str, str]] = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": EXPOSED_HEADERS,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Server": "svc-node",
}
"""Headers of every response."""
_HSTS: Final = ("Strict-Transport-Security", "max-age=31536000")
"""Header of every response over TLS, and of no other (RFC 6797, 7.2)."""

_JSON_HEADERS: Final = CIMultiDict(
    {
        **COMMON_HEADERS,
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
        "Content-Type": "application/json; charset=utf-8",
    }
)


NO_STORE: Final[Mapping[str, str]] = {"Cache-Control": "no-store"}


@dataclass(frozen=True, slots=True)
class Answer:
    """Response before its request ids are added: status, JSON bytes and further headers.

    `wallets` are the addresses of the wallets it was made with. They are not sent. Before a stored
    response is shown again, the caller must still be allowed to use each of them.
    """

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    wallets: Sequence[str] = ()

    def response(self) -> web.Response:
        """Return the response as aiohttp sends it."""
        headers = _JSON_HEADERS.copy()
        headers.update(self.headers)
        return web.Response(status=self.status, body=self.body, headers=headers)


def error_answer(error: NodeError, request_id: str) -> Answer:
    """Return an error in the API's shape, with the headers its status requires (RFC 9110)."""
    body: dict[str, JsonValue] = {"error": str(error.code), "message": error.message}
    if error.fix is not None:
        body["fix"] = error.fix
    body["request_id"] = request_id
    if error.details:
        body["details"] = dict(error.details)
    return Answer(STATUS_OF[error.code], json_bytes(body), {**NO_STORE, **_error_headers(error)})


def _error_headers(error: NodeError) -> dict[str, str]:
    status = STATUS_OF[error.code]
    if status == 401:
        return {"WWW-Authenticate": "Bearer"}
    if status in {429, 503} or (status == 409 and error.retry_after_s is not None):
        return {"Retry-After": str(error.retry_after_s if error.retry_after_s is not None else 1)}
    return {}


def preflight_response(allow: str) -> web.Response:
    """Return the response to OPTIONS: the methods, and the headers any page may send."""
    headers = CIMultiDict(COMMON_HEADERS)
    headers.update(
        {
            "Allow": allow,
            "Access-Control-Allow-Methods": allow,
            "Access-Control-Allow-Headers": ALLOWED_HEADERS,
            "Access-Control-Max-Age": str(_PREFLIGHT_MAX_AGE_S),
        }
    )
    return web.Response(status=204, headers=headers)


def prefers_csv(accept: str) -> bool:
    """Return whether Accept prefers CSV to JSON. At equal quality CSV must be named, JSON not."""
    qualities = _qualities(accept)
    csv, json = _quality(qualities, CSV), _quality(qualities, JSON)
    return csv > json or (csv == json > 0 and CSV in qualities and JSON not in qualities)


def _quality(qualities: dict[str, float], wanted: str) -> float:
    """Return the quality of the most exact media range that covers `wanted`, or 0."""
    for media_range in (wanted, f"{wanted.split('/', maxsplit=1)[0]}/*", "*/*"):
        if media_range in qualities:
            return qualities[media_range]
    return 0.0


def _qualities(accept: str) -> dict[str, float]:
    qualities: dict[str, float] = {}
    # Bounded, since a header of 8 KiB could name thousands of ranges, and each is parsed.
    for part in accept.lower().split(",")[:_MAX_RANGES]:
        media_range, *parameters = (piece.strip() for piece in part.split(";"))
        quality = next((value[2:] for value in parameters if value.startswith("q=")), "1")
        try:
            qualities[media_range] = min(max(float(quality), 0.0), 1.0)
        except ValueError:
            qualities[media_range] = 0.0
    return qualities


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_CORRELATION_ID: Final = re.compile(r"[ -~]{1,128}")
_UNMATCHED: Final = "unmatched"
_CLIENT_CLOSED: Final = 499
"""Status in logs and metrics of a request whose client hung up before the response."""


class Logger(Protocol):
    """The part of a structlog logger that this package uses."""

    def info(self, event: str, **fields: object) -> object:
        """Log a normal event."""
        ...

    def error(self, event: str, **fields: object) -> object:
        """Log a bug."""
        ...


class RequestContext:
    """Ids of a request, its client's address, and further fields of its log line.

    `client` is the address as rate limits count it.
    """

    __slots__ = ("_fields", "client", "client_address", "correlation_id", "request_id")

    def __init__(self, request_id: str, correlation_id: str | None, client_address: str) -> None:
        self.request_id = request_id
        self.correlation_id = correlation_id
        self.client_address = client_address
        self.client = rate_limit_client(client_address)
        self._fields: dict[str, object] | None = {}

    def note(self, fields: Mapping[str, object]) -> bool:
        """Add fields to the log line. Returns False, and adds none, if it is already written."""
        if self._fields is None:
            return False
        self._fields.update(fields)
        return True

    def take_notes(self) -> Mapping[str, object]:
        """Return the added fields for the log line; later ones are refused."""
        fields, self._fields = self._fields, None
        return fields or {}

    @property
    def ids(self) -> Mapping[str, str]:
        """Return the ids as headers of the response."""
        if self.correlation_id is None:
            return {"X-Request-Id": self.request_id}
        return {"X-Request-Id": self.request_id, "X-Correlation-Id": self.correlation_id}


CONTEXT: Final = web.RequestKey("CONTEXT", RequestContext)


class HttpMetrics:
    """Counts and durations of requests by route template; labels contain no text of a client."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counts("svc_http_requests", "Requests answered.", ["method", "route", "status"], registry)
        self._duration = Durations(
            "svc_http_request_duration_seconds", "Time from the headers to the answer.", _BUCKETS_S, registry, "route"
        )
        self.in_progress = 0
        gauge = Gauge("svc_http_requests_in_progress", "Requests being answered.", registry=registry)
        gauge.set_function(lambda: self.in_progress)

    def observe(self, method: str, route: str, status: int, duration_s: float) -> None:
        """Count one answered request."""
        self._requests.add(method if method in _METHODS else "other", route, str(status))
        self._duration.add(duration_s, route)


class Envelope:
    """Wraps the handling of every request."""

    def __init__(self, metrics: HttpMetrics, logger: Logger, addresses: ClientAddresses) -> None:
        self._metrics = metrics
        self._logger = logger
        self._addresses = addresses
        self._ids = UniqueIds()

    def open(self, request: web.BaseRequest) -> RequestContext:
        """Give the request its ids and its client's address."""
        headers = request.headers
        correlation_id = headers.get("X-Correlation-Id")
        # It is echoed in a header, so an id that is not printable ASCII is dropped.
        if correlation_id is not None and not _CORRELATION_ID.fullmatch(correlation_id):
            correlation_id = None
        addresses = self._addresses
        # aiohttp gives an unreadable request a plain dict as headers, which has no getall.
        is_forwarded = addresses.trusts_proxies and addresses.forwarding_header in headers
        forwarded = headers.getall(addresses.forwarding_header) if is_forwarded else ()
        client = addresses.client(request.remote or "", forwarded)
        return RequestContext(self._ids.uuid(), correlation_id, client)

    @web.middleware
    async def handle(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Run the handler as the first middleware; put every exception into the error shape."""
        started = time.perf_counter()
        context = request[CONTEXT] = self.open(request)
        response: web.StreamResponse | None = None
        self._metrics.in_progress += 1
        try:
            response = await handler(request)
        except web.HTTPMethodNotAllowed as error:
            methods = ", ".join(sorted(error.allowed_methods))
            fix = f"Use one of: {methods}."
            refusal = NodeError(ErrorCode.METHOD_NOT_ALLOWED, "This path does not take this method.", fix=fix)
            response = error_answer(refusal, context.request_id).response()
            response.headers["Allow"] = methods
        except Exception as error:  # noqa: BLE001 - nothing but the error shape may reach the client
            response = error_answer(self._as_node_error(error, context), context.request_id).response()
        finally:
            self._metrics.in_progress -= 1
            status = _CLIENT_CLOSED if response is None else response.status
            # The declared template, since the path is chosen by the client.
            resource = request.match_info.route.resource
            route = _UNMATCHED if resource is None else resource.canonical
            self._note(request.method, route, status, time.perf_counter() - started, context)
        return _stamp(response, request, context)

    def refuse(self, request: web.BaseRequest, error: BaseException) -> web.Response:
        """Return the response to a request that never reached the application."""
        context = self.open(request)
        refusal = self._as_node_error(error, context)
        response = error_answer(refusal, context.request_id).response()
        self._note(request.method, _UNMATCHED, response.status, 0.0, context)
        _stamp(response, request, context)
        return response

    def _as_node_error(self, error: BaseException, context: RequestContext) -> NodeError:
        # An `internal_error` is logged as a bug, and shown without the message of its cause.
        expected = as_node_error(error) if isinstance(error, DomainError) else None
        if expected is not None and expected.code is not ErrorCode.INTERNAL_ERROR:
            return expected
        if isinstance(error, web.HTTPNotFound):
            return NodeError(ErrorCode.NOT_FOUND, "There is no such path.", fix="See /core/v1/openapi.json.")
        if isinstance(error, web.HTTPException) and 400 <= error.status < 500:
            fix = "Send well-formed HTTP/1.1: the head, the chunks or an expectation of this request are not."
            return NodeError(ErrorCode.BAD_REQUEST, "The request cannot be served as it was sent.", fix=fix)
        self._log_bug("internal_error", error, request_id=context.request_id)
        return NodeError(
            ErrorCode.INTERNAL_ERROR,
            "The node failed: this is a bug.",
            fix="Report it with the request_id. The request may be repeated with the same Idempotency-Key.",
            details=None if expected is None else expected.details,
        )

    def log_failure(self, error: BaseException) -> None:
        """Log a failure on a connection outside any request, with the same caution as a bug."""
        self._log_bug("connection_failed", error)

    def _log_bug(self, event: str, error: BaseException, **fields: object) -> None:
        """Log an exception's traceback without message and variables, which may hold secrets."""
        frames = traceback.extract_tb(error.__traceback__)
        places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        # Not named `stack`, since structlog uses that name for a text of its own.
        self._logger.error(event, **fields, exception=type(error).__name__, frames=places)

    def _note(self, method: str, route: str, status: int, duration_s: float, context: RequestContext) -> None:
        self._metrics.observe(method, route, status, duration_s)
        self._logger.info(
            "request",
            request_id=context.request_id,
            # The client chooses it: 8 KiB are a valid method (RFC 9110, 5.6.2), but no log label.
            method=method if len(method) <= 10 else "other",
            route=route,
            status=status,
            duration_ms=round(duration_s * 1000, 3),
            client_address=context.client_address,
            **context.take_notes(),
        )


def _stamp(response: web.StreamResponse, request: web.BaseRequest, context: RequestContext) -> web.StreamResponse:
    response.headers.update(context.ids)
    if request.secure:
        name, value = _HSTS
        response.headers[name] = value
    return response


def paging_headers(path: str, query: Mapping[str, str], page: PageQuery, total: int) -> dict[str, str]:
    """Returns `X-Total-Count`, and `Link` with first, prev, next and last, as they exist.

    Links are relative to the request's path, and keep the other fields of its `query`.
    """
    last = max(0, -(-total // page.page_size) - 1)
    targets = {"first": 0}
    if page.page_number > 0:
        targets["prev"] = min(page.page_number - 1, last)
    if page.page_number < last:
        targets["next"] = page.page_number + 1
    targets["last"] = last
    kept = {name: value for name, value in query.items() if name not in {"page_number", "page_size"}}

    def link(number: int) -> str:
        return f"<{path}?{urlencode({**kept, 'page_number': number, 'page_size': page.page_size})}>"

    links = ", ".join(f'{link(number)}; rel="{relation}"' for relation, number in targets.items())
    return {"X-Total-Count": str(total), "Link": links}

"""Ids, the error shape, one log line and one count of every request."""

import asyncio
import re
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol

from aiohttp import web

from node.http.addresses import ClientAddresses, rate_limit_client
from node.http.answers import Answer, error_answer
from node.http.errors import DomainError, ErrorCode, NodeError, as_node_error
from node.http.metrics import HttpMetrics
from node.runtime.unique_ids import UniqueIds

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_CORRELATION_ID: Final = re.compile(r"[ -~]{1,128}")
_UNMATCHED: Final = "unmatched"
_CLIENT_CLOSED: Final = 499
"""In logs and metrics alone: the client hung up before there was an answer."""


class Logger(Protocol):
    """The part of a structlog logger this package uses: an event's name and its fields."""

    def info(self, event: str, **fields: object) -> object:
        """Log a normal event."""
        ...

    def error(self, event: str, **fields: object) -> object:
        """Log a bug."""
        ...


class RequestNotes:
    """Fields that whatever serves a request adds to the request's log line."""

    __slots__ = ("_fields",)

    def __init__(self) -> None:
        self._fields: dict[str, object] | None = {}

    def add(self, fields: Mapping[str, object]) -> bool:
        """Add these, none of which is the line's own; False, and nothing is added, when the line is written already."""
        if self._fields is None:
            return False
        self._fields.update(fields)
        return True

    def take(self) -> Mapping[str, object]:
        """Return the fields that were added, for the line that is written now."""
        fields, self._fields = self._fields, None
        return fields or {}


class RequestContext:
    """A request's ids, its client's address, and what is to be logged of it.

    `client` is the address as rate limits count it. `body` is what was read of the request so far, None before that.
    """

    __slots__ = ("body", "client", "client_address", "correlation_id", "notes", "request_id")

    def __init__(self, request_id: str, correlation_id: str | None, client_address: str) -> None:
        self.request_id = request_id
        self.correlation_id = correlation_id
        self.client_address = client_address
        self.client = rate_limit_client(client_address)
        self.notes = RequestNotes()
        self.body: bytes | None = None

    @property
    def ids(self) -> Mapping[str, str]:
        """Return the ids as headers of the answer."""
        if self.correlation_id is None:
            return {"X-Request-Id": self.request_id}
        return {"X-Request-Id": self.request_id, "X-Correlation-Id": self.correlation_id}


class DirectRoute(Protocol):
    """An endpoint at a path without variable parts, answered without the application's router."""

    @property
    def template(self) -> str:
        """Return the path, as logs and metrics name it."""
        ...

    async def answer(self, request: web.Request, context: RequestContext) -> Answer:
        """Answer one request. Raises NodeError."""
        ...


CONTEXT: Final = web.RequestKey("CONTEXT", RequestContext)


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
        if correlation_id is not None and not _CORRELATION_ID.fullmatch(correlation_id):
            correlation_id = None
        addresses = self._addresses
        # aiohttp gives a request that it could not read a plain dict of no headers, which has no getall.
        is_forwarded = addresses.trusts_proxies and addresses.forwarding_header in headers
        forwarded = headers.getall(addresses.forwarding_header) if is_forwarded else ()
        client = addresses.client(request.remote or "", forwarded)
        return RequestContext(self._ids.uuid(), correlation_id, client)

    async def answer(self, request: web.Request, route: DirectRoute, context: RequestContext) -> Answer:
        """Return the answer of a direct route inside the envelope; whatever it raises becomes the error shape."""
        started = time.perf_counter()
        status = _CLIENT_CLOSED
        self._metrics.in_progress += 1
        try:
            try:
                answer = await route.answer(request, context)
            except Exception as error:  # noqa: BLE001 - nothing but the error shape may reach the client
                answer = error_answer(self._as_node_error(error, context), context.request_id)
            status = answer.status
        finally:
            self._metrics.in_progress -= 1
            self._note(request.method, route.template, status, time.perf_counter() - started, context)
        return answer

    async def handle(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Run the handler inside the envelope; whatever it raises becomes the error shape."""
        started = time.perf_counter()
        context = request[CONTEXT] = self.open(request)
        status = _CLIENT_CLOSED
        self._metrics.in_progress += 1
        try:
            response = await self._respond(request, handler, context)
            status = response.status
        finally:
            self._metrics.in_progress -= 1
            self._note(request.method, _route_of(request), status, time.perf_counter() - started, context)
        return _stamp(response, context)

    def refuse(self, request: web.BaseRequest, error: BaseException) -> web.Response:
        """Return the answer to what never became a request of the application: malformed HTTP, an unknown expectation."""
        context = self.open(request)
        refusal = self._as_node_error(error, context)
        response = error_answer(refusal, context.request_id).response()
        self._note(request.method, _UNMATCHED, response.status, 0.0, context)
        _stamp(response, context)
        return response

    async def _respond(self, request: web.Request, handler: Handler, context: RequestContext) -> web.StreamResponse:
        try:
            return await handler(request)
        except asyncio.CancelledError:
            raise
        except web.HTTPMethodNotAllowed as error:
            response = error_answer(_method_not_allowed(error), context.request_id).response()
            response.headers["Allow"] = ", ".join(sorted(error.allowed_methods))
            return response
        except Exception as error:  # noqa: BLE001 - nothing but the error shape may reach the client
            return error_answer(self._as_node_error(error, context), context.request_id).response()

    def _as_node_error(self, error: BaseException, context: RequestContext) -> NodeError:
        expected = as_node_error(error) if isinstance(error, DomainError) else None
        if expected is not None and expected.code is not ErrorCode.INTERNAL_ERROR:
            return expected
        if isinstance(error, web.HTTPNotFound):
            return NodeError(ErrorCode.NOT_FOUND, "There is no such path.", fix="See /core/v1/openapi.json.")
        if isinstance(error, web.HTTPException) and 400 <= error.status < 500:
            fix = "Send well-formed HTTP/1.1: the head, the chunks or an expectation of this request are not."
            return NodeError(ErrorCode.BAD_REQUEST, "The request cannot be served as it was sent.", fix=fix)
        self._log_bug(error, context)
        return NodeError(
            ErrorCode.INTERNAL_ERROR,
            "The node failed: this is a bug.",
            fix="Report it with the request_id. The request may be repeated with the same Idempotency-Key.",
            details=None if expected is None else expected.details,
        )

    def log_failure(self, error: BaseException) -> None:
        """Log what failed outside any request, on a connection: as little of it as of a bug."""
        self._logger.error("connection_failed", exception=type(error).__name__, frames=_frames(error))

    def _log_bug(self, error: BaseException, context: RequestContext) -> None:
        self._logger.error(
            "internal_error",
            request_id=context.request_id,
            exception=type(error).__name__,
            frames=_frames(error),
        )

    def _note(self, method: str, route: str, status: int, duration_s: float, context: RequestContext) -> None:
        self._metrics.observe(method, route, status, duration_s)
        self._logger.info(
            "request",
            request_id=context.request_id,
            method=method if len(method) <= 10 else "other",
            route=route,
            status=status,
            duration_ms=round(duration_s * 1000, 3),
            client_address=context.client_address,
            **context.notes.take(),
        )


def _frames(error: BaseException) -> list[str]:
    """Return the places of an exception's traceback; its message and variables may hold a secret.

    Never to be logged as `stack`: structlog takes that name for a text of its own.
    """
    frames = traceback.extract_tb(error.__traceback__)
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]


def _stamp(response: web.StreamResponse, context: RequestContext) -> web.StreamResponse:
    response.headers.update(context.ids)
    return response


def _route_of(request: web.Request) -> str:
    """Return the route's template as declared; never the path the client sent."""
    resource = request.match_info.route.resource
    return _UNMATCHED if resource is None else resource.canonical


def _method_not_allowed(error: web.HTTPMethodNotAllowed) -> NodeError:
    return NodeError(
        ErrorCode.METHOD_NOT_ALLOWED,
        "This path does not take this method.",
        fix=f"Use one of: {', '.join(sorted(error.allowed_methods))}.",
    )

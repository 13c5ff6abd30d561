"""Converts HTTP requests to calls of the API and back, with key, idempotency and faults."""

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl

from aiohttp import web
from pydantic import JsonValue

from devkit.processor.calls import Call, Core, Json, Route
from devkit.processor.errors import ApiError
from devkit.processor.events import Origin
from devkit.processor.expansion import expand
from devkit.processor.faults import Fault, Faults
from devkit.processor.forms import Form, Tree, parse
from devkit.processor.idempotency import IdempotencyKeys, fingerprint
from devkit.processor.identifiers import fresh
from devkit.processor.keys import Keys, browser_view, publishable_refused, sent_key
from devkit.processor.objects import API_VERSION, KeptResponse

ANYWHERE: Final = frozenset({"expand", "key", "_stripe_version"})
CORS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST, DELETE",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, Stripe-Version",
    "Access-Control-Expose-Headers": "Request-Id",
    "Access-Control-Max-Age": "300",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """A request with its response's status, which is None when the response was dropped."""

    method: str
    path: str
    idempotency_key: str | None
    status: int | None


@dataclass(frozen=True, slots=True)
class _Response:
    status: int
    body: Json
    headers: Mapping[str, str]


class Dispatcher:
    """Serves the requests under `/v1`; `seen` holds the latest ones."""

    def __init__(self, core: Core, keys: Keys, faults: Faults, routes: list[Route]) -> None:
        self.seen: deque[Seen] = deque(maxlen=core.limits.remembered_attempts)
        self._core = core
        self._keys = keys
        self._faults = faults
        self._idempotency = IdempotencyKeys(core.store, core.clock, core.limits.idempotency_lifetime_s)
        self._routes = [(route, re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", route.path))) for route in routes]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Serve a request."""
        if request.method == "OPTIONS":
            return web.Response(status=204, headers=CORS)
        key = request.headers.get("Idempotency-Key") if request.method == "POST" else None
        request_id = fresh("req_")
        answer = await self._answer(request, Origin(request_id, key))
        self.seen.append(Seen(request.method, request.path, key, None if answer is None else answer.status))
        if answer is None:
            return _dropped(request)
        version = request.headers.get("Stripe-Version", API_VERSION)
        headers = {"Request-Id": request_id, "Stripe-Version": version, **CORS, **answer.headers}
        if key is not None:
            headers["Idempotency-Key"] = key
        return web.json_response(answer.body, status=answer.status, headers=headers)

    async def _answer(self, request: web.Request, origin: Origin) -> _Response | None:
        fault = self._faults.take(request.method, request.path)
        try:
            # Before the key is read, since the real one limits rates before idempotency, so no 429
            # is kept.
            if fault is not None and fault.kind == "rate_limit":
                raise fault.error()
            tree = await _tree(request)
            secret = self._keys.is_secret(sent_key(request.headers, tree))
            route, ids = self._route(request.method, request.path)
            if not (secret or route.publishable):
                raise publishable_refused()
            call = Call(Form(tree), ids, secret, request.path)
            if origin.idempotency_key is None:
                return await self._faulty(route, call, origin, fault)
            return await self._once(route, call, origin, fault)
        except ApiError as error:
            return _Response(error.status, error.body(), {} if fault is None else fault.headers())

    async def _once(self, route: Route, call: Call, origin: Origin, fault: Fault | None) -> _Response | None:
        key = origin.idempotency_key
        assert key is not None and origin.request_id is not None  # noqa: S101, PT018 - the caller's `if`, for mypy
        kept = self._idempotency.begin(key, _asked(call))
        if kept is not None:
            replayed = {"Idempotent-Replayed": "true", "Original-Request": kept.request_id}
            return _Response(kept.status, _as_object(kept.body), replayed)
        try:
            return await self._faulty(route, call, origin, fault)
        finally:
            # Also after a dropped response, so that a repeat gets the kept one and not a 409.
            self._idempotency.end(key, None)
            self._core.store.flush()

    async def _faulty(self, route: Route, call: Call, origin: Origin, fault: Fault | None) -> _Response | None:
        if fault is not None and not fault.after_work:
            if fault.kind == "hang":
                await self._faults.hang()
            elif fault.kind == "dropped":
                return None
            else:
                return self._keep(fault.error(), call, origin)
        answer = self._work(route, call, origin, fault)
        if fault is not None and fault.after_work:
            if fault.kind == "hang":
                await self._faults.hang()
            elif fault.kind == "dropped":
                return None
        return answer

    def _work(self, route: Route, call: Call, origin: Origin, fault: Fault | None) -> _Response:
        """Do it, keep the response for the key and store both, without awaiting in between."""
        try:
            with self._core.events.caused_by(origin):
                call.form.only(route.allowed | ANYWHERE)
                body = route.handler(call)
                expand(body, call.form.texts("expand"), self._core.store)
        except ApiError as error:
            answer = self._keep(error, call, origin)
        else:
            answer = self._kept(_Response(200, body if call.secret else browser_view(body), {}), call, origin)
        if fault is not None and fault.after_work and fault.kind == "server_error":
            answer = self._keep(fault.error(), call, origin)
        self._core.store.flush()
        return answer

    def _keep(self, error: ApiError, call: Call, origin: Origin) -> _Response:
        body = error.body() if call.secret else browser_view(error.body())
        answer = _Response(error.status, body, {})
        # A request that was refused before the endpoint began may be corrected and sent again.
        return self._kept(answer, call, origin) if error.begun else answer

    def _kept(self, answer: _Response, call: Call, origin: Origin) -> _Response:
        if origin.idempotency_key is not None and origin.request_id is not None:
            kept = KeptResponse(
                id=origin.idempotency_key,
                created=self._core.now(),
                asked=_asked(call),
                status=answer.status,
                body=answer.body,
                request_id=origin.request_id,
            )
            self._core.store.answers.put(kept)
        return answer

    def _route(self, method: str, path: str) -> tuple[Route, Mapping[str, str]]:
        for route, pattern in self._routes:
            matched = pattern.fullmatch(path)
            if matched is not None and route.method == method:
                return route, matched.groupdict()
        raise ApiError(404, f"Unrecognized request URL ({method}: {path[:200]}).")


async def _tree(request: web.Request) -> Tree:
    pairs = list(request.query.items())
    if request.method == "POST":
        body = await request.read()
        pairs += parse_qsl(body.decode(errors="replace"), keep_blank_values=True)
    return parse(pairs)


def _asked(call: Call) -> str:
    # Another view of the same response is another response.
    return fingerprint("secret" if call.secret else "publishable", call.path, call.form.tree)


def _as_object(body: JsonValue) -> Json:
    assert isinstance(body, dict)  # noqa: S101 - every answer is one
    return body


def _dropped(request: web.Request) -> web.StreamResponse:
    if request.transport is not None:
        # A reset, so that the client sees a broken connection and not an empty response.
        request.transport.abort()
    return web.Response()

"""The guest agent's HTTP interface, POST with JSON or GET with a query, and its faults."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Final

from aiohttp import web
from pydantic import JsonValue, TypeAdapter

from attest.errors import AttestError, AttestErrorCode
from devkit.tee_simulator.options import Behaviour, Failure
from devkit.tee_simulator.request_fields import Fields

REQUEST_LIMIT_BYTES: Final = 65_536
GARBAGE: Final = b"\x00\xff\xfe no JSON, no text, nothing"
OBJECT: Final = TypeAdapter(dict[str, JsonValue])

Method = Callable[[Fields], Fields]


class Responder:
    """Serves `methods` as `behaviour` says, which may change meanwhile."""

    def __init__(self, methods: Mapping[str, Method], behaviour: Behaviour) -> None:
        self._methods = methods
        self._quote_turn = asyncio.Lock()
        self.behaviour = behaviour

    def application(self) -> web.Application:
        """Returns the HTTP application."""
        application = web.Application(client_max_size=REQUEST_LIMIT_BYTES)
        application.router.add_route("GET", "/{method}", self._serve)
        application.router.add_route("POST", "/{method}", self._serve)
        return application

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["method"]
        method = self._methods.get(name)
        if method is None:
            return web.json_response({"error": "no such method"}, status=404)
        behaviour = self.behaviour if self.behaviour.concerns(name) else Behaviour()
        await self._wait(name, behaviour.latency_s)
        if behaviour.failure is Failure.NONE:
            return await _answered(method, request)
        return await _failed(behaviour.failure, method, request)

    async def _wait(self, name: str, latency_s: float) -> None:
        if name != "GetQuote":
            await asyncio.sleep(latency_s)
            return
        async with self._quote_turn:  # the platform makes one quote at a time
            await asyncio.sleep(latency_s)


async def _answered(method: Method, request: web.Request) -> web.Response:
    try:
        return web.json_response(dict(method(await _asked(request))))
    except AttestError as error:
        return web.json_response({"error": error.message}, status=400)


async def _failed(failure: Failure, method: Method, request: web.Request) -> web.StreamResponse:
    if failure is Failure.ERROR:
        return web.json_response({"error": "the simulator was told to fail"}, status=500)
    if failure is Failure.GARBAGE:
        return web.Response(body=GARBAGE, content_type="application/json")
    if failure is Failure.HANG:
        await asyncio.Event().wait()
    return await _half(json.dumps(dict(method(await _asked(request)))).encode(), request)


async def _half(body: bytes, request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    response.content_length = len(body)
    await response.prepare(request)
    await response.write(body[: len(body) // 2])
    if request.transport is not None:
        request.transport.close()
    return response


async def _asked(request: web.Request) -> Fields:
    if request.method in {"GET", "HEAD"}:
        return dict(request.query)
    try:
        return OBJECT.validate_json(await request.read() or b"{}")
    except (ValueError, web.HTTPRequestEntityTooLarge):
        message = f"the body is no JSON object of at most {REQUEST_LIMIT_BYTES} bytes"
        raise AttestError(AttestErrorCode.BAD_REQUEST, message) from None

"""A JSON-RPC server of one's own between a client under test and a chain, which misbehaves on request."""

import asyncio
import contextlib
import json
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final, Protocol, TypeAlias

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer


class Forward(Protocol):
    """The chain's own answer to `asked`; without it, to what the client asked."""

    def __call__(self, asked: Any = None, /) -> Awaitable[Any]: ...


Behaviour: TypeAlias = Callable[[web.Request, Any, Forward], Awaitable[web.StreamResponse]]
SocketBehaviour: TypeAlias = Callable[[web.WebSocketResponse, aiohttp.ClientWebSocketResponse], Awaitable[None]]
"""What a websocket does, given the client's end and the chain's; it is closed when this returns."""
CLOSING: Final = web.AppKey("closing", asyncio.Event)


class RpcProxy:
    """Listens on loopback; `behaviour` answers each request, with `forward()` giving the honest answer's JSON.

    A websocket on the same address does what `socket_behaviour` says; there is none where that is None.
    """

    def __init__(self, upstream: str | None) -> None:
        self.upstream = upstream
        self.behaviour: Behaviour = honest
        self.socket_behaviour: SocketBehaviour | None = relay
        self.sockets = 0
        self.seen: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.arrived = asyncio.Event()
        self.closing = asyncio.Event()
        self._session: aiohttp.ClientSession | None = None
        self._server: TestServer | None = None

    @property
    def port(self) -> int:
        assert self._server is not None
        assert self._server.port is not None
        return self._server.port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        asked = json.loads(await request.read())
        self.seen.append(asked)
        self.arrived.set()
        self.headers.append({"path": request.path_qs, **request.headers})

        async def forward(other: Any = None) -> Any:
            sent = asked if other is None else other
            if self.upstream is None:
                return _echo(sent)
            assert self._session is not None
            async with self._session.post(self.upstream, json=sent) as response:
                return await response.json()

        return await self.behaviour(request, asked, forward)

    async def _handle_socket(self, request: web.Request) -> web.StreamResponse:
        if self.upstream is None or self.socket_behaviour is None:
            return web.Response(status=405)
        assert self._session is not None
        client = web.WebSocketResponse(max_msg_size=0)
        await client.prepare(request)
        self.sockets += 1
        async with self._session.ws_connect(self.upstream) as chain:
            await _until(self.closing, self.socket_behaviour(client, chain))
        await client.close()
        return client

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator["RpcProxy"]:
        application = web.Application(client_max_size=2**24)
        application.router.add_post("/{path:.*}", self._handle)
        application.router.add_get("/{path:.*}", self._handle_socket)
        application[CLOSING] = self.closing
        self._server = TestServer(application, skip_url_asserts=True)
        async with aiohttp.ClientSession() as self._session:
            await self._server.start_server()
            try:
                yield self
            finally:
                self.closing.set()
                await self._server.close()


async def _until(closing: asyncio.Event, work: Awaitable[None]) -> None:
    """`work`, dropped when the proxy closes or either end of the socket is lost."""
    tasks = [asyncio.ensure_future(work), asyncio.ensure_future(closing.wait())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def relay(client: web.WebSocketResponse, chain: aiohttp.ClientWebSocketResponse) -> None:
    """Every message, both ways, as it is, until either end closes."""

    async def requests() -> None:
        async for message in client:
            await chain.send_str(message.data)

    async def answers() -> None:
        async for message in chain:
            await client.send_str(message.data)

    both = [asyncio.ensure_future(requests()), asyncio.ensure_future(answers())]
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in both:
            each.cancel()
        await asyncio.gather(*both, return_exceptions=True)


def _echo(asked: Any) -> Any:
    if isinstance(asked, list):
        return [_echo(each) for each in asked]
    return {"jsonrpc": "2.0", "id": asked["id"], "result": asked["params"]}


async def honest(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
    return web.json_response(await forward())


def slow(delay_s: float) -> Behaviour:
    """The honest answer, so much later."""

    async def behaviour(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        answer = await forward()
        await asyncio.sleep(delay_s)
        return web.json_response(answer)

    return behaviour


def changing(change: Callable[[Any], Any]) -> Behaviour:
    """The honest answer, changed."""

    async def behaviour(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        return web.json_response(change(await forward()))

    return behaviour


def saying(body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> Behaviour:
    """These very bytes."""

    async def behaviour(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        return web.Response(body=body, status=status, headers={"Content-Type": "application/json", **(headers or {})})

    return behaviour


def refusing(code: int, message: str, data: Any = None, status: int = 200) -> Behaviour:
    """A JSON-RPC error for every call."""

    def one(asked: Any) -> Any:
        error = {"code": code, "message": message, **({} if data is None else {"data": data})}
        return {"jsonrpc": "2.0", "id": asked["id"], "error": error}

    async def behaviour(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        answer = [one(each) for each in asked] if isinstance(asked, list) else one(asked)
        return web.json_response(answer, status=status)

    return behaviour


def taking_no_batches(code: int, message: str) -> Behaviour:
    """One error object for every batch, the honest answer for a single call."""

    async def behaviour(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        if not isinstance(asked, list):
            return web.json_response(await forward())
        return web.json_response({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}})

    return behaviour


async def hang(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
    """Never answer, until the proxy closes or the client goes."""
    await request.app[CLOSING].wait()
    return web.Response()


async def hang_midway(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
    """Half an answer, then nothing."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    await response.write(b'{"jsonrpc":"2.0","id":1,')
    await request.app[CLOSING].wait()
    return response


async def drip(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
    """An answer that never ends, a few bytes at a time."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    while not request.app[CLOSING].is_set():
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(request.app[CLOSING].wait(), 0.01)
        await response.write(b" ")
    return response


async def flood(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
    """An answer that never ends, as fast as it goes."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    while not request.app[CLOSING].is_set():
        await response.write(b" " * 65536)
    return response


async def drop(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
    """Close the connection without a word."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def reset(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
    """Reset the connection (RST)."""
    assert request.transport is not None
    request.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.transport.abort()
    return web.Response()


async def truncate(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
    """Promise more bytes than come."""
    assert request.transport is not None
    request.transport.write(b'HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"jsonrpc":"2.0"')
    request.transport.close()
    return web.Response()


async def speak_no_http(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
    """Bytes that are no HTTP."""
    assert request.transport is not None
    request.transport.write(b"\x15\x03\x01\x00\x02\x02\x28 what?\r\n\r\n")
    request.transport.close()
    return web.Response()


def only(method: str, behaviour: Behaviour) -> Behaviour:
    """Misbehave in exchanges that hold this method alone."""

    async def one(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        calls = asked if isinstance(asked, list) else [asked]
        chosen = behaviour if any(call["method"] == method for call in calls) else honest
        return await chosen(request, asked, forward)

    return one

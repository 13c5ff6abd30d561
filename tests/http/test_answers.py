"""Answers on their way through aiohttp: version, connection and headers."""

import asyncio

import pytest

from node.api.calls import Call, NoInput
from node.http.answers import Answer
from node.http.endpoint import Access, Auth, Docs, Endpoint, Operation
from tests.http.conftest import Keys
from tests.http.endpoints import Count, Desk
from tests.support.http_server import Server, World, serving

BODY = b'{"name": "n", "description": "d"}'


def request(path: str, *headers: str, version: str = "1.1") -> bytes:
    lines = (f"POST /core/v1{path} HTTP/{version}", "Host: x", "Content-Type: application/json", *headers)
    return "\r\n".join((*lines, f"Content-Length: {len(BODY)}", "", "")).encode() + BODY


async def test_http_1_0_gets_what_it_understands(server: Server) -> None:
    answer = await server.raw(request("/anonymous", version="1.0"))
    assert answer.startswith(b"HTTP/1.0 200")


async def test_a_query_is_refused_where_the_input_is_the_body(server: Server, keys: Keys) -> None:
    reply = await server.call("POST", "/note?a=b", body={"name": "n"}, key=keys.account)
    assert reply.body["details"]["fields"] == {"a": "is not a query parameter of this endpoint"}


async def test_a_connection_serves_one_request_after_another(server: Server) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        for _ in range(3):
            writer.write(request("/anonymous"))
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
            assert head.startswith(b"HTTP/1.1 200 OK\r\n")
            assert b"\r\nConnection:" not in head
            length = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
            await asyncio.wait_for(reader.readexactly(length), 20)
    finally:
        writer.close()


@pytest.mark.parametrize("value", ["a\r\nSet-Cookie: b", "a\nb", "a\rb", "a\0b"])
async def test_no_header_leaves_its_line(world: World, value: str) -> None:
    async def handle(call: Call, _: NoInput) -> Count:
        call.headers["X-Own"] = value
        return Count(count=0)

    endpoint = Endpoint(Operation("POST", "/own", NoInput, Count, handle), Docs("Own"), "Test", Access(Auth.NONE))
    async with serving([*Desk().endpoints(), endpoint], world) as server:
        assert await server.raw(request("/own").replace(BODY, b"").replace(b"33", b"0")) == b""
    (failure,) = world.logs.named("connection_failed")
    assert "Cookie" not in str(failure)


def test_a_header_of_the_answer_replaces_the_one_of_all() -> None:
    sent = Answer(200, b"a,b", {"content-type": "text/csv"}).response()
    assert sent.headers.getall("Content-Type") == ["text/csv"]

"""A POST at a fixed path is answered without aiohttp's router and writer: nothing of its answer is different for that."""

import asyncio

import pytest

from node.http.answers import Answer
from tests.http.conftest import Keys
from tests.http.endpoints import Desk
from tests.support.http_server import Server

BODY = b'{"name": "n", "description": "d"}'


def request(path: str, *headers: str, version: str = "1.1") -> bytes:
    lines = (f"POST /core/v1{path} HTTP/{version}", "Host: x", "Content-Type: application/json", *headers)
    return "\r\n".join((*lines, f"Content-Length: {len(BODY)}", "", "")).encode() + BODY


def answers(received: bytes) -> list[tuple[str, dict[str, str], bytes]]:
    """Status line, headers by lower-case name, and body of each answer."""
    found = []
    while received:
        head, _, received = received.partition(b"\r\n\r\n")
        status, *lines = head.decode().split("\r\n")
        headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
        assert len(headers) == len(lines)
        length = int(headers["content-length"])
        found.append((status, headers, received[:length]))
        received = received[length:]
    return found


@pytest.mark.parametrize("path", ["/anonymous", "/note"])
async def test_it_looks_as_it_does_through_the_router(server: Server, path: str) -> None:
    asked = ("X-Correlation-Id: mine", "Connection: close")
    (direct,) = answers(await server.raw(request(path, *asked)))
    # An expectation is for aiohttp to meet; it is of the kind that is ignored without a body to wait for.
    through_router = answers(
        (await server.raw(request(path, *asked, "Expect: 100-continue"))).removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")
    )[0]
    assert direct[0] == through_router[0]
    changing = {"date", "x-request-id", "content-length"}
    kept = [
        {name: value for name, value in each[1].items() if name not in changing} for each in (direct, through_router)
    ]
    assert kept[0] == kept[1]
    assert direct[1].keys() == through_router[1].keys()
    assert direct[1]["connection"] == "close"


async def test_pipelined_requests_are_answered_in_their_order(server: Server, desk: Desk) -> None:
    received = await server.raw(
        request("/anonymous", "X-Correlation-Id: first")
        + request("/note")
        + request("/anonymous", "X-Correlation-Id: third", "Connection: close")
    )
    statuses = [(status.split()[1], headers.get("x-correlation-id")) for status, headers, _ in answers(received)]
    assert statuses == [("200", "first"), ("401", None), ("200", "third")]
    assert desk.things


async def test_http_1_0_gets_what_it_understands(server: Server) -> None:
    (answer,) = answers(await server.raw(request("/anonymous", version="1.0")))
    assert answer[0].startswith("HTTP/1.0 200")


async def test_a_query_is_refused_as_before(server: Server, keys: Keys) -> None:
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
def test_no_header_leaves_its_line(value: str) -> None:
    with pytest.raises(ValueError, match="line break"):
        Answer(200, b"{}", {"X-Own": value}).wire({}, keep_alive=True)


def test_a_header_of_the_answer_replaces_the_one_of_all() -> None:
    sent = Answer(200, b"a,b", {"content-type": "text/csv"}).wire({}, keep_alive=True).decode()
    assert "content-type: text/csv\r\n" in sent
    assert "application/json" not in sent

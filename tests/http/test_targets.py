"""Targets of requests: in origin-form, `*`, or absolute and rewritten; anything else is 400, however it is cut."""

import asyncio

import pytest

from tests.http.conftest import Keys
from tests.http.test_malformed_http import assert_error, parts
from tests.support.hostile_requests import SHAPES
from tests.support.http_server import Server, World
from tests.support.loop_meter import STALL_MAX_S, metered_loop

NOOP = b"/core/v1/noop"
NAME_255 = b"a." * 127 + b"a"


def asked(target: bytes, method: bytes = b"GET", host: bytes = b"x") -> bytes:
    return b"%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % (method, target, host)


@pytest.mark.parametrize(
    "target",
    [
        NOOP,
        b"http://x" + NOOP,
        b"HTTPS://X" + NOOP,
        b"http://another.example:8443" + NOOP,
        b"http://[2001:db8::1%25eth0]:80" + NOOP,
        b"http://" + NAME_255 + NOOP,
    ],
)
async def test_origin_form_and_absolute_form_are_served(server: Server, target: bytes) -> None:
    assert parts(await server.raw(asked(target)))[0] == 200


@pytest.mark.parametrize(
    ("method", "target"),
    [
        (b"GET", b"http://" + NAME_255 + b"a" + NOOP),
        (b"GET", b"http://user:password@x" + NOOP),
        (b"GET", b"http://user@x" + NOOP),
        (b"GET", b"http://x"),
        (b"GET", b"http://x?a=b"),
        (b"GET", b"http://" + NOOP),
        (b"GET", b"http://x;y" + NOOP),
        (b"GET", "http://ex\u00e4mple".encode() + NOOP),
        (b"GET", b"http://[::1" + NOOP),
        (b"GET", b"ftp://x" + NOOP),
        (b"GET", b"x" + NOOP),
        (b"GET", b"x:80"),
        (b"GET", NOOP + b"#fragment"),
        (b"GET", b"http://x" + NOOP + b"#fragment"),
        (b"GET", NOOP + "?\u00e4".encode()),
        (b"GET", b"*"),
        (b"GET", b"http://x*"),
        (b"CONNECT", b"x:80"),
        (b"CONNECT", NOOP),
        (b"CONNECT", b"http://x" + NOOP),
    ],
)
async def test_another_target_is_400_and_no_error_of_the_node(
    server: Server, world: World, method: bytes, target: bytes
) -> None:
    assert_error(await server.raw(asked(target, method)), 400, "bad_request")
    assert [line for line in world.logs.lines if line["level"] == "error"] == []


async def test_the_query_of_an_absolute_target_is_read_and_its_path_is_not_decoded(server: Server, keys: Keys) -> None:
    head = b"GET http://x/core/v1/things?page_size=3&group_id=%%31 HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\nConnection: close\r\n\r\n"
    status, headers, _ = parts(await server.raw(head % keys.usage.encode()))
    assert status == 200
    assert "</core/v1/things?group_id=1&page_number=1&page_size=3>" in headers["link"]
    assert_error(await server.raw(asked(b"http://x/core/v1%2fnoop")), 404, "not_found")


async def test_an_absolute_target_is_a_direct_route_as_well(server: Server, keys: Keys) -> None:
    head = b"POST http://x/core/v1/count HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nX-Api-Key: %s\r\nConnection: close\r\n\r\n"
    assert parts(await server.raw(head % keys.usage.encode()))[0] == 200


@pytest.mark.parametrize("pieces", [1, 7, 10_000])
async def test_targets_are_judged_behind_another_request_and_in_pieces(server: Server, pieces: int) -> None:
    """A body, blank lines and a request of the usual form stand before it."""
    text = (
        b'POST /core/v1/text HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\n"ab"\r\n'
    )
    sent = (
        text
        + asked(NOOP).replace(b"Connection: close\r\n", b"")
        + asked(b"http://y" + NOOP).replace(b"close", b"keep-alive")
    )
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    for begin in range(0, len(sent), pieces):
        writer.write(sent[begin : begin + pieces])
        await writer.drain()
        await asyncio.sleep(0)
    answered = b""
    async with asyncio.timeout(20):
        while answered.count(b"HTTP/1.1 200 ") < 3:
            answered += await reader.read(65_536)
        writer.write(asked(b"http://user@x" + NOOP))
        answered += await reader.read()
    writer.close()
    assert [int(each[:3]) for each in answered.replace(b"HTTP/1.0", b"HTTP/1.1").split(b"HTTP/1.1 ")[1:]] == [
        200,
        200,
        200,
        400,
    ]


@pytest.mark.parametrize("shape", SHAPES)
async def test_no_authority_holds_the_loop(server: Server, world: World, shape: str) -> None:
    """A name of 6.9 kB held it for a second: it was decoded before anybody asked how long it is."""
    target = b"http://" + SHAPES[shape](6_900).replace(" ", "+").encode() + b"/"
    async with metered_loop() as meter:
        answer = await server.raw(asked(target))
        assert parts(answer)[0] in {400, 404}
        assert meter.longest_s < STALL_MAX_S
    assert [line for line in world.logs.lines if line["level"] == "error"] == []

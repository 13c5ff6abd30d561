"""What is no proper HTTP, byte by byte: always the error shape, never HTML, never a 500."""

import asyncio
import contextlib
import json
import socket
import uuid
from collections.abc import AsyncIterator

import pytest

from node.http.rate import ClientAddresses
from node.settings.http import HttpSettings
from tests.http.conftest import Keys
from tests.http.endpoints import Desk
from tests.support.http_server import Server, World, serving

JSON = {"Content-Type": "application/json"}
HOST = b"Host: x\r\nConnection: close\r\n"


def parts(answer: bytes) -> tuple[int, dict[str, str], bytes]:
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines[1:])
    return int(lines[0].split()[1]), headers, body


def assert_error(answer: bytes, status: int, error: str) -> None:
    found, headers, body = parts(answer)
    parsed = json.loads(body)
    assert (found, parsed["error"]) == (status, error), answer
    assert headers["content-type"].startswith("application/json")
    assert uuid.UUID(headers["x-request-id"]).version == 4
    assert parsed["request_id"] == headers["x-request-id"]
    assert headers["access-control-allow-origin"] == "*"
    assert b"<html" not in body.lower()
    assert b"Traceback" not in body


NOOP = b"GET /core/v1/noop HTTP/1.1\r\n"
TEXT_HEAD = b"POST /core/v1/text HTTP/1.1\r\nContent-Type: application/json\r\n"
CHUNKS = HOST + b'\r\n3\r\n"a"\r\n0\r\n\r\n'
BAD = (400, "bad_request")
LONG_TARGET = (414, "uri_too_long")
LARGE_HEADERS = (431, "headers_too_large")
UNKNOWN_CODING = (501, "not_implemented")
OTHER_VERSION = (505, "http_version_not_supported")

MALFORMED: dict[str, tuple[bytes, tuple[int, str]]] = {
    "no http at all": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 TLS hello\r\n\r\n", BAD),
    "space in header name": (NOOP + b"Bad Name: 1\r\n" + HOST + b"\r\n", BAD),
    "nul in header": (NOOP + b"X-A: a\x00b\r\n" + HOST + b"\r\n", BAD),
    "two lengths": (TEXT_HEAD + b"Content-Length: 3\r\nContent-Length: 4\r\n" + HOST + b"\r\nabcd", BAD),
    "length and chunked": (TEXT_HEAD + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n" + CHUNKS, BAD),
    "negative length": (TEXT_HEAD + b"Content-Length: -1\r\n" + HOST + b"\r\n", BAD),
    "length with plus": (TEXT_HEAD + b"Content-Length: +3\r\n" + HOST + b"\r\nabc", BAD),
    "bad chunk size": (TEXT_HEAD + b"Transfer-Encoding: chunked\r\n" + HOST + b"\r\nzz\r\nab\r\n0\r\n\r\n", BAD),
    "long url": (b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", LONG_TARGET),
    "long query": (b"GET /core/v1/noop?" + b"a" * 8200 + b" HTTP/1.1\r\n" + HOST + b"\r\n", LONG_TARGET),
    "long header": (NOOP + b"X-A: " + b"a" * 20000 + b"\r\n" + HOST + b"\r\n", LARGE_HEADERS),
    "long name of a header": (NOOP + b"X" * 20000 + b": a\r\n" + HOST + b"\r\n", LARGE_HEADERS),
    "too many headers": (NOOP + b"X-A: 1\r\n" * 500 + HOST + b"\r\n", LARGE_HEADERS),
    **{
        f"version {version}": (NOOP.replace(b"HTTP/1.1", version.encode()) + HOST + b"\r\n", told)
        for version, told in {
            "HTTP/9.7": OTHER_VERSION,
            "HTTP/2.0": OTHER_VERSION,
            "HTTP/1.2": OTHER_VERSION,
            "HTTP/0.9": OTHER_VERSION,
            "HTTP/1": BAD,
            "HTTQ/1.1": BAD,
        }.items()
    },
    "no version": (b"GET /core/v1/noop\r\n\r\n", OTHER_VERSION),
    "preface of HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", OTHER_VERSION),
    "a text of the parser's": (NOOP + b"Too many headers received\r\n" + HOST + b"\r\n", BAD),
    "chunked in HTTP/1.0": (
        TEXT_HEAD.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n" + CHUNKS,
        BAD,
    ),
    **{
        f"transfer encoding {coding}": (TEXT_HEAD + f"Transfer-Encoding: {coding}\r\n".encode() + CHUNKS, told)
        for coding, told in {
            "": BAD,
            "gzip": BAD,
            "chunked, gzip": BAD,
            "chunked, chunked": BAD,
            "gzip, chunked, chunked": BAD,
            "chunked;a=b": BAD,
            "identity\r\nTransfer-Encoding: chunked": BAD,
            "identity, chunked": UNKNOWN_CODING,
            "gzip, chunked": UNKNOWN_CODING,
            "gzip,deflate , CHUNKED": UNKNOWN_CODING,
        }.items()
    },
    **{
        f"host {host}": (NOOP + f"Host: {host}\r\nConnection: close\r\n\r\n".encode(), BAD)
        for host in (
            "a b",
            "a/b",
            "u@x",
            "x:80:80",
            "x:y",
            "[::1",
            "[::g]",
            "::1",
            "a%2",
            "x\r\nHost: x",
            "x\r\nHost: y",
            "\u00e4",
        )
    },
    "no host": (NOOP + b"Connection: close\r\n\r\n", BAD),
    "host of a target with an authority": (b"GET http://x/core/v1/noop HTTP/1.1\r\nHost: a b\r\n\r\n", BAD),
}


@pytest.mark.parametrize(("sent", "told"), MALFORMED.values(), ids=MALFORMED.keys())
async def test_malformed_is_told_by_its_status_and_ends_the_connection(
    server: Server, sent: bytes, told: tuple[int, str]
) -> None:
    assert_error(await server.raw(sent), *told)


@pytest.mark.parametrize("name", ["long header", "transfer encoding gzip, chunked", "host a b"])
async def test_nothing_is_parsed_behind_a_refusal(server: Server, name: str) -> None:
    """Where the refused request ends is not known for certain (RFC 9112, 11.2)."""
    sent, told = MALFORMED[name]
    answer = await server.raw(sent.replace(b"Connection: close\r\n", b"") + NOOP + HOST + b"\r\n")
    assert_error(answer, *told)
    assert answer.lower().count(b"\r\ncontent-length:") == 1


@pytest.mark.parametrize(
    "host", ["", "x", "X.example:8443", "x:", "127.0.0.1", "[::1]:80", "[v1.a:b]", "a%20b", "a_b~!$&'()*+,;="]
)
async def test_every_host_of_the_rfc_is_served(server: Server, host: str) -> None:
    answer = await server.raw(NOOP + f"Host: {host}\r\nConnection: close\r\n\r\n".encode())
    assert parts(answer)[0] == 200


@pytest.mark.parametrize(
    "target", ["/%", "/%zz", "/%ff%fe", "/core/v1/%00", "/core/v1/note/../note", "//evil/core/v1/noop", "/core/v1/"]
)
async def test_odd_paths_are_404(server: Server, target: str) -> None:
    assert_error(await server.raw(b"GET " + target.encode() + b" HTTP/1.1\r\n" + HOST + b"\r\n"), 404, "not_found")


@pytest.mark.parametrize("method", ["BREW", "CONNECT", "A" * 50])
async def test_unknown_methods_get_the_error_shape(server: Server, method: str) -> None:
    status, _, body = parts(await server.raw(f"{method} /core/v1/noop HTTP/1.1\r\n".encode() + HOST + b"\r\n"))
    assert status in {400, 404, 405}
    assert json.loads(body)["error"] in {"bad_request", "not_found", "method_not_allowed"}


async def test_options_asterisk_gets_the_error_shape(server: Server) -> None:
    assert_error(await server.raw(b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n"), 404, "not_found")


async def test_unknown_expectation_on_an_unknown_path_gets_the_error_shape(server: Server) -> None:
    assert_error(
        await server.raw(b"POST /nowhere HTTP/1.1\r\nExpect: miracles\r\n" + HOST + b"\r\n"), 400, "bad_request"
    )


@pytest.mark.exhaustive
async def test_chunked_bodies_work_and_are_bounded(world: World, desk: Desk) -> None:
    async with serving(desk.endpoints(), world, HttpSettings(http_max_body_bytes=1000)) as server:
        head = b"POST /core/v1/text HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n" + HOST
        assert parts(await server.raw(head + b'\r\n3\r\n"ab\r\n1\r\n"\r\n0\r\n\r\n'))[2] == b'"ba"'
        chunk = b"c8\r\n" + b" " * 200 + b"\r\n"
        assert_error(await server.raw(head + b"\r\n" + chunk * 6 + b"0\r\n\r\n"), 413, "payload_too_large")
        endless = await server.raw(head + b"\r\n" + chunk * 6)
        assert_error(endless, 413, "payload_too_large")


BROKEN = {
    "size": b"zz\r\n",
    "size that is too large": b"f" * 17 + b"\r\n",
    "end of a chunk": b'1\r\n"a"\r\n',
    "extension": b"3;\x00\r\n",
    "trailer": b"0\r\nno trailer\r\n\r\n",
    "trailer with a space": b"0\r\nX-A : 1\r\n\r\n",
    "trailer that is too long": b"0\r\nX-A: " + b"a" * 9000 + b"\r\n\r\n",
    "trailers that are too many": b"0\r\n" + b"X-A: 1\r\n" * 200 + b"\r\n",
}


@pytest.mark.parametrize("begun", [b"", b'1\r\n"\r\n'], ids=["first", "later"])
@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN.keys())
async def test_a_malformed_part_of_a_chunked_body_is_refused_at_once(
    server: Server, begun: bytes, broken: bytes
) -> None:
    """The request is in work by then, and waits for its body."""
    head = TEXT_HEAD + b"Host: x\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
    async with asyncio.timeout(10):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(head)
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100")
        writer.write(begun)
        await writer.drain()
        writer.write(broken + NOOP + HOST + b"\r\n")
        answer = await reader.read()
        writer.close()
    assert_error(answer, 400, "bad_request")
    assert parts(answer)[1]["connection"] == "close"


STALLED = b"POST /core/v1/text HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n"
TEXT = b'"' + b"a" * 150_000 + b'"'


@contextlib.asynccontextmanager
async def stalling(server: Server, count: int, sent: bytes) -> AsyncIterator[list[asyncio.Task[bytes]]]:
    """Connections that began to send a body and stopped; a task for the answer of each."""
    held = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(count)]
    for _, writer in held:
        writer.write(STALLED + sent)
        await writer.drain()
    readers = [asyncio.create_task(reader.readuntil(b"}")) for reader, _ in held]
    try:
        yield readers
    finally:
        for _, writer in held:
            writer.close()
        await asyncio.gather(*readers, return_exceptions=True)


async def first_refused(readers: list[asyncio.Task[bytes]]) -> list[int]:
    done, _ = await asyncio.wait(readers, return_when=asyncio.FIRST_COMPLETED)
    return [parts(task.result())[0] for task in done]


async def test_large_bodies_are_bounded_together_while_small_ones_pass(
    world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.http.reading.BODY_TIMEOUT_S", 20)
    limits = HttpSettings(http_max_body_bytes=200_000)
    async with serving(desk.endpoints(), world, limits) as server:
        async with stalling(server, 24, b'"' + b" " * 199_000) as readers:
            assert set(await first_refused(readers)) == {429}
            assert (await server.call("POST", "/text", data=b'"ab"', headers=JSON)).body == "ba"
        await world.logs.wait_for("request", 25)
        assert (await server.call("POST", "/text", data=TEXT, headers=JSON)).status == 200


async def test_one_address_cannot_take_all_the_memory_for_bodies(
    world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.http.reading.BODY_TIMEOUT_S", 20)
    limits = HttpSettings(http_max_body_bytes=200_000)
    addresses = ClientAddresses(["127.0.0.1"])
    async with (
        serving(desk.endpoints(), world, limits, addresses) as server,
        stalling(server, 24, b'"' + b" " * 199_000) as readers,
    ):
        assert set(await first_refused(readers)) == {429}
        elsewhere = {**JSON, "X-Forwarded-For": "192.0.2.7"}
        assert (await server.call("POST", "/text", data=TEXT, headers=elsewhere)).status == 200


async def test_stalled_bodies_leave_the_node_to_others(
    world: World, desk: Desk, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.http.reading.BODY_TIMEOUT_S", 20)
    monkeypatch.setattr("node.http.reading.ARRIVING_BODIES_PER_ADDRESS_MAX", 8)
    limits = HttpSettings(http_max_concurrent_requests=4)
    addresses = ClientAddresses(["127.0.0.1"])
    async with serving(desk.endpoints(), world, limits, addresses) as server:
        async with stalling(server, 9, b'"') as readers:
            assert await first_refused(readers) == [429]
            elsewhere = {**JSON, "X-Forwarded-For": "192.0.2.7"}
            reply = await server.call("POST", "/text", data=b'"ab"', headers=elsewhere)
            assert (reply.status, reply.body) == (200, "ba")
            assert (await server.call("GET", "/things", key=keys.usage, headers=elsewhere)).status == 200
            whole = STALLED.replace(b"200000", b"4").replace(b"Host", b"Connection: close\r\nHost") + b'"ab"'
            assert parts(await server.raw(whole))[0] == 200
            assert (await server.call("GET", "/things", key=keys.usage)).status == 200
        await world.logs.wait_for("request", 13)
        assert (await server.call("POST", "/text", data=b'"ab"', headers=JSON)).status == 200


@pytest.mark.exhaustive
async def test_a_body_that_does_not_arrive_is_given_up(
    world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.http.reading.BODY_TIMEOUT_S", 0.05)
    async with serving(desk.endpoints(), world) as server:
        answer = await server.raw(
            b"POST /core/v1/text HTTP/1.1\r\nContent-Type: application/json\r\nHost: x\r\nContent-Length: 10\r\n\r\n"
        )
        assert_error(answer, 400, "bad_request")


async def test_a_body_that_arrives_byte_by_byte_is_given_up(
    world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The deadline is of the whole body: no read of a slow one ever waits long."""
    monkeypatch.setattr("node.http.reading.BODY_TIMEOUT_S", 0.3)
    async with serving(desk.endpoints(), world) as server, asyncio.timeout(10):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(STALLED)
        answered = asyncio.create_task(reader.readuntil(b"}"))
        while not answered.done():
            writer.write(b" ")
            await asyncio.wait([answered], timeout=0.02)
        assert_error(await answered, 400, "bad_request")
        writer.close()


async def first_answer(server: Server) -> None:
    """Try until a new connection is served: until one that was held is given back."""
    answer = b""
    async with asyncio.timeout(10):  # the session gives its own connection back after 15
        while not answer:
            with contextlib.suppress(ConnectionError):
                answer = await server.raw(b"GET /core/v1/noop HTTP/1.1\r\n" + HOST + b"\r\n")


async def test_one_address_has_half_of_the_connections_and_gets_them_back(world: World, desk: Desk) -> None:
    async with serving(desk.endpoints(), world, HttpSettings(http_max_connections=6)) as server:
        # One connection is the session's own, which has read the document.
        idle = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(2)]
        assert await server.raw(b"") == b""
        elsewhere = ("127.0.0.2", 0)
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port, local_addr=elsewhere)
        writer.write(b"GET /core/v1/noop HTTP/1.1\r\n" + HOST + b"\r\n")
        assert parts(await reader.read())[0] == 200
        assert (await server.call("GET", "/noop")).status == 200
        for _, held in (*idle, (reader, writer)):
            held.close()
            await held.wait_closed()
        await first_answer(server)


async def test_a_client_that_does_not_read_is_disconnected(
    world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.http.protocol.ANSWER_TIMEOUT_S", 0.2)
    async with serving(desk.endpoints(), world, HttpSettings(http_max_connections=4)) as server:
        stubborn = socket.socket()
        stubborn.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        with contextlib.closing(stubborn):
            stubborn.setblocking(False)
            loop = asyncio.get_running_loop()
            await loop.sock_connect(stubborn, ("127.0.0.1", server.port))
            head = STALLED.replace(b"200000", b"8000000")
            sending = asyncio.create_task(loop.sock_sendall(stubborn, head + b'"' + b"a" * 7_999_998 + b'"'))
            await world.logs.wait_for("request", 1)
            await sending
            assert world.logs.named("request")[0]["status"] == 200
            await first_answer(server)


async def test_headers_that_do_not_arrive_are_given_up(world: World, desk: Desk) -> None:
    async with serving(desk.endpoints(), world, HttpSettings(http_keepalive_timeout_s=0.05)) as server:
        assert await server.raw(b"GET /core/v1/noop HTTP/1.1\r\nX-A: ") == b""


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
async def test_compressed_bodies_are_refused_unread(server: Server, encoding: str) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": encoding}
    reply = await server.call("POST", "/text", data=b"\x1f\x8b\x08", headers=headers)
    assert (reply.status, reply.body["error"]) == (415, "unsupported_media_type")


async def test_pipelined_requests_are_answered_in_order(server: Server) -> None:
    one = b"GET /core/v1/noop HTTP/1.1\r\nHost: x\r\n\r\n"
    answer = await server.raw(one + one.replace(b"noop", b"none") + b"GET /core/v1/noop HTTP/1.1\r\n" + HOST + b"\r\n")
    assert [int(part[:3]) for part in answer.split(b"HTTP/1.1 ")[1:]] == [200, 404, 200]


@pytest.mark.parametrize("protocol", ["h2c", "tcp", "websocket"])
async def test_a_request_for_another_protocol_is_answered_and_the_last(server: Server, protocol: str) -> None:
    """The parser drops what follows it: a client that waited for an answer to that would wait for ever."""
    asking = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: " + protocol.encode() + b"\r\nHTTP2-Settings: AAMA\r\n"
    one = b"GET /core/v1/noop HTTP/1.1\r\nHost: x\r\n"
    answer = await server.raw(one + asking + b"\r\n" + one + b"\r\n" + one.replace(b"noop", b"none") + b"\r\n")
    assert [int(part[:3]) for part in answer.split(b"HTTP/1.1 ")[1:]] == [200]
    assert b"Connection: close\r\n" in answer


async def test_a_body_that_comes_after_a_request_for_another_protocol_is_read(server: Server) -> None:
    """Java's client asks for h2c with every first request of a connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    head = b"POST /core/v1/text HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4\r\n"
    writer.write(head + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
    await begun(server)
    writer.write(b'"ab"')
    async with asyncio.timeout(20):
        assert parts(await reader.read())[::2] == (200, b'"ba"')
    writer.close()
    await writer.wait_closed()


async def begun(server: Server) -> None:
    """Wait until the server has begun a request."""
    assert server.runner.server is not None
    async with asyncio.timeout(20):
        while not any(  # noqa: ASYNC110 - the server tells nobody
            each._request_in_progress for each in server.runner.server.connections
        ):
            await asyncio.sleep(0)


async def test_a_client_that_leaves_mid_body_does_no_harm(server: Server, world: World) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(b"POST /core/v1/text HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nab")
    await writer.drain()
    writer.close()
    await writer.wait_closed()
    await world.logs.wait_for("request", 2)
    assert world.logs.named("internal_error") == []

"""Heads of requests: bounded in all, in time and together, on every kind of port, before anybody is known."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator

import pytest

from attest.certificates.challenges import TlsAlpnSolver, TlsFront
from attest.certificates.renewal import SelfSigned
from attest.certificates.serving import ServedCertificate
from node.http.listener import PlainListener, Protocols, TlsListener
from node.http.protocol import NodeRequestHandler
from node.http.rate import Proxies
from node.settings.http import HttpSettings
from tests.http.conftest import Keys
from tests.http.endpoints import Desk
from tests.support.clock import FakeClock
from tests.support.http_server import Server, World, serving
from tests.support.pebble import DOMAIN
from tests.support.proxy import line
from tests.support.tls import NoLog, RecordedEvidence, trusting_nobody

LOOPBACK = "127.0.0.1"
KINDS = ["plain", "tls", "proxy"]
NEVER_LATER_S = 20.0
START = b"GET /core/v1/noop HTTP/1.1\r\nHost: x\r\n"
WHOLE = START + b"\r\n"
LAST = START + b"Connection: close\r\n\r\n"
LARGE = 32 * 1024

Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def headers(count: int, size: int) -> bytes:
    """So many header lines of so many bytes each."""
    return b"".join(b"X-%03d: " % number + b"a" * (size - 9) + b"\r\n" for number in range(count))


async def tls_listener(protocols: Protocols) -> TlsListener:
    """A port with a certificate, which does not listen yet."""
    served = ServedCertificate(RecordedEvidence())
    await served.adopt(await SelfSigned(DOMAIN, 90 * 86_400.0, FakeClock()).issue())
    return TlsListener(protocols, TlsFront(served, TlsAlpnSolver()), 1024, Proxies([]), NoLog())


@contextlib.asynccontextmanager
async def port_of(kind: str, server: Server) -> AsyncIterator[int]:
    """A further port of the server, of this kind."""
    if kind == "plain":
        yield server.port
        return
    proxies = Proxies([LOOPBACK] if kind == "proxy" else [])
    listener: TlsListener | PlainListener
    if kind == "tls":
        listener = await tls_listener(server.runner.protocol_for)
    else:
        listener = PlainListener(server.runner.protocol_for, 1024, proxies, NoLog())
    await listener.start(LOOPBACK, 0)
    try:
        yield listener.port
    finally:
        await listener.close()


@contextlib.asynccontextmanager
async def connected(kind: str, port: int, client: str = "198.51.100.7") -> AsyncIterator[Ends]:
    """A connection; `client` is whom the proxy names, or the address on loopback that it comes from."""
    if kind == "tls":
        reader, writer = await asyncio.open_connection(LOOPBACK, port, ssl=trusting_nobody(), server_hostname=DOMAIN)
    elif kind == "proxy":
        reader, writer = await asyncio.open_connection(LOOPBACK, port)
        writer.write(line(client))
    else:
        source = client if client.startswith("127.") else LOOPBACK
        reader, writer = await asyncio.open_connection(LOOPBACK, port, local_addr=(source, 0))
    try:
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def rest_of(reader: asyncio.StreamReader) -> bytes:
    """What comes until the server closes the connection."""
    received = b""
    async with asyncio.timeout(NEVER_LATER_S):
        with contextlib.suppress(ConnectionError):
            while more := await reader.read(65_536):
                received += more
    return received


async def send(writer: asyncio.StreamWriter, *parts: bytes) -> None:
    """Each part in a packet of its own; a server that has closed meanwhile is no error."""
    with contextlib.suppress(ConnectionError):
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(0)


async def answered(ends: Ends, request: bytes = WHOLE) -> int:
    """The status of one more request of the connection."""
    reader, writer = ends
    writer.write(request)
    async with asyncio.timeout(NEVER_LATER_S):
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(each[15:]) for each in head.lower().split(b"\r\n") if each.startswith(b"content-length:"))
        await reader.readexactly(length)
    return int(head.split()[1])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("earlier", [0, 1], ids=["first", "next"])
@pytest.mark.parametrize(
    "parts",
    [
        pytest.param([START, *[headers(1, 8000)] * 120], id="120 headers that are never finished"),
        pytest.param([START + headers(6, 8000) + b"\r\n"], id="a whole head in one packet"),
        pytest.param([START, *[headers(1, 500)] * 70, b"\r\n"], id="many small headers"),
        pytest.param([START.replace(b"noop", b"noop?" + b"q" * 8000), *[headers(1, 8000)] * 4], id="with the line"),
        pytest.param([b"\r\n" * 1000] * 20, id="empty lines before it"),
    ],
)
async def test_a_head_has_32_kib_in_all(server: Server, kind: str, earlier: int, parts: list[bytes]) -> None:
    async with port_of(kind, server) as port, connected(kind, port) as ends:
        for _ in range(earlier):
            assert await answered(ends) == 200
        await send(ends[1], *parts)
        received = await rest_of(ends[0])
    assert received == b"" or (received.split()[1] == b"431" and b'"error":"headers_too_large"' in received)


@pytest.mark.parametrize("kind", KINDS)
async def test_what_follows_an_upgrade_is_not_kept(server: Server, kind: str) -> None:
    """150 such connections that read no answer held 33 MB, outside of all bounds."""
    asking = START + b"Connection: upgrade\r\nUpgrade: websocket\r\n\r\n"
    async with port_of(kind, server) as port, connected(kind, port) as ends:
        await send(ends[1], asking + WHOLE + LAST)
        received = await rest_of(ends[0])
    assert received.count(b"HTTP/1.1 ") == 1, "what came after an upgrade was parsed"


@pytest.mark.parametrize("kind", KINDS)
async def test_a_head_of_almost_32_kib_is_served_whatever_pieces_it_comes_in(server: Server, kind: str) -> None:
    request = START + headers(4, 8000) + b"\r\n"
    assert LARGE - 1024 < len(request) < LARGE
    async with port_of(kind, server) as port, connected(kind, port) as ends:
        assert await answered(ends, request) == 200
        await send(ends[1], *(request[begin : begin + 1000] for begin in range(0, len(request), 1000)))
        assert await answered(ends, b"") == 200


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("earlier", [0, 1], ids=["first", "next"])
async def test_a_head_that_trickles_in_is_given_up_and_idle_connections_are_not(
    world: World, desk: Desk, kind: str, earlier: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.http.reading.HEAD_TIMEOUT_S", 0.2)
    async with (
        serving(desk.endpoints(), world) as server,
        port_of(kind, server) as port,
        connected(kind, port) as idle,
        connected(kind, port) as slow,
    ):
        for _ in range(earlier):
            assert [await answered(idle), await answered(slow)] == [200, 200]
        await send(slow[1], START + b"X-A: ")
        ended = asyncio.create_task(rest_of(slow[0]))
        while not ended.done():  # a byte now and then keeps nothing open
            await send(slow[1], b"a")
            await asyncio.wait([ended], timeout=0.01)
        assert await ended == b""
        assert await answered(idle) == 200


async def test_a_head_that_began_behind_a_request_in_work_is_waited_for_until_that_ends(
    world: World, desk: Desk, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.http.reading.HEAD_TIMEOUT_S", 0.05)
    slow = b"POST /core/v1/slow HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\nContent-Length: 0\r\n\r\n" % keys.usage.encode()
    async with (
        serving(desk.endpoints(), world) as server,
        connected("plain", server.port) as working,
        connected("plain", server.port) as trickling,
    ):
        await send(working[1], slow)
        await desk.started.acquire()
        await send(working[1], START)
        await send(trickling[1], START)
        assert await rest_of(trickling[0]) == b""  # more than the time of a head is over
        desk.go_on.set()
        assert await answered(working, b"") == 200
        assert await rest_of(working[0]) == b""


async def test_unfinished_heads_are_bounded_together_and_by_address_and_small_requests_pass(
    world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.http.reading.HEADS_MAX_BYTES_TOGETHER", 80_000)
    monkeypatch.setattr("node.http.reading.HEAD_FREE_BYTES", 8_000)
    async with (
        serving(desk.endpoints(), world) as server,
        contextlib.AsyncExitStack() as held,
    ):
        budget = server.runner.connections.head_budget
        for _ in range(2):  # 16,000 bytes beyond the free ones each, of 40,000 for the address
            _, writer = await held.enter_async_context(connected("plain", server.port))
            await send(writer, START + headers(3, 8000))
        async with connected("plain", server.port) as one_too_many:
            await send(one_too_many[1], START + headers(3, 8000))
            assert b" 431 " in await rest_of(one_too_many[0])
        async with connected("plain", server.port) as ends:
            assert await answered(ends) == 200
            assert await answered(ends, START + headers(1, 7000) + b"\r\n") == 200
        async with connected("plain", server.port, "127.0.0.2") as elsewhere:
            await send(elsewhere[1], START + headers(3, 8000))
            assert await answered(elsewhere, b"\r\n") == 200
        assert 0 < budget.held <= 40_000
        await held.aclose()
        async with asyncio.timeout(NEVER_LATER_S):
            while budget.held:  # noqa: ASYNC110 - the server's side of a closed connection tells nobody
                await asyncio.sleep(0.01)


def refused(server: Server) -> bool:
    """Whether the head of any connection was refused, which is answered after the requests before it."""
    assert server.runner.server is not None
    open_ones = [each for each in server.runner.server.connections if isinstance(each, NodeRequestHandler)]
    return any(each._heads is not None and each._heads._refused for each in open_ones)


async def test_heads_that_wait_behind_a_request_are_bounded(world: World, desk: Desk, keys: Keys) -> None:
    slow = b"POST /core/v1/slow HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\nContent-Length: 0\r\n\r\n" % keys.usage.encode()
    async with serving(desk.endpoints(), world) as server:
        async with connected("plain", server.port) as ends:
            await send(ends[1], slow)
            await desk.started.acquire()
            await send(ends[1], *[START + headers(2, 4000) + b"\r\n"] * 20)
            async with asyncio.timeout(NEVER_LATER_S):
                while not refused(server):  # noqa: ASYNC110 - nor is this told
                    await asyncio.sleep(0.01)
            desk.go_on.set()
            received = await rest_of(ends[0])
        statuses = [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", received)]
        assert statuses[-1] == 431
        assert statuses[:-1] == [200] * (len(statuses) - 1)
        assert len(statuses) - 2 <= LARGE // 8000
        assert server.runner.connections.head_budget.held == 0


async def test_requests_that_wait_behind_another_are_served_where_their_heads_are_small(server: Server) -> None:
    async with connected("plain", server.port) as ends:
        await send(ends[1], WHOLE * 100 + LAST)
        received = await rest_of(ends[0])
    assert received.count(b"HTTP/1.1 200 ") == 101


CHUNKED = (
    b"POST /core/v1/text HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
)


@pytest.mark.parametrize(
    "flood",
    [
        pytest.param([b'4\r\n"ab"\r\n0\r\n', *[headers(1, 8000)] * 120], id="trailers"),
        pytest.param([b'4\r\n"ab"\r\n', b"1;x=", *[b"e" * 8000] * 120], id="an extension of a chunk"),
    ],
)
async def test_what_is_no_content_of_a_body_is_bounded_as_headers_are(server: Server, flood: list[bytes]) -> None:
    async with connected("plain", server.port) as ends:
        await send(ends[1], CHUNKED, *flood)
        assert await rest_of(ends[0]) == b""
    assert (await server.call("GET", "/noop")).status == 200


async def test_trailers_and_small_chunks_are_taken(server: Server) -> None:
    body = b'"' + b"a" * 100_000 + b'"'
    chunks = b"".join(b"1;note=x\r\n%c\r\n" % byte for byte in body)
    async with connected("plain", server.port) as ends:
        await send(ends[1], CHUNKED + chunks + b"0\r\nX-Sum: 1\r\n\r\n" + LAST)
        received = await rest_of(ends[0])
    assert received.count(b"HTTP/1.1 200 ") == 2
    assert b"a" * 100_000 in received


@pytest.mark.parametrize("at_once", [1_000, 70_000, 10**7])
async def test_a_large_body_passes_and_the_next_request_too(server: Server, at_once: int) -> None:
    body = b'"' + b"a" * 3_000_000 + b'"'
    head = b"POST /core/v1/text HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    sent = head % len(body) + body + LAST
    async with connected("plain", server.port) as ends:
        sending = asyncio.create_task(
            send(ends[1], *(sent[begin : begin + at_once] for begin in range(0, len(sent), at_once)))
        )
        received = await rest_of(ends[0])
        await sending
    assert received.count(b"HTTP/1.1 200 ") == 2


async def test_connections_are_counted_by_the_network_of_an_ipv6_client(world: World, desk: Desk) -> None:
    limits = HttpSettings(http_max_connections=6)  # three of one address; one is the session's own
    async with (
        serving(desk.endpoints(), world, limits) as server,
        port_of("proxy", server) as port,
        contextlib.AsyncExitStack() as held,
    ):
        for number in range(3):
            ends = await held.enter_async_context(connected("proxy", port, f"2001:db8::{number + 1}"))
            assert await answered(ends) == 200
        async with connected("proxy", port, "2001:db8::ffff") as refused:
            await send(refused[1], WHOLE)
            assert await rest_of(refused[0]) == b""
        async with connected("proxy", port, "2001:db8:0:1::1") as another:
            assert await answered(another) == 200


async def test_ipv4_mapped_into_ipv6_counts_as_ipv4(world: World, desk: Desk) -> None:
    async with (
        serving(desk.endpoints(), world, HttpSettings(http_max_connections=4)) as server,
        port_of("proxy", server) as port,
        connected("proxy", port, "198.51.100.7") as first,
        connected("proxy", port, "::ffff:198.51.100.7") as second,
    ):
        assert [await answered(first), await answered(second)] == [200, 200]
        async with connected("proxy", port, "198.51.100.7") as refused:
            await send(refused[1], WHOLE)
            assert await rest_of(refused[0]) == b""

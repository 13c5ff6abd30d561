"""Requests that a client sends before the answer to an earlier one: few wait, and all are answered in order."""

import asyncio
import re

import pytest

from node.http.reading import PIPELINED_MAX
from tests.http.conftest import Keys
from tests.http.endpoints import Desk
from tests.support.http_server import Server, World, serving

HEAD = b"POST /core/v1/anonymous HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
GET = b"GET /core/v1/noop HTTP/1.1\r\nHost: x\r\n\r\n"
LAST = b"GET /core/v1/noop HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
UPLOAD = HEAD + b"Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"
UPLOADED = b'f\r\n{"name":"7777"}\r\n0\r\n\r\n'
BODY_BYTES = 30_000
"""Of a body that is kept whole while nobody reads it."""
STATUS = re.compile(rb"HTTP/1.[01] ([0-9]+)")
NAME = re.compile(rb'"name":"([0-9]+)"')


class Wire(asyncio.Transport):
    """A connection's transport that keeps what is written, and says whether more is read."""

    def __init__(self) -> None:
        super().__init__({"peername": ("198.51.100.7", 1)})
        self.is_open = self.reads = True
        self.written = b""

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        del high, low

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data

    @property
    def statuses(self) -> list[int]:
        return [int(each) for each in STATUS.findall(self.written)]

    def is_closing(self) -> bool:
        return not self.is_open

    def close(self) -> None:
        self.is_open = False

    abort = close


def noted(number: int, size: int = 0) -> bytes:
    body = b'{"name":"%d"' % number + b" " * size + b"}"
    return HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body


def slow(key: str) -> bytes:
    return f"POST /core/v1/slow HTTP/1.1\r\nHost: x\r\nX-Api-Key: {key}\r\nContent-Length: 0\r\n\r\n".encode()


async def test_few_requests_wait_for_one_that_is_in_work(server: Server, keys: Keys, desk: Desk) -> None:
    wire, protocol = Wire(), server.runner.protocol_for(None)
    protocol.connection_made(wire)
    protocol.data_received(slow(keys.usage))
    await desk.started.acquire()
    count = 0
    while wire.reads:
        protocol.data_received(noted(count, BODY_BYTES))
        count += 1
    wire.close()
    protocol.connection_lost(None)
    desk.go_on.set()
    assert count <= PIPELINED_MAX


async def test_bodies_that_wait_are_bounded_together(
    world: World, desk: Desk, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without any key an address could have thousands of connections with bodies behind a response that it does not read."""
    monkeypatch.setattr("node.http.reading.HEADS_MAX_BYTES_TOGETHER", 6 * BODY_BYTES)
    async with serving(desk.endpoints(), world) as server, asyncio.timeout(20):
        # Room for three bodies of one address, the first of each connection aside: two of the first, one of the second.
        wires = []
        for _ in range(2):
            wire, protocol = Wire(), server.runner.protocol_for(None)
            protocol.connection_made(wire)
            wires.append((wire, protocol))
            protocol.data_received(slow(keys.usage))
            await desk.started.acquire()
            for number in range(3):
                protocol.data_received(noted(number, BODY_BYTES))
        desk.go_on.set()
        for (wire, protocol), expected in zip(wires, ([200] * 4, [200, 200, 200, 429]), strict=True):
            statuses: list[int] = []
            while len(statuses) < len(expected):
                await asyncio.sleep(0)
                statuses = wire.statuses
            assert statuses == expected
            protocol.connection_lost(None)


@pytest.mark.parametrize("count", [1, PIPELINED_MAX - 1, PIPELINED_MAX, PIPELINED_MAX + 1, 100])
@pytest.mark.parametrize("size", [0, 1_000, BODY_BYTES, 100_000], ids=lambda size: f"{size} bytes")
@pytest.mark.parametrize("before", ["nothing", "slow", "upload"])
async def test_all_that_were_sent_at_once_are_answered_in_order(
    server: Server, keys: Keys, desk: Desk, before: str, size: int, count: int
) -> None:
    desk.go_on.set()
    expected = list(range(min(count, 20) if size > 1_000 else count))
    sent = b"".join(noted(number, size) for number in expected) + LAST
    async with asyncio.timeout(20):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        if before == "slow":
            sent = slow(keys.usage) + sent
        if before == "upload":
            writer.write(UPLOAD)
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100")
            sent = UPLOADED + sent
        writer.write(sent)
        received = await reader.read()
        writer.close()
    names = [int(each) for each in NAME.findall(received)]
    assert names == ([7777, *expected] if before == "upload" else expected)
    assert received.count(b"HTTP/1.1 200") == len(names) + 1 + (before == "slow")


@pytest.mark.parametrize("count", range(PIPELINED_MAX - 2, PIPELINED_MAX + 3))
async def test_what_comes_behind_an_upload_is_answered(server: Server, count: int) -> None:
    """The upload is in work before its body has come, and the parser counts it as one that waits."""
    async with asyncio.timeout(20):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(UPLOAD)
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100")
        writer.write(UPLOADED + GET * count + LAST)
        received = await reader.read()
        writer.close()
    assert received.count(b"HTTP/1.1 200") == count + 2

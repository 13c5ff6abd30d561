"""Clients that do not read their answers: each holds little memory, in the node and in the kernel, whatever it sends further."""

import array
import asyncio
import fcntl
import itertools
import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp.base_protocol import BaseProtocol
from aiohttp.http_writer import StreamWriter

from node.http.protocol import PiecewiseBody
from node.settings.http import HttpSettings
from tests.http.endpoints import Desk
from tests.http.test_request_heads import KINDS, connected, port_of
from tests.support.http_server import Server, World, serving

ANSWER = b"a" * 5_000_000
UNSENT_MAX_BYTES = 256 * 1024
UNREAD_MAX_BYTES = 256 * 1024
"""Of a body that waits for its turn, with what Python needs for its pieces."""
SIOCOUTQNSD = 0x894B
"""From linux/sockios.h."""
TURN_MAX_BYTES = 64 * 1024
NEVER_LATER_S = 20.0
TEXT = json.dumps(ANSWER.decode()).encode()
HEAD = b"POST /core/v1/text HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
LARGE = HEAD + b"Content-Length: %d\r\n\r\n" % len(TEXT) + TEXT


def unsent_bytes(transport: Any) -> int:
    """What the transport keeps, and the one below TLS."""
    below = getattr(transport, "_ssl_protocol", None)
    held: int = transport.get_write_buffer_size()
    return held if below is None else held + int(below._transport.get_write_buffer_size())


def kernel_bytes(transport: Any) -> int:
    """What the kernel has taken and not sent yet."""
    count = array.array("i", [0])
    fcntl.ioctl(transport.get_extra_info("socket").fileno(), SIOCOUTQNSD, count)
    return count[0]


def unread_bytes(connection: Any) -> int:
    """What is kept of the body of the request that waits; 0 where none has come."""
    if not connection._messages:
        return 0
    _, body = connection._messages[0]
    held = sum(map(sys.getsizeof, body._buffer))
    return held + sum(map(sys.getsizeof, body._http_chunk_splits or ()))


async def until(found: Callable[[], Any]) -> Any:
    """What is found, once it is there."""
    async with asyncio.timeout(NEVER_LATER_S):
        while True:
            if value := found():
                return value
            await asyncio.sleep(0.01)


async def waiting_writer(server: Server) -> Any:
    """The server's side of the connection whose client is waited for."""
    connections = server.runner.server
    assert connections is not None
    return await until(lambda: next((each for each in connections.connections if each._paused), None))


@pytest.mark.parametrize("kind", KINDS)
async def test_an_answer_waits_in_pieces_until_it_is_read(server: Server, kind: str) -> None:
    async with port_of(kind, server) as port, connected(kind, port) as (reader, writer):
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # a stream's transport reads
        writer.write(LARGE)
        await writer.drain()
        transport = (await waiting_writer(server)).transport
        assert unsent_bytes(transport) <= UNSENT_MAX_BYTES
        assert kernel_bytes(transport) <= UNSENT_MAX_BYTES
        writer.transport.resume_reading()  # type: ignore[attr-defined]  # as above
        async with asyncio.timeout(NEVER_LATER_S):
            answered = await reader.readuntil(b"\r\n\r\n")
            assert await reader.readexactly(len(TEXT)) == TEXT
        assert answered.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("size", [2, 32, 4096])
@pytest.mark.parametrize("kind", KINDS)
async def test_a_body_behind_an_unread_answer_takes_little_memory(server: Server, kind: str, size: int) -> None:
    chunk = b"%x\r\n%s\r\n" % (size, b"a" * size)
    async with port_of(kind, server) as port, connected(kind, port) as (_, writer):
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # a stream's transport reads
        writer.write(LARGE)
        await writer.drain()
        connection = await waiting_writer(server)
        writer.write(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * (2_000_000 // len(chunk)))
        await until(lambda: connection._reading_paused)
        assert 0 < unread_bytes(connection) <= UNREAD_MAX_BYTES
        writer.transport.abort()  # what is left will never be taken


async def gone(server: Server, connection: Any) -> None:
    """Wait until the server has let go of the connection."""
    connections = server.runner.server
    assert connections is not None
    await until(lambda: connection not in connections.connections)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_client_that_reads_nothing_is_disconnected(
    server: Server, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.http.protocol.ANSWER_TIMEOUT_S", 0.2)
    async with port_of(kind, server) as port, connected(kind, port) as (_, writer):
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # a stream's transport reads
        writer.write(LARGE)
        await gone(server, await waiting_writer(server))


async def test_an_idle_connection_with_an_unread_answer_is_not_kept(
    world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was closed, and closing waited for ever for the client to read."""
    monkeypatch.setattr("node.http.protocol.ANSWER_TIMEOUT_S", 0.5)
    text = json.dumps("a" * 10_000).encode()
    asked = HEAD + b"Content-Length: %d\r\n\r\n" % len(text) + text
    async with (
        serving(desk.endpoints(), world, HttpSettings(http_keepalive_timeout_s=0.3)) as server,
        connected("plain", server.port, "127.0.0.2") as (_, writer),
    ):
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # as above
        connections = server.runner.server
        assert connections is not None
        writer.write(asked)
        ours = [("127.0.0.2", writer.get_extra_info("sockname")[1])]
        connection: Any = await until(
            lambda: next((each for each in connections.connections if each.peername in ours), None)
        )
        transport = connection.transport
        while not unsent_bytes(transport):  # what the kernel takes is no matter of the node's
            answered = len(world.logs.named("request"))
            writer.write(asked)
            await world.logs.wait_for("request", answered + 1)
        await gone(server, connection)


@pytest.mark.exhaustive
async def test_a_slow_reader_gets_the_whole_answer(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.http.protocol.ANSWER_TIMEOUT_S", 2.0)
    loop = asyncio.get_running_loop()
    async with connected("plain", server.port) as (reader, writer):
        began = loop.time()
        writer.write(LARGE)
        await reader.readuntil(b"\r\n\r\n")
        received = 0
        while received < len(TEXT):
            received += len(await reader.readexactly(min(400_000, len(TEXT) - received)))
            await asyncio.sleep(0.3)
        assert loop.time() - began > 3.0


class FastReader(asyncio.Transport):
    """The side of a client that reads whatever is written at once."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[int] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written.append(len(data))

    def is_closing(self) -> bool:
        return False


async def test_others_have_turns_while_a_large_answer_is_written_to_a_fast_reader() -> None:
    loop = asyncio.get_running_loop()
    connection, transport = BaseProtocol(loop), FastReader()
    connection.transport = transport
    writing = asyncio.create_task(PiecewiseBody(ANSWER).write(StreamWriter(connection, loop)))
    counts = [0]
    while not writing.done():
        await asyncio.sleep(0)
        counts.append(sum(transport.written))
    assert counts[-1] == len(ANSWER)
    assert max(after - before for before, after in itertools.pairwise(counts)) <= TURN_MAX_BYTES

"""Answers that their clients do not read: each holds little more than a piece of itself in the connection's buffers."""

import asyncio
import json
from typing import Any

import pytest

from tests.http.test_request_heads import KINDS, connected, port_of
from tests.support.http_server import Server

ANSWER = b"a" * 5_000_000
UNSENT_MAX_BYTES = 256 * 1024
NEVER_LATER_S = 20.0


def unsent_bytes(transport: Any) -> int:
    """What the transport keeps, and the one below TLS."""
    below = getattr(transport, "_ssl_protocol", None)
    held: int = transport.get_write_buffer_size()
    return held if below is None else held + int(below._transport.get_write_buffer_size())


async def waiting_writer(server: Server) -> Any:
    """The server's side of the connection whose client is waited for."""
    assert server.runner.server is not None
    async with asyncio.timeout(NEVER_LATER_S):
        while True:
            for each in server.runner.server.connections:
                if each._paused:
                    return each
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("kind", KINDS)
async def test_an_answer_waits_in_pieces_until_it_is_read(server: Server, kind: str) -> None:
    text = json.dumps(ANSWER.decode()).encode()
    head = f"POST /core/v1/text HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n"
    async with port_of(kind, server) as port, connected(kind, port) as (reader, writer):
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # a stream's transport reads
        writer.write(head.encode() + text)
        await writer.drain()
        held = unsent_bytes((await waiting_writer(server)).transport)
        assert held <= UNSENT_MAX_BYTES
        writer.transport.resume_reading()  # type: ignore[attr-defined]  # as above
        async with asyncio.timeout(NEVER_LATER_S):
            answered = await reader.readuntil(b"\r\n\r\n")
            assert await reader.readexactly(len(text)) == text
        assert answered.startswith(b"HTTP/1.1 200")

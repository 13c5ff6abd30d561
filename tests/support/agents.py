"""Guest agents that misbehave, on real unix sockets."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

CONVERSATIONS_END_WITHIN_S = 10.0
Conversation = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def _read_request(reader: asyncio.StreamReader) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            await reader.readexactly(int(line.split(b":")[1]))


def answering(raw: bytes) -> Conversation:
    """Reads the request, writes `raw` as it stands, closes."""

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _read_request(reader)
        writer.write(raw)
        await writer.drain()

    return converse


def with_body(body: bytes, status: str = "200 OK", headers: bytes = b"") -> Conversation:
    """Answers `body` in a well-formed response."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n".encode()
    return answering(head + headers + b"\r\n" + body)


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Reads the request and never answers; ends when the client goes."""
    await _read_request(reader)
    await reader.read()


async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers half of what it announces, then nothing until the client goes."""
    await _read_request(reader)
    writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"app_id": "00')
    await writer.drain()
    await reader.read()


async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers without end, until the client goes."""
    await _read_request(reader)
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    with contextlib.suppress(ConnectionError):
        while True:
            writer.write(b"10000\r\n" + b"x" * 65_536 + b"\r\n")
            await writer.drain()


@contextlib.asynccontextmanager
async def guest_agent(path: Path, converse: Conversation) -> AsyncIterator[str]:
    """A guest agent that behaves like `converse`; yields its endpoint."""

    conversations: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await converse(reader, writer)
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(serve(reader, writer))
        conversations.add(task)
        task.add_done_callback(conversations.discard)

    server = await asyncio.start_unix_server(accept, path)
    async with server:
        yield str(path)
        server.close()
        # each ends when its client goes, which every client here has done by now
        await asyncio.wait_for(asyncio.gather(*conversations), CONVERSATIONS_END_WITHIN_S)

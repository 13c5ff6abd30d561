"""Servers on loopback that answer what a test tells them to, byte for byte, and keep what they were asked."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

Answer = Callable[["Asked", asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True)
class Asked:
    """A request as it arrived; header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Server:
    """Its `port`, what it was `asked`, and how many have connected; `by_path` says what each path is answered."""

    port: int = 0
    connections: int = 0
    asked: list[Asked] = field(default_factory=list)
    by_path: dict[str, bytes | Answer] = field(default_factory=dict)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while True:
                asked = await _read(reader)
                self.asked.append(asked)
                answer = self.by_path[asked.path.partition("?")[0]]
                if isinstance(answer, bytes):
                    writer.write(answer)
                else:
                    await answer(asked, writer)
                await writer.drain()
                if isinstance(answer, bytes) and b"Connection: close" not in answer:
                    continue
                break
        writer.close()


async def _read(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, path, headers, body)


def answer(body: bytes = b"", *headers: str, status: str = "200 OK") -> bytes:
    """A whole answer with its length."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def redirect(location: str, status: int = 302) -> bytes:
    return answer(b"", f"Location: {location}", status=f"{status} Elsewhere")


@contextlib.asynccontextmanager
async def server(tls: ssl.SSLContext | None = None, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[Server]:
    """A server until the context ends; whoever is still connected is cut off. Port 0 is any."""
    made = Server()
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await made.serve(reader, writer)
        finally:
            tasks.discard(task)
            writer.close()

    listening = await asyncio.start_server(serve, host, port, ssl=tls)
    made.port = listening.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        listening.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await listening.wait_closed()

"""Lean HTTP/1.1 over raw sockets with keep-alive, so that a benchmark does not measure it."""

import asyncio
import json
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

_END_OF_HEAD = b"\r\n\r\n"
_LENGTH = b"content-length:"


@dataclass(frozen=True, slots=True)
class Answer:
    """Status and body of one response."""

    status: int
    body: bytes


def post(url: str, body: object, headers: Mapping[str, str] | None = None) -> bytes:
    """Returns the bytes of a POST of JSON."""
    parts = urllib.parse.urlsplit(url)
    content = json.dumps(body).encode()
    named = {"Host": parts.netloc, "Content-Type": "application/json", "Content-Length": str(len(content))}
    lines = "".join(f"{name}: {value}\r\n" for name, value in {**named, **(headers or {})}.items())
    return f"POST {parts.path} HTTP/1.1\r\n{lines}\r\n".encode() + content


class Connection(asyncio.Protocol):
    """HTTP connection with one request at a time. Responses must have a Content-Length."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._waiter: asyncio.Future[Answer] | None = None
        self._received = bytearray()
        self._whole_bytes = 0

    @classmethod
    async def open(cls, url: str) -> Self:
        """Connects to the host of this URL."""
        host, _, port = urllib.parse.urlsplit(url).netloc.partition(":")
        _, connection = await asyncio.get_running_loop().create_connection(cls, host, int(port))
        return connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(exc or ConnectionError("closed by the server"))

    def data_received(self, data: bytes) -> None:
        self._received += data
        # Once for each response: repeated searches for the head would cost the generator time.
        if not self._whole_bytes:
            self._whole_bytes = _whole_bytes(self._received)
        if self._whole_bytes and len(self._received) >= self._whole_bytes:
            head = self._received.index(_END_OF_HEAD) + len(_END_OF_HEAD)
            answer = Answer(int(self._received[9:12]), bytes(self._received[head : self._whole_bytes]))
            self._received.clear()
            self._whole_bytes = 0
            if self._waiter is not None and not self._waiter.done():
                self._waiter.set_result(answer)

    def send(self, request: bytes) -> None:
        """Writes a request without waiting."""
        assert self._transport is not None
        self._transport.write(request)

    async def ask(self, request: bytes) -> Answer:
        """Sends a request and returns its response. Raises OSError if the connection ends first."""
        assert self._transport is not None
        if self._transport.is_closing():
            raise ConnectionError("closed by the server")
        self._waiter = asyncio.get_running_loop().create_future()
        self.send(request)
        return await self._waiter

    def close(self) -> None:
        """Aborts the connection at once."""
        assert self._transport is not None
        # Abort and do not close: the node must notice at once that the client is gone.
        self._transport.abort()


def _whole_bytes(received: bytearray) -> int:
    """Returns the response's length with its head, 0 while the head is incomplete."""
    end = received.find(_END_OF_HEAD)
    if end < 0:
        return 0
    for line in bytes(received[:end]).lower().split(b"\r\n"):
        if line.startswith(_LENGTH):
            return end + len(_END_OF_HEAD) + int(line[len(_LENGTH) :])
    raise ValueError("an answer without Content-Length")

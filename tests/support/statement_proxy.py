"""A proxy between a node and its PostgreSQL that loses the reply of one statement, which the server has carried out."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit, urlunsplit

_LENGTH: Final = 4
_SIMPLE_QUERY, _SYNC, _READY = b"Q", b"S", b"Z"
"""Messages (PostgreSQL 17, 55.7): the first two end what a client asks, the third what the server answers."""
_CHUNK: Final = 65_536

COMMIT: Final = "COMMIT\0"
"""As `of`; what begins a transaction contains COMMITTED."""


class _Messages:
    """Messages of one direction, as their bytes come. The client's first one has no letter."""

    def __init__(self, *, begins_bare: bool = False) -> None:
        self._rest = b""
        self._bare = begins_bare

    def feed(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """Return the letter and the bytes of each message that is whole now; nothing is kept back of what is not."""
        self._rest += data
        whole: list[tuple[bytes, bytes]] = []
        while True:
            letters = 0 if self._bare else 1
            if len(self._rest) < letters + _LENGTH:
                return whole
            end = letters + int.from_bytes(self._rest[letters : letters + _LENGTH])
            if len(self._rest) < end:
                return whole
            whole.append((self._rest[:letters], self._rest[:end]))
            self._rest, self._bare = self._rest[end:], False


@dataclass(eq=False)
class _Pair:
    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    cut: bool = False
    """Whether no byte of the server's reaches the client any more."""

    def abort(self) -> None:
        for side in (self.client, self.server):
            side.transport.abort()


class StatementProxy:
    """Counts statements from `lose` on, over all connections, and loses the reply of one; `down` refuses connections.

    What a client asks up to a Sync or in a simple query is one statement: BEGIN and COMMIT too, and each parse.
    """

    def __init__(self, port: int) -> None:
        self._server_port = port
        self._pairs: set[_Pair] = set()
        self._left: int | None = None
        self._of = b""
        self._goes_down = False
        self.down = False
        self.lost = asyncio.Event()
        """Set once the reply was lost: the server had carried the statement out by then."""

    def lose(self, number: int, of: str = "", *, goes_down: bool = False) -> None:
        """The reply of the `number`-th statement from now, from 1, of those that contain `of`, never comes."""
        self.lost = asyncio.Event()
        self._left, self._of, self._goes_down = number, of.encode(), goes_down

    def go_down(self) -> None:
        """Cut every connection, and take none."""
        self.down = True
        for pair in self._pairs:
            pair.abort()

    def up(self) -> None:
        """Take connections again."""
        self.down = False

    @contextlib.asynccontextmanager
    async def running(self, url: str) -> AsyncIterator[str]:
        """Listen until the context ends; the value is `url` by way of this proxy."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        parts = urlsplit(url)
        async with server:
            yield urlunsplit(parts._replace(netloc=parts.netloc.replace(f":{self._server_port}", f":{port}")))
            self.go_down()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.down:
            writer.transport.abort()
            return
        answers, server = await asyncio.open_connection("127.0.0.1", self._server_port)
        pair = _Pair(writer, server)
        self._pairs.add(pair)
        with contextlib.suppress(OSError):
            await asyncio.gather(self._forward(reader, pair), self._answer(answers, pair))
        pair.abort()
        self._pairs.discard(pair)

    async def _forward(self, reader: asyncio.StreamReader, pair: _Pair) -> None:
        messages, asked = _Messages(begins_bare=True), b""
        while data := await reader.read(_CHUNK):
            for letter, message in messages.feed(data):
                asked += message
                if letter in {_SIMPLE_QUERY, _SYNC}:
                    pair.cut |= self._is_counted_out(asked)
                    asked = b""
            # After the decision: the reply may come before this task runs again.
            pair.server.write(data)
            await pair.server.drain()
        pair.abort()

    def _is_counted_out(self, asked: bytes) -> bool:
        if self._left is None or self._of not in asked:
            return False
        self._left -= 1
        if self._left:
            return False
        self._left = None
        return True

    async def _answer(self, answers: asyncio.StreamReader, pair: _Pair) -> None:
        messages = _Messages()
        while data := await answers.read(_CHUNK):
            letters = [letter for letter, _ in messages.feed(data)]
            if pair.cut and _READY in letters:
                self._lose(pair)
                return
            if not pair.cut:
                pair.client.write(data)
                await pair.client.drain()
        pair.abort()

    def _lose(self, pair: _Pair) -> None:
        if self._goes_down:
            self.go_down()
        pair.abort()
        self.lost.set()

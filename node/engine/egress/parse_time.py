"""Bounds the processor time of parsing what servers answer to actions, and closes connections.

Time is limited because some bytes cost a hundred times more than plain ones to parse. Chunks of one
byte, long chunk extensions and endless provisional responses do not count as body. Compressed data
can consist of tables alone. No limit of bytes ends them, and the event loop parses them.
"""

import asyncio
import functools
import time
from collections.abc import Callable, Iterator
from typing import Final

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http import RawResponseMessage
from aiohttp.streams import StreamReader

from node.engine.egress.messages import REDIRECTS
from node.engine.egress.targets import FetchRefusedError


class ReadingWork:
    """Processor time for one action's responses. `cpu_clock` returns this thread's seconds."""

    def __init__(self, cpu_s: float, cpu_clock: Callable[[], float] = time.thread_time) -> None:
        self._left_s = cpu_s
        self.cpu_clock = cpu_clock

    def is_spent(self) -> bool:
        """Returns whether nothing more may be read."""
        return self._left_s <= 0

    def spend(self, cpu_s: float) -> None:
        """Counts the time that reading has taken."""
        self._left_s -= cpu_s

    def counted(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """Yields the pieces and counts the time to make each. Raises FetchRefusedError above it."""
        while True:
            began = self.cpu_clock()
            piece = next(pieces, None)
            self.spend(self.cpu_clock() - began)
            if piece is None:
                return
            self.require_some_left()
            yield piece

    def require_some_left(self) -> None:
        """Checks that more may be read. Raises FetchRefusedError."""
        if self.is_spent():
            raise FetchRefusedError("the answers are sent in a way that takes too much work to read")


_NOT_USED_AGAIN: Final = REDIRECTS | {204, 304}
"""Statuses after which a connection is closed, as after HEAD. A server that redirects may close it,
and the next request would be lost. Bytes behind a response without a body could be read as the next
response."""


class _MeteredHandler(ResponseHandler):
    def __init__(self, loop: asyncio.AbstractEventLoop, work: ReadingWork) -> None:
        super().__init__(loop)
        self._work = work

    def data_received(self, data: bytes) -> None:
        """Parses the data, and aborts the connection if the time is used up."""
        began = self._work.cpu_clock()
        super().data_received(data)
        self._work.spend(self._work.cpu_clock() - began)
        if self._work.is_spent() and self.transport is not None:
            self.transport.abort()

    async def read(self) -> tuple[RawResponseMessage, StreamReader]:
        """Returns the next answer. Closes the connection after some, before it could be idle."""
        message, body = await super().read()
        if self._skip_payload or message.code in _NOT_USED_AGAIN:
            self.force_close()
        return message, body


def meter(connector: aiohttp.TCPConnector, work: ReadingWork) -> None:
    """Counts the work of every connection that `connector` makes from now on, and closes some."""
    # aiohttp has no public way to set the protocol; tests/engine/egress covers a change.
    handler = functools.partial(_MeteredHandler, loop=asyncio.get_running_loop(), work=work)
    vars(connector)["_factory"] = handler

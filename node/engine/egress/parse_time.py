"""Bounds the processor time of parsing what servers answer to actions.

Time is limited because some bytes cost a hundred times more than plain ones to parse. Chunks of one
byte, long chunk extensions and endless provisional responses do not count as body. Compressed data
can consist of tables alone. No limit of bytes ends them, and the event loop parses them.
"""

import asyncio
import functools
import time
from collections.abc import Callable, Iterator

import aiohttp
from aiohttp.client_proto import ResponseHandler

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


def meter(connector: aiohttp.TCPConnector, work: ReadingWork) -> None:
    """Counts the work of every connection that `connector` makes from now on."""
    # aiohttp has no public way to set the protocol; tests/engine/egress covers a change.
    handler = functools.partial(_MeteredHandler, loop=asyncio.get_running_loop(), work=work)
    vars(connector)["_factory"] = handler

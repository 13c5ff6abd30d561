"""The work of taking answers apart, bounded: a server can send what costs a hundred times more than plain bytes do.

Chunks of one byte, long chunk extensions and provisional answers without end are not counted as body, and compressed
data can be made of nothing but tables, so no limit of bytes ends them; meanwhile the node's one event loop reads them.
"""

import asyncio
import functools
import time
from collections.abc import Callable, Iterator

import aiohttp
from aiohttp.client_proto import ResponseHandler

from node.engine.egress.refusal import FetchRefusedError


class ReadingWork:
    """Processor time of one action's answers. `cpu_clock` counts the seconds this thread has worked."""

    def __init__(self, cpu_s: float, cpu_clock: Callable[[], float] = time.thread_time) -> None:
        self._left_s = cpu_s
        self.cpu_clock = cpu_clock

    def is_spent(self) -> bool:
        """Whether nothing more may be read."""
        return self._left_s <= 0

    def spend(self, cpu_s: float) -> None:
        """Count what reading has taken."""
        self._left_s -= cpu_s

    def counted(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The same pieces, the work of making each counted. Raises FetchRefusedError when it was too much."""
        while True:
            began = self.cpu_clock()
            piece = next(pieces, None)
            self.spend(self.cpu_clock() - began)
            if piece is None:
                return
            self.require_some_left()
            yield piece

    def require_some_left(self) -> None:
        """Raises FetchRefusedError where nothing more may be read."""
        if self.is_spent():
            raise FetchRefusedError("the answers are sent in a way that takes too much work to read")


class _MeteredHandler(ResponseHandler):
    def __init__(self, loop: asyncio.AbstractEventLoop, work: ReadingWork) -> None:
        super().__init__(loop)
        self._work = work

    def data_received(self, data: bytes) -> None:
        """Read what has arrived, and cut the server off where that was the last it may take."""
        began = self._work.cpu_clock()
        super().data_received(data)
        self._work.spend(self._work.cpu_clock() - began)
        if self._work.is_spent() and self.transport is not None:
            self.transport.abort()


def meter(connector: aiohttp.TCPConnector, work: ReadingWork) -> None:
    """Count the work of every connection that `connector` makes from now on."""
    # aiohttp takes the protocol of its connections from nowhere else; tests/egress fails should that change.
    handler = functools.partial(_MeteredHandler, loop=asyncio.get_running_loop(), work=work)
    vars(connector)["_factory"] = handler

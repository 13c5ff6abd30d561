"""The work of taking answers apart, bounded: a server can send what costs a hundred times more than plain bytes do.

Chunks of one byte, long chunk extensions and provisional answers without end are not counted as body, so no limit of
bytes ends them; meanwhile the event loop of the whole node reads them.
"""

import asyncio
import functools
import time
from collections.abc import Callable

import aiohttp
from aiohttp.client_proto import ResponseHandler


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

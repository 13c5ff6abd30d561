"""Limits memory, sockets, and parsing time of actions' requests.

Time is limited because some bytes cost a hundred times more than plain ones to parse. Chunks of one
byte, long chunk extensions and endless provisional responses do not count as body. Compressed data
can consist of tables alone. No limit of bytes ends them, and the event loop parses them.
"""

import asyncio
import functools
import time
from collections.abc import Callable, Iterator
from typing import Self
from weakref import WeakValueDictionary

import aiohttp
from aiohttp.client_proto import ResponseHandler

from node.engine.egress.targets import FetchRefusedError


class Budget:
    """Permits `maximum` at a time, also within `shared`. `refusal` is the reason for refusing."""

    def __init__(self, maximum: int, refusal: str, shared: Self | None = None) -> None:
        self._free = maximum
        self._refusal = refusal
        self._shared = shared

    def take(self, count: int) -> None:
        """Takes `count`. Raises FetchRefusedError and takes nothing if less is left."""
        if count > self._free:
            raise FetchRefusedError(self._refusal)
        if self._shared is not None:
            # First, since the shared budget may refuse.
            self._shared.take(count)
        self._free -= count

    def give_back(self, count: int) -> None:
        """Returns what `take` took, or part of it."""
        self._free += count
        if self._shared is not None:
            self._shared.give_back(count)


class AccountBudgets:
    """Budget of all accounts, and one of each account while it is referenced."""

    def __init__(self, maximum: int, maximum_per_account: int, refusal: str) -> None:
        self._all = Budget(maximum, refusal)
        self._per_account = maximum_per_account
        self._refusal = refusal
        self._accounts: WeakValueDictionary[int, Budget] = WeakValueDictionary()

    def of(self, account: int) -> Budget:
        """Returns the account's budget, which is kept while it is referenced."""
        return self._accounts.setdefault(account, Budget(self._per_account, self._refusal, self._all))


class Holding:
    """Part of a budget that one body takes."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._count = 0

    def add(self, count: int) -> None:
        """Takes more. Raises FetchRefusedError."""
        self._budget.take(count)
        self._count += count

    def release(self) -> None:
        """Returns all of it."""
        self._budget.give_back(self._count)
        self._count = 0


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

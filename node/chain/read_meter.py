"""Counts reads of the chain for the request that causes them, on every path to the chain.

A context variable, which tasks inherit, holds the request's meter. The node's own reads have none.
"""

from contextvars import ContextVar
from typing import Final, Protocol


class ReadMeter(Protocol):
    """Counts the reads of one request."""

    def take(self, count: int) -> None:
        """Counts reads that are about to be made. Raises if they are not allowed."""
        ...


_METER: Final[ContextVar[ReadMeter | None]] = ContextVar("chain_read_meter", default=None)


class metered:  # noqa: N801 - a context manager, used as a function
    """Lets `meter` count the reads inside, also in tasks started there. None counts nothing."""

    __slots__ = ("_meter", "_token")

    def __init__(self, meter: ReadMeter | None) -> None:
        self._meter = meter

    def __enter__(self) -> None:
        self._token = _METER.set(self._meter)

    def __exit__(self, *_: object) -> None:
        _METER.reset(self._token)


def count_reads(count: int = 1) -> None:
    """Counts reads, each one exchange with all providers asked. Raises as `ReadMeter.take`."""
    meter = _METER.get()
    if meter is not None:
        meter.take(count)

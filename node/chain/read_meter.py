"""Counts reads of the chain for the request that causes them, on every path to the chain.

The meter of a request is found by context (contextvars), which tasks inherit. Reads without a meter are the node's own.
"""

from contextvars import ContextVar
from typing import Final, Protocol


class ReadMeter(Protocol):
    """Counts the reads of one request."""

    def take(self, count: int) -> None:
        """Count reads that are about to be made. Raises when they may not be."""
        ...


_METER: Final[ContextVar[ReadMeter | None]] = ContextVar("chain_read_meter", default=None)


class metered:  # noqa: N801 - a context manager, used as a function
    """Has `meter` count the reads inside, also in tasks begun there; None: they are not counted."""

    __slots__ = ("_meter", "_token")

    def __init__(self, meter: ReadMeter | None) -> None:
        self._meter = meter

    def __enter__(self) -> None:
        self._token = _METER.set(self._meter)

    def __exit__(self, *_: object) -> None:
        _METER.reset(self._token)


def count_reads(count: int = 1) -> None:
    """Count reads of the chain. Each is one exchange with every provider asked. Raises as `ReadMeter.take`."""
    meter = _METER.get()
    if meter is not None:
        meter.take(count)

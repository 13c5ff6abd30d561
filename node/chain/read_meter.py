"""Counts reads of the chain for the request that causes them, so that no way to the chain is forgotten.

A request's meter is found by context (contextvars), which tasks inherit. Whatever has no meter is this node's own work.
"""

from contextvars import ContextVar
from typing import Final, Protocol


class ReadMeter(Protocol):
    """Counts the reads of one request."""

    def take(self, count: int) -> None:
        """Count reads that are about to be made. Raises NodeError `too_many_requests` when they may not be."""
        ...


_METER: Final[ContextVar[ReadMeter | None]] = ContextVar("chain_read_meter", default=None)


class metered:  # noqa: N801 - a context manager, used as a function
    """Inside, also in tasks that are begun there, reads are counted by `meter`; None: by nobody."""

    __slots__ = ("_meter", "_token")

    def __init__(self, meter: ReadMeter | None) -> None:
        self._meter = meter

    def __enter__(self) -> None:
        self._token = _METER.set(self._meter)

    def __exit__(self, *_: object) -> None:
        _METER.reset(self._token)


def count_reads(count: int = 1) -> None:
    """Count reads of the chain, each of them one exchange with each endpoint that is asked. Raises as `ReadMeter.take`."""
    meter = _METER.get()
    if meter is not None:
        meter.take(count)

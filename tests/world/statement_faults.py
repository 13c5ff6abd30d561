"""Faults at the boundaries of statements: what this process sends to the server is counted, and one message is the last."""

import contextlib
import os
import signal
from asyncio import selector_events
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any, Final


class Fault(StrEnum):
    """What happens to the message, and to whom."""

    CUT_BEFORE = "the connection is cut before it is sent"
    CUT_AFTER = "it is sent, and the connection is cut before the answer"
    KILL_BEFORE = "the process is killed before it is sent"
    KILL_AFTER = "it is sent, and the process is killed"


CUTS: Final = (Fault.CUT_BEFORE, Fault.CUT_AFTER)
KILLS: Final = (Fault.KILL_BEFORE, Fault.KILL_AFTER)

Write = Callable[[Any, Any], None]


@contextlib.contextmanager
def fault_at(number: int, fault: Fault) -> Iterator[Callable[[], int]]:
    """The `number`-th message from now on suffers the fault; the value tells how many were sent so far."""
    transport: Any = selector_events._SelectorSocketTransport  # type: ignore[attr-defined]  # what asyncpg writes to
    write: Write = transport.write
    sent = 0

    def counted(self: Any, data: Any) -> None:
        nonlocal sent
        sent += 1
        if sent == number:
            _suffer(self, data, write, fault)
        else:
            write(self, data)

    transport.write = counted
    try:
        yield lambda: sent
    finally:
        transport.write = write


def _suffer(transport: Any, data: Any, write: Write, fault: Fault) -> None:
    if fault in {Fault.CUT_AFTER, Fault.KILL_AFTER}:
        write(transport, data)
    if fault in KILLS:
        os.kill(os.getpid(), signal.SIGKILL)
    transport.abort()

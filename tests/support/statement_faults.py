"""Faults at the boundaries of statements: what this process sends to the server is counted, and one message is the last."""

import contextlib
import os
import signal
from asyncio import selector_events
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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

COMMIT: Final = "COMMIT"
"""What every commit's message contains."""


@dataclass(frozen=True)
class Place:
    """The `number`-th message, from 1, of those that contain `of`."""

    number: int
    of: str = ""


Write = Callable[[Any, Any], None]


@contextlib.contextmanager
def fault_at(place: Place, fault: Fault) -> Iterator[Callable[[], bool]]:
    """The message there, from now on, suffers the fault; the value tells whether it came so far."""
    transport: Any = selector_events._SelectorSocketTransport  # type: ignore[attr-defined]  # what asyncpg writes to
    write: Write = transport.write
    wanted = place.of.encode()
    sent = 0

    def counted(self: Any, data: Any) -> None:
        nonlocal sent
        counts = wanted in bytes(data)
        sent += counts
        if counts and sent == place.number:
            _suffer(self, data, write, fault)
        else:
            write(self, data)

    transport.write = counted
    try:
        yield lambda: sent >= place.number
    finally:
        transport.write = write


@dataclass
class Trap:
    """The next message that contains what it waits for suffers, each time it is armed; `sprung` counts."""

    armed: bool = False
    sprung: int = 0


@contextlib.contextmanager
def trap(of: str, fault: Fault) -> Iterator[Trap]:
    """For connections made from now on: a fault at a moment that the test finds out."""
    transport: Any = selector_events._SelectorSocketTransport  # type: ignore[attr-defined]  # what asyncpg writes to
    write: Write = transport.write
    set_up = Trap()

    def watched(self: Any, data: Any) -> None:
        if set_up.armed and of.encode() in bytes(data):
            set_up.armed = False
            set_up.sprung += 1
            _suffer(self, data, write, fault)
        else:
            write(self, data)

    transport.write = watched
    try:
        yield set_up
    finally:
        transport.write = write


def _suffer(transport: Any, data: Any, write: Write, fault: Fault) -> None:
    if fault in {Fault.CUT_AFTER, Fault.KILL_AFTER}:
        write(transport, data)
    if fault in KILLS:
        os.kill(os.getpid(), signal.SIGKILL)
    transport.abort()

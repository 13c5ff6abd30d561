"""Advances the engine's epoch every few milliseconds, which makes a running fiber yield."""

import _thread
from collections.abc import Callable

TICK_S = 0.01
"""Maximum slice of an action before the socket and other fibers have their turn."""
_SHORT_S = 0.000_1
_IDLE_TICKS = 20
"""Idle ticks after which the thread sleeps until it is woken. Waking it costs a thread switch."""


class Ticker:
    """A thread that calls `tick`. Its start, with the kernel calls of a start, is complete."""

    def __init__(self, tick: Callable[[], None]) -> None:
        self._tick = tick
        self._is_busy = False
        self._parked: list[bool] = []
        self._wake = _thread.allocate_lock()
        self._wake.acquire()
        self._never = _thread.allocate_lock()
        self._never.acquire()
        self._started = _thread.allocate_lock()
        self._started.acquire()
        _thread.start_new_thread(self._run, ())
        self._started.acquire()

    def busy(self) -> None:
        """Wakes the thread. Call it before anything runs."""
        self._is_busy = True
        if self._parked:
            try:
                self._parked.pop()
            except IndexError:
                return
            self._wake.release()

    def _run(self) -> None:
        # Wait once in each way before the sandbox, which would forbid the first call.
        self._never.acquire(True, _SHORT_S)
        self._started.release()
        idle = 0
        while True:
            if idle > _IDLE_TICKS:
                self._park()
                idle = 0
            # A lock that is never free waits by futex, which the filter allows; sleep does not.
            self._never.acquire(True, TICK_S)
            self._tick()
            idle = 0 if self._is_busy else idle + 1
            self._is_busy = False

    def _park(self) -> None:
        self._parked.append(True)
        # `busy` sets its flag before this test, so one of both sees the other.
        if self._is_busy and self._parked:
            try:
                self._parked.pop()
            except IndexError:
                pass
            else:
                return
        self._wake.acquire()

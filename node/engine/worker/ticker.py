"""Advances the engine's epoch every few milliseconds while something runs, which makes what runs yield."""

import _thread
from _collections_abc import Callable  # collections.abc would bring the whole of collections

TICK_S = 0.01
"""The longest an action runs before the socket is looked at and its neighbours have their turn."""
_SHORT_S = 0.000_1
_IDLE_TICKS = 20
"""After so many ticks without anything running the thread sleeps until it is woken: waking it costs a switch of threads."""


class Ticker:
    """A thread that calls `tick`. It has started, with all that a thread asks of the kernel then, when this is made."""

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
        """To be called before anything runs."""
        self._is_busy = True
        if self._parked:
            try:
                self._parked.pop()
            except IndexError:
                return
            self._wake.release()

    def _run(self) -> None:
        # One wait of each kind before the process is locked in: what a thread asks for at its first would kill it.
        self._never.acquire(True, _SHORT_S)
        self._started.release()
        idle = 0
        while True:
            if idle > _IDLE_TICKS:
                self._park()
                idle = 0
            # A lock that is never free, and no sleep: its wait is the futex call that the filter allows.
            self._never.acquire(True, TICK_S)
            self._tick()
            idle = 0 if self._is_busy else idle + 1
            self._is_busy = False

    def _park(self) -> None:
        self._parked.append(True)
        # `busy` sets its flag before it looks here, and this looks at the flag after: one of both sees the other.
        if self._is_busy and self._parked:
            try:
                self._parked.pop()
            except IndexError:
                pass
            else:
                return
        self._wake.acquire()

"""Runs the fibers of a ready worker in turns, and takes jobs, replies and ends from the node.

One thread runs one fiber for at most one tick, and polls the socket between two slices. Fibers that
used up a slice run last until their next event, so an endless loop costs a tick a turn.
"""

import os
import time
from collections import deque

from node.engine.worker.channel import FiberChannel
from node.engine.worker.fiber import OUT_OF_MEMORY, Fiber, FiberLimits
from node.engine.worker.instance import Snapshot
from node.engine.worker.snapshots import Snapshots
from node.engine.worker.ticker import Ticker
from node.engine.worker.wasmtime_api import WasmtimeError

_PROGRAM, _JOB, _ANSWER, _KILL, _SHED = b"PJAKS"
_SPENT_TURN_NS = 50_000_000
"""Maximum time that fibers which use up slices wait for the others."""
_QUIET_MS = 50
"""Time without a run after which memory is returned, longer than most replies take."""
_FOREVER_MS = 86_400_000
_NS_PER_MS = 1_000_000


class Scheduler:
    """A worker's fibers. `run` never returns."""

    def __init__(self, snapshots: Snapshots, ticker: Ticker, channel: FiberChannel, limits: FiberLimits) -> None:
        self._snapshots = snapshots
        self._ticker = ticker
        self._channel = channel
        self._limits = limits
        self._fibers: dict[int, Fiber] = {}
        self._fresh: deque[Fiber] = deque()
        self._spent: deque[Fiber] = deque()
        self._spent_ran_ns = 0
        self._snapshot: Snapshot | None = None
        self._program = b""
        self._has_run = False

    def run(self) -> None:
        """Serves until the node closes the channel, which ends the process."""
        while True:
            self.turn()

    def turn(self) -> None:
        """Waits for events and takes them, runs one slice of one fiber, and writes output."""
        channel = self._channel
        patience_ms = self._patience_ms()
        if channel.wait(patience_ms):
            for kind, number, body in channel.receive():
                self._handle(kind, number, body)
        # Most replies would have come by now, so returning memory is worth it.
        elif self._has_run and patience_ms == _QUIET_MS and not self._fresh and not self._spent:
            self.reclaim()
        self._fire_timers()
        # Back-pressure: running produces output, and the node has not taken all of it.
        if not channel.is_clogged and (self._fresh or self._spent):
            self._run_one()
        channel.flush()

    def _patience_ms(self) -> int:
        if (self._fresh or self._spent) and not self._channel.is_clogged:
            return 0
        due = min((fiber.due_ns for fiber in self._fibers.values() if fiber.due_ns is not None), default=None)
        # Round up, or a timer that is checked early would be checked in a loop.
        until_due = _FOREVER_MS if due is None else max(0, -((time.monotonic_ns() - due) // _NS_PER_MS))
        return min(until_due, _QUIET_MS) if self._has_run else until_due

    def _handle(self, kind: int, number: int, body: bytes) -> None:
        fiber = self._fibers.get(number)
        if kind == _ANSWER:
            if fiber is not None:
                fiber.answer(body, self._channel)
                if fiber.has_ended:
                    self._forget(fiber)
                else:
                    self._queue(fiber)
        elif kind == _JOB:
            self._begin(number, body)
        elif kind == _KILL:
            if fiber is not None:
                self._end(fiber, None)
            # Confirm also an ended one, since the node waits for it.
            self._channel.put(_KILL, number)
        elif kind == _SHED:
            if self._fibers:
                self._end(max(self._fibers.values(), key=Fiber.held_bytes), _SHED)
        elif kind == _PROGRAM and self._snapshot is None:
            self._program = b'{"code":' + body + self._limits.job_part
            self._snapshot = self._snapshots.of_program(body)
        else:
            os._exit(1)

    def _begin(self, number: int, job: bytes) -> None:
        if self._snapshot is None or number in self._fibers:
            os._exit(1)
        try:
            instance = self._snapshots.new_instance(self._snapshot, self._limits.memory_bytes)
        except WasmtimeError:
            # Less memory than the snapshot needs, or more fibers than the pool has.
            self._channel.put(OUT_OF_MEMORY, number)
            return
        fiber = self._fibers[number] = Fiber(number, instance, self._snapshot, self._limits, self._yield_soon)
        # The program's text is made once for all runs, and replaces the job's opening brace.
        fiber.begin(self._program + job[1:])
        self._queue(fiber)

    def _queue(self, fiber: Fiber) -> None:
        """Moves a fiber with a new event to those that run first."""
        if fiber in self._spent:
            self._spent.remove(fiber)
        if fiber not in self._fresh:
            self._fresh.append(fiber)

    def _fire_timers(self) -> None:
        now = None
        for fiber in self._fibers.values():
            if fiber.due_ns is not None:
                now = now or time.monotonic_ns()
                if fiber.due_ns <= now:
                    fiber.fire()
                    self._queue(fiber)

    def _run_one(self) -> None:
        now = time.monotonic_ns()
        if self._spent and (not self._fresh or now - self._spent_ran_ns > _SPENT_TURN_NS):
            fiber = self._spent.popleft()
            self._spent_ran_ns = now
        else:
            fiber = self._fresh.popleft()
        self._ticker.busy()
        self._has_run = True
        fiber.run_slice(self._snapshots.host, self._channel)
        if fiber.has_ended:
            del self._fibers[fiber.number]
        elif fiber.is_spent:
            self._spent.append(fiber)
        elif fiber.wants_to_run():
            self._fresh.append(fiber)

    def _end(self, fiber: Fiber, kind: int | None) -> None:
        fiber.end(kind, self._channel)
        self._forget(fiber)

    def _forget(self, fiber: Fiber) -> None:
        del self._fibers[fiber.number]
        for queue in (self._fresh, self._spent):
            if fiber in queue:
                queue.remove(fiber)

    def reclaim(self) -> None:
        """Returns memory, which also erases the data of ended actions."""
        self._has_run = False
        for fiber in self._fibers.values():
            fiber.give_back()
        self._snapshots.reclaim()
        self._channel.wipe()

    def _yield_soon(self) -> None:
        """Stops the running fiber at its next branch. Called by that fiber."""
        self._snapshots.advance_epoch()

"""Priority of workers: those that use processors for long get the scheduler's idle class (SCHED_IDLE, sched(7))."""

import contextlib
import os
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

import structlog

_BUSY_PART: Final = 0.75
"""Part of a processor above which a worker would delay a further action."""
_LONG_PART: Final = 0.25
"""Part of a processor that an action may use after its foreground without counting as one that runs on."""
_ACCOUNT_PART: Final = 0.25
"""Part of all processors that one account may use at the node's own priority. A quarter leaves its neighbours half even where
two accounts do the same."""
_HELD_S: Final = 1.0
"""Time that an account keeps the lower priority after it was last seen above that part: one that is held back uses less."""
_log = structlog.get_logger(__name__)


class WorkerLoad(Protocol):
    """A worker as the priorities see it. While `alive` it is not reaped, so its `pid` is nobody else's."""

    pid: int
    account: int
    runs: int
    busy: bool
    lowered: bool
    retired: bool

    @property
    def alive(self) -> bool:
        """Whether it has not been reaped."""
        ...

    @property
    def fibers(self) -> int:
        """Number of its actions."""
        ...

    @property
    def is_ending(self) -> bool:
        """Whether it is ending an action, or is being ended."""
        ...

    def oldest_fiber_s(self, now: float) -> float:
        """Return the age of its oldest action, in seconds."""
        ...


@dataclass(frozen=True, slots=True)
class _Seen:
    """Measurement of a worker."""

    used_s: float = 0.0
    runs: int = 0
    was_running: bool = False


class Priorities:
    """Measures what workers use of the processors, and sets their priority. `refused`: the kernel forbade it.

    Time that a worker is seen waiting for a processor counts too. By processor time alone, a busy machine would leave
    loops at full priority for seconds.
    """

    def __init__(self, processors: int, foreground_s: float) -> None:
        self.refused = False
        self._processors = processors
        self._foreground_s = foreground_s
        self._looked_at = time.monotonic()
        self._seen: dict[int, _Seen] = {}
        self._ended_s: defaultdict[int, float] = defaultdict(float)
        self._heavy_until: dict[int, float] = {}

    def is_heavy(self, account: int) -> bool:
        """Return whether the account has lately used more than its part of the processors."""
        return account in self._heavy_until

    def begins(self, worker: WorkerLoad) -> None:
        """Give a worker that has been bound the priority of its account."""
        self.give(worker, self.is_heavy(worker.account))

    def ends(self, worker: WorkerLoad) -> None:
        """Count for its account what a worker that is to be ended used since the last measurement."""
        seen = self._seen.pop(worker.pid, _Seen())
        # An account that ends its workers quickly would otherwise never be seen to use anything.
        if worker.alive:
            self._ended_s[worker.account] += max(_processor_s(worker.pid) - seen.used_s, 0.0)

    def look(self, workers: Iterable[WorkerLoad]) -> None:
        """Measure once, and give each worker its priority."""
        now = time.monotonic()
        passed_s = max(now - self._looked_at, 0.001)
        self._looked_at = now
        before, self._seen = self._seen, {}
        by_account, self._ended_s = self._ended_s, defaultdict(float)
        looked_at: list[tuple[WorkerLoad, bool]] = []
        for worker in workers:
            seen = before.get(worker.pid, _Seen())
            # Nothing has run in it since: a system call is saved for each idle worker.
            if not worker.fibers and not worker.lowered and worker.runs == seen.runs:
                self._seen[worker.pid] = seen
                worker.busy = False
            elif worker.alive:
                used_s = _processor_s(worker.pid)
                # By account and not by worker: many small workers use as much as a large one.
                by_account[worker.account] += used_s - seen.used_s
                looked_at.append((worker, self._runs_on(worker, seen, used_s, now, passed_s)))
        for account, used_s in by_account.items():
            if used_s > _ACCOUNT_PART * self._processors * passed_s:
                self._heavy_until[account] = now + _HELD_S
        self._heavy_until = {account: until for account, until in self._heavy_until.items() if until > now}
        for worker, runs_on in looked_at:
            # At the lowest priority, beside others' load, ending takes seconds.
            self.give(worker, (runs_on or self.is_heavy(worker.account)) and not worker.is_ending)

    def give(self, worker: WorkerLoad, is_low: bool) -> None:
        """Lower a worker's priority, or restore it. If it cannot be restored, the worker gets no further action."""
        if is_low and not worker.lowered:
            worker.lowered = self._lower(worker.pid)
        elif worker.lowered and not is_low:
            worker.lowered = not restore(worker.pid)
            # Its next action would begin at the lowest priority without having earned it.
            worker.retired = worker.retired or worker.lowered

    def _runs_on(self, worker: WorkerLoad, seen: _Seen, used_s: float, now: float, passed_s: float) -> bool:
        """Return whether an action of it, after its foreground, uses or waits for the processor."""
        part = (used_s - seen.used_s) / passed_s
        is_old = worker.fibers > 0 and worker.oldest_fiber_s(now) >= self._foreground_s
        is_running = is_old and (part > 0 or worker.lowered) and _is_running(worker.pid)
        self._seen[worker.pid] = _Seen(used_s, worker.runs, is_running)
        runs_on = is_old and (part >= _LONG_PART or (is_running and seen.was_running))
        worker.busy = runs_on or part >= _BUSY_PART
        return runs_on

    def _lower(self, pid: int) -> bool:
        try:
            return lower(pid)
        except PermissionError:
            if not self.refused:
                _log.warning("action_priority_not_lowered", fix="run as another user than root, or with CAP_SYS_NICE")
            self.refused = True
            return False


def lower(pid: int) -> bool:
    """Give an unreaped child of ours the idle class. Return False when it is gone. Raises PermissionError."""
    return _schedule(pid, os.SCHED_IDLE)


def restore(pid: int) -> bool:
    """Give an unreaped child of ours the node's own priority again. Return False where the kernel refuses."""
    try:
        _schedule(pid, os.SCHED_OTHER)
    except PermissionError:
        return False
    return True


def _schedule(pid: int, policy: int) -> bool:
    """Set the policy of every thread, since each has its own: a worker that was taken over would use a second thread."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - paths cost more than the whole of it
    except OSError:
        return False
    for thread in threads:
        # A thread may end between the listing and this call.
        with contextlib.suppress(ProcessLookupError):
            os.sched_setscheduler(int(thread), policy, os.sched_param(0))
    return True


def _processor_s(pid: int) -> float:
    """Return the processor time of a process: its CPU clock, by the number that clock_getcpuclockid(3) gives."""
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0


def _is_running(pid: int) -> bool:
    """Return whether a process runs, or waits for a processor."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:  # noqa: PTH123 - half the cost, a thousand times
            return file.read(512).rpartition(b")")[2][:2] == b" R"
    except OSError:
        return False

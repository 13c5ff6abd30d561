"""Gives long-running workers the scheduler's idle class (SCHED_IDLE, sched(7))."""

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
"""Part of a processor above which an action after its foreground counts as long-running."""
_ACCOUNT_PART: Final = 0.25
"""Part of all processors that one account may use at the node's own priority. With a quarter, two
such accounts leave half to the others."""
_HELD_S: Final = 1.0
"""Time that an account keeps the lower priority, at which its use falls."""
_log = structlog.get_logger(__name__)


class WorkerLoad(Protocol):
    """A worker seen by the priorities. While `alive` it is not reaped, so `pid` is not reused."""

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
        """Whether it is ending an action, or is being killed."""
        ...

    def oldest_fiber_s(self, now: float) -> float:
        """Returns the age of its oldest action in seconds."""
        ...


@dataclass(frozen=True, slots=True)
class _Seen:
    """Measurement of a worker."""

    used_s: float = 0.0
    runs: int = 0
    was_running: bool = False


class Priorities:
    """Measures workers' use of processors and sets priorities. `refused`: the kernel forbade it.

    Observed waiting for a processor counts too. By processor time alone, loops on a busy machine
    would keep the full priority for seconds.
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
        """Returns whether the account has recently used more than its part of the processors."""
        return account in self._heavy_until

    def begins(self, worker: WorkerLoad) -> None:
        """Gives a newly bound worker the priority of its account."""
        self.give(worker, self.is_heavy(worker.account))

    def ends(self, worker: WorkerLoad) -> None:
        """Adds an ending worker's use since the last measurement to its account."""
        seen = self._seen.pop(worker.pid, _Seen())
        # An account that ends its workers quickly would otherwise show no use.
        if worker.alive:
            self._ended_s[worker.account] += max(_processor_s(worker.pid) - seen.used_s, 0.0)

    def look(self, workers: Iterable[WorkerLoad]) -> None:
        """Measures once, and gives each worker its priority."""
        now = time.monotonic()
        passed_s = max(now - self._looked_at, 0.001)
        self._looked_at = now
        before, self._seen = self._seen, {}
        by_account, self._ended_s = self._ended_s, defaultdict(float)
        looked_at: list[tuple[WorkerLoad, bool]] = []
        for worker in workers:
            seen = before.get(worker.pid, _Seen())
            # An idle worker without a run since needs no system call.
            if not worker.fibers and not worker.lowered and worker.runs == seen.runs:
                self._seen[worker.pid] = seen
                worker.busy = False
            elif worker.alive:
                used_s = _processor_s(worker.pid)
                # Count by account, since many small workers use as much as a large one.
                by_account[worker.account] += used_s - seen.used_s
                looked_at.append((worker, self._runs_on(worker, seen, used_s, now, passed_s)))
        for account, used_s in by_account.items():
            if used_s > _ACCOUNT_PART * self._processors * passed_s:
                self._heavy_until[account] = now + _HELD_S
        self._heavy_until = {account: until for account, until in self._heavy_until.items() if until > now}
        for worker, runs_on in looked_at:
            # At the lowest priority, ending would take seconds on a busy machine.
            self.give(worker, (runs_on or self.is_heavy(worker.account)) and not worker.is_ending)

    def give(self, worker: WorkerLoad, is_low: bool) -> None:
        """Lowers or restores a worker's priority. One that cannot be restored is retired."""
        if is_low and not worker.lowered:
            worker.lowered = self._lower(worker.pid)
        elif worker.lowered and not is_low:
            worker.lowered = not restore(worker.pid)
            # Its next action would wrongly begin at the lowest priority.
            worker.retired = worker.retired or worker.lowered

    def _runs_on(self, worker: WorkerLoad, seen: _Seen, used_s: float, now: float, passed_s: float) -> bool:
        """Returns whether an action older than `foreground_s` uses or awaits a processor.

        Also sets `worker.busy`.
        """
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
    """Gives our unreaped child the idle class. Returns False if gone. Raises PermissionError."""
    return _schedule(pid, os.SCHED_IDLE)


def restore(pid: int) -> bool:
    """Gives our unreaped child the normal priority. Returns False if the kernel refuses."""
    try:
        _schedule(pid, os.SCHED_OTHER)
    except PermissionError:
        return False
    return True


def _schedule(pid: int, policy: int) -> bool:
    """Sets the policy of every thread, since a compromised worker could start a second one."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - paths cost more
    except OSError:
        return False
    for thread in threads:
        # A thread may end between the listing and this call.
        with contextlib.suppress(ProcessLookupError):
            os.sched_setscheduler(int(thread), policy, os.sched_param(0))
    return True


def _processor_s(pid: int) -> float:
    """Returns the processor time of a process from its CPU clock (clock_getcpuclockid(3))."""
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0


def _is_running(pid: int) -> bool:
    """Returns whether a process runs or waits for a processor."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:  # noqa: PTH123 - half the cost
            return file.read(512).rpartition(b")")[2][:2] == b" R"
    except OSError:
        return False

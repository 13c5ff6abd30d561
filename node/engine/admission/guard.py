"""Measures memory, and ends actions before the kernel would end the node."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import structlog

from node.engine.admission.gate import START_BYTES, AdmissionMetrics, Gate, Headroom
from node.engine.admission.memory import Measured
from node.settings.execution import ActionSettings

MEMORY_WAIT_S: Final = 1.0
"""Wait for memory after which an action of the account that holds most memory is ended."""
_MODEST_BYTES: Final = 32 * 1024 * 1024
"""An account that holds at most this loses no action to others."""
_MEASUREMENTS_TO_SHED: Final = 2
"""Measurements in which a worker must have ended an action as told, or is killed. Shrinking is no
proof, as a compromised worker could return a page at a time."""
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_log = structlog.get_logger(__name__)


class WatchedWorker(Protocol):
    """A worker with actions. While `alive` it is not reaped, so that its `pid` is not reused."""

    pid: int
    account: int
    last_began_at: float

    @property
    def alive(self) -> bool:
        """Whether it has not been reaped."""
        ...

    @property
    def fibers(self) -> int:
        """Number of its actions."""
        ...

    @property
    def is_shedding(self) -> bool:
        """Whether it was told to end an action, and none of its actions has ended since."""
        ...

    def shed(self) -> None:
        """Ends its action that holds most memory."""
        ...

    def kill_for_memory(self) -> None:
        """Ends the worker and all its actions."""
        ...


@dataclass(frozen=True, slots=True)
class Held:
    """Memory of one running worker. `began_at` is in monotonic seconds."""

    index: int
    account: int
    held_bytes: int
    began_at: float


@dataclass(eq=False, slots=True)
class _Watched:
    """A worker and the measurements of its memory."""

    worker: WatchedWorker
    inherited_bytes: int
    held_bytes: int = 0
    measurements_left: int = 0
    """Measurements left to shed an action; 0 if it need not."""
    ended: bool = False


class MemoryGuard:
    """Measures memory when called, whether or not anything runs.

    `give_back` ends idle workers, and returns whether there were any.
    """

    def __init__(
        self,
        settings: ActionSettings,
        measure: Callable[[], Measured],
        gate: Gate,
        headroom: Headroom,
        metrics: AdmissionMetrics,
    ) -> None:
        self.give_back: Callable[[], bool] = lambda: False
        self._together_bytes = settings.action_memory_together_bytes
        self._measure_memory = measure
        self._gate = gate
        self._headroom = headroom
        self._metrics = metrics
        self._watched: dict[WatchedWorker, _Watched] = {}
        self._short = False
        self._gave_back = False
        self._gone_bytes = 0
        self._others_wait_since: float | None = None

    @property
    def short(self) -> bool:
        """Whether actions had to be ended at the last measurement, or none could begin."""
        return self._short

    def watch(self, worker: WatchedWorker) -> None:
        """Measures a worker from now on. Call it before the worker's first action."""
        # statm includes pages shared with the zygote; only the rest is used by its actions.
        self._watched[worker] = _Watched(worker, anonymous_bytes(worker.pid))

    def forget(self, worker: WatchedWorker) -> None:
        """Stops measuring a worker that is gone.

        If the guard ended it, its memory counts as returned once, even if a measurement has it too.
        """
        each = self._watched.pop(worker, None)
        if each is not None and each.ended:
            self._gone_bytes += each.held_bytes

    def look(self) -> None:
        """Measures once, ends what must end, and admits what may begin."""
        try:
            memory = self._measure_memory()
        except (OSError, KeyError, ValueError):
            _log.exception("memory_not_measured")
            return
        self._metrics.memory(memory.available_bytes)
        # Count it for one measurement, since the next one includes it.
        given_back_bytes, self._gone_bytes = self._gone_bytes, 0
        # The memory of each process is costly to read, so only if a decision needs it.
        below_reserve = memory.available_bytes < self._headroom.reserve_bytes(memory)
        held_bytes = self._measure() if self._short or below_reserve or self._together_bytes else 0
        fibers = sum(worker.fibers for worker in self._watched)
        lacking_bytes = self._headroom.measured(memory, held_bytes, max(self._gate.running - fibers, 0))
        self._short = not self._headroom.for_one_more()
        # Wait for the next measurement after idle workers ended, but not twice in a row.
        before, self._gave_back = self._gave_back, self._short and self.give_back()
        if self._gave_back and not before:
            return
        if lacking_bytes:
            for victim in self._victims(lacking_bytes - given_back_bytes):
                self._end(victim)
        elif self._others_wait_too_long():
            self._free_memory(self._headroom.lacking_for_one_bytes())
        self._gate.let_in()

    def _measure(self) -> int:
        """Measures all workers. A worker that is being killed keeps its value until it is gone."""
        for each in self._watched.values():
            # The kernel is freeing its memory; a smaller value would end a second worker.
            if each.ended:
                continue
            now_bytes = anonymous_bytes(each.worker.pid) if each.worker.alive else 0
            # A fiber that has just begun will soon use at least this much.
            now_bytes = max(now_bytes - each.inherited_bytes, START_BYTES * each.worker.fibers)
            if not each.worker.is_shedding:
                each.measurements_left = 0
            each.held_bytes = now_bytes
        return sum(each.held_bytes for each in self._watched.values())

    def _others_wait_too_long(self) -> bool:
        """Whether an action has waited for memory for `MEMORY_WAIT_S` and none could begin."""
        if not (self._short and self._gate.waiting):
            self._others_wait_since = None
            return False
        now = time.monotonic()
        if self._others_wait_since is None:
            self._others_wait_since = now
        return now - self._others_wait_since >= MEMORY_WAIT_S

    def _free_memory(self, lacking_bytes: int) -> None:
        """Ends actions of accounts that hold much memory.

        With half to all of the reserve left, they would otherwise block all others until they end.
        """
        for victim in self._victims(lacking_bytes):
            account = victim.worker.account
            holds_bytes = sum(each.held_bytes for each in self._watched.values() if each.worker.account == account)
            # No other account would gain, so an account that waits for itself loses nothing.
            if holds_bytes <= _MODEST_BYTES or set(self._gate.waiting_accounts) <= {account}:
                return
            self._end(victim)

    def _victims(self, lacking_bytes: int) -> Iterator[_Watched]:
        """Yields the largest workers until they cover the lack; ended ones that still run count."""
        watched = list(self._watched.values())
        # Their memory will be freed; without it more workers would end for the same bytes.
        lacking_bytes -= sum(each.held_bytes for each in watched if each.ended)
        left = {index: each for index, each in enumerate(watched) if each.worker.fibers and not each.ended}
        while lacking_bytes > 0 and left:
            held = [
                Held(index, each.worker.account, each.held_bytes, each.worker.last_began_at)
                for index, each in left.items()
            ]
            victim = left.pop(largest(held).index)
            lacking_bytes -= victim.held_bytes
            yield victim

    def _end(self, victim: _Watched) -> None:
        """Makes a worker end its largest action. Kills it if it has only one or did not obey."""
        worker = victim.worker
        if victim.measurements_left > 1:
            victim.measurements_left -= 1
            return
        is_whole = worker.fibers == 1 or victim.measurements_left == 1
        self._metrics.shed()
        _log.warning("action_shed", pid=worker.pid, held_bytes=victim.held_bytes, running=worker.fibers, all=is_whole)
        if is_whole:
            victim.ended = True
            worker.kill_for_memory()
        else:
            victim.measurements_left = _MEASUREMENTS_TO_SHED
            worker.shed()


def anonymous_bytes(pid: int) -> int:
    """Returns a process's resident anonymous memory with shared pages; 0 if it is gone.

    Reads `statm`, which every user may read; a process without dumps hides its finer maps.
    """
    try:
        with open(f"/proc/{pid}/statm", "rb", buffering=0) as file:  # noqa: PTH123 - half the cost
            _, resident, shared, *_ = file.read().split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * _PAGE_BYTES


def largest(held: Sequence[Held]) -> Held:
    """Returns the largest, then youngest worker of the account with most. `held` is not empty."""
    accounts: Counter[int] = Counter()
    for each in held:
        accounts[each.account] += each.held_bytes
    account = max(accounts, key=lambda each: accounts[each])
    return max((each for each in held if each.account == account), key=lambda each: (each.held_bytes, each.began_at))

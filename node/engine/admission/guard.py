"""Watches memory beside the requests: what may still begin, and what must end before the kernel ends the node."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

import structlog

from node.engine.admission.container_memory import Memory
from node.engine.admission.gate import Gate
from node.engine.admission.headroom import Headroom, Measured
from node.engine.admission.held import Held, anonymous_bytes, greediest
from node.engine.admission.limits import AdmissionLimits
from node.engine.admission.metrics import AdmissionMetrics
from node.errors import ErrorCode, NodeError

_log = structlog.get_logger(__name__)


_LOOKS_TO_SHED: Final = 2
"""Looks until a worker that was told to end an action must have done so; then it is ended itself. That it has become smaller
shows nothing: one that was taken over would give back a page at a time."""


class WatchedWorker(Protocol):
    """A worker with actions. While `alive` it is not reaped, and its number nobody else's."""

    pid: int
    account: int
    last_began_at: float

    @property
    def alive(self) -> bool:
        """Whether it has not been reaped."""
        ...

    @property
    def lanes(self) -> int:
        """Actions in it."""
        ...

    @property
    def is_shedding(self) -> bool:
        """Whether it was told to end an action, and none of it has ended since."""
        ...

    def shed(self) -> None:
        """End the action in it that holds most."""
        ...

    def kill_for_memory(self) -> None:
        """End it, and all actions in it."""
        ...


@dataclass(eq=False, slots=True)
class _Watched:
    """A worker, and what is known of its memory."""

    worker: WatchedWorker
    inherited_bytes: int
    held_bytes: int = 0
    looks_left: int = 0
    """Looks until it must have shed something; 0: it was not told to, or has done so."""
    ended: bool = False


class MemoryGuard:
    """Measures every `memory_interval_s`, whether or not anything runs.

    `give_back` ends the workers that only wait for their program's next action, and answers whether there were any.
    """

    def __init__(
        self, limits: AdmissionLimits, memory: Memory, gate: Gate, headroom: Headroom, metrics: AdmissionMetrics
    ) -> None:
        self.give_back: Callable[[], bool] = lambda: False
        self._limits = limits
        self._memory = memory
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
        """Count a worker from now on; to be called before it has its first action."""
        self._watched[worker] = _Watched(worker, anonymous_bytes(worker.pid))

    def forget(self, worker: WatchedWorker) -> None:
        """It is gone. What was ended counts once more: what it gave back may have been measured before."""
        each = self._watched.pop(worker, None)
        if each is not None and each.ended:
            self._gone_bytes += each.held_bytes

    def look(self) -> None:
        """Measure once, end what must be ended, and let in what may begin."""
        try:
            memory = self._memory.look()
        except (OSError, KeyError, ValueError):
            _log.exception("memory_not_measured")
            return
        self._metrics.memory(memory.available_bytes)
        given_back_bytes, self._gone_bytes = self._gone_bytes, 0
        held_bytes = self._measure() if self._must_know(memory) else 0
        lanes = sum(worker.lanes for worker in self._watched)
        lacking_bytes = self._headroom.measured(memory, held_bytes, max(self._gate.running - lanes, 0))
        self._short = not self._headroom.for_one_more()
        # What it frees is seen at the next look; twice in a row it was not enough.
        before, self._gave_back = self._gave_back, self._short and self.give_back()
        if self._gave_back and not before:
            return
        if lacking_bytes:
            for victim in self._victims(lacking_bytes - given_back_bytes):
                self._end(victim)
        elif self._others_wait_too_long():
            self._make_room(self._headroom.lacking_for_one_bytes())
        self._gate.let_in()

    def _must_know(self, memory: Measured) -> bool:
        """Each process's own is read only where it decides something."""
        below_reserve = memory.available_bytes < self._headroom.reserve_bytes(memory)
        return self._short or below_reserve or bool(self._limits.memory_together_bytes)

    def _measure(self) -> int:
        """All workers' own, where one that is being ended counts as before until it is gone."""
        for each in self._watched.values():
            if each.ended:
                continue
            now_bytes = anonymous_bytes(each.worker.pid) if each.worker.alive else 0
            now_bytes = max(now_bytes - each.inherited_bytes, self._limits.start_bytes * each.worker.lanes)
            if not each.worker.is_shedding:
                each.looks_left = 0
            each.held_bytes = now_bytes
        return sum(each.held_bytes for each in self._watched.values())

    def _others_wait_too_long(self) -> bool:
        """Whether somebody has waited for memory, and nobody could begin, for as long as one has to."""
        if not (self._short and self._gate.waiting):
            self._others_wait_since = None
            return False
        now = time.monotonic()
        if self._others_wait_since is None:
            self._others_wait_since = now
        return now - self._others_wait_since >= self._limits.memory_wait_s

    def _make_room(self, lacking_bytes: int) -> None:
        """Between the reserve and half of it, who holds much would keep everybody else out until its own end."""
        for victim in self._victims(lacking_bytes):
            account = victim.worker.account
            holds_bytes = sum(each.held_bytes for each in self._watched.values() if each.worker.account == account)
            if holds_bytes <= self._limits.memory_modest_bytes or set(self._gate.waiting_accounts) <= {account}:
                return
            self._end(victim)

    def _victims(self, lacking_bytes: int) -> Iterator[_Watched]:
        """The greediest, until what they give back is enough; those ended before, and not yet gone, count."""
        watched = list(self._watched.values())
        lacking_bytes -= sum(each.held_bytes for each in watched if each.ended)
        left = {index: each for index, each in enumerate(watched) if each.worker.lanes and not each.ended}
        while lacking_bytes > 0 and left:
            held = [
                Held(index, each.worker.account, each.held_bytes, each.worker.last_began_at)
                for index, each in left.items()
            ]
            victim = left.pop(greediest(held).index)
            lacking_bytes -= victim.held_bytes
            yield victim

    def _end(self, victim: _Watched) -> None:
        """Have a worker end its greediest action; end the worker where it has but one, or did not do so when told."""
        worker = victim.worker
        if victim.looks_left > 1:
            victim.looks_left -= 1
            return
        is_whole = worker.lanes == 1 or victim.looks_left == 1
        self._metrics.shed()
        _log.warning("action_shed", pid=worker.pid, held_bytes=victim.held_bytes, running=worker.lanes, all=is_whole)
        if is_whole:
            victim.ended = True
            worker.kill_for_memory()
        else:
            victim.looks_left = _LOOKS_TO_SHED
            worker.shed()


def short_of_memory(retry_after_s: int) -> NodeError:
    """The error of an action that the node or the kernel ended for lack of the node's memory, not of its own."""
    return NodeError(
        ErrorCode.RUNNER_UNAVAILABLE,
        "The node ran short of memory and ended the action.",
        fix="Send the request again after Retry-After; if the action holds much memory, hold less.",
        retry_after_s=retry_after_s,
    )

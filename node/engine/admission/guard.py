"""Watches memory beside the requests: what may still begin, and what must end before the kernel ends the node."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, Protocol

import structlog

from node.engine.admission.container_memory import Memory
from node.engine.admission.gate import Gate
from node.engine.admission.headroom import Headroom, Measured
from node.engine.admission.held import Held, anonymous_bytes, greediest
from node.engine.admission.limits import AdmissionLimits
from node.engine.admission.metrics import AdmissionMetrics
from node.errors import ErrorCode, NodeError

_REST: Final = 9
"""Between two measurements, so many times as long as one took: a thousand processes' take some 20 ms of everybody's time."""
_log = structlog.get_logger(__name__)


class Process(Protocol):
    """A child of ours. While `alive` it is not reaped, and its number nobody else's."""

    @property
    def pid(self) -> int:
        """Its process id."""
        ...

    @property
    def alive(self) -> bool:
        """Whether it has not been reaped."""
        ...


@dataclass(eq=False, slots=True)
class Watched:
    """A running action: its account, its process, and how to end it with an error of the node's."""

    account: int
    process: Process
    end: Callable[[NodeError], None]
    began_at: float = field(default_factory=time.monotonic)
    inherited_bytes: int = 0
    held_bytes: int = 0
    ended: bool = False


class MemoryGuard:
    """Measures every `memory_interval_s`, whether or not anything runs."""

    def __init__(
        self, limits: AdmissionLimits, memory: Memory, gate: Gate, headroom: Headroom, metrics: AdmissionMetrics
    ) -> None:
        self._limits = limits
        self._memory = memory
        self._gate = gate
        self._headroom = headroom
        self._metrics = metrics
        self._watched: set[Watched] = set()
        self._short = False
        self._others_wait_since: float | None = None

    @property
    def short(self) -> bool:
        """Whether actions had to be ended at the last measurement, or none could begin."""
        return self._short

    @contextlib.contextmanager
    def watching(self, action: Watched) -> Iterator[None]:
        """Count an action while it runs; to be entered before its process has the job."""
        action.inherited_bytes = anonymous_bytes(action.process.pid)
        self._watched.add(action)
        try:
            yield
        finally:
            self._watched.discard(action)

    async def run(self) -> None:
        """Measure for ever; to be cancelled."""
        while True:
            began_at = time.monotonic()
            self.look()
            took_s = time.monotonic() - began_at
            await asyncio.sleep(max(self._limits.memory_interval_s, took_s * _REST))

    def look(self) -> None:
        """Measure once, end what must be ended, and let in what may begin."""
        try:
            memory = self._memory.look()
        except (OSError, KeyError, ValueError):
            _log.exception("memory_not_measured")
            return
        self._metrics.memory(memory.available_bytes)
        held_bytes = self._measure() if self._must_know(memory) else 0
        beginning = max(self._gate.running - len(self._watched), 0)
        lacking_bytes = self._headroom.measured(memory, held_bytes, beginning)
        self._short = not self._headroom.for_one_more()
        if lacking_bytes:
            self._shed(lacking_bytes)
        elif self._others_wait_too_long():
            self._make_room(self._headroom.lacking_for_one_bytes())
        self._gate.let_in()

    def _must_know(self, memory: Measured) -> bool:
        """Each process's own is read only where it decides something."""
        below_reserve = memory.available_bytes < self._headroom.reserve_bytes(memory)
        return self._short or below_reserve or bool(self._limits.memory_together_bytes)

    def _measure(self) -> int:
        """All actions' own, where one that is being ended counts as before until it is gone."""
        for action in self._watched:
            if action.ended:
                continue
            now_bytes = anonymous_bytes(action.process.pid) if action.process.alive else 0
            action.held_bytes = max(now_bytes - action.inherited_bytes, self._limits.start_bytes)
        return sum(action.held_bytes for action in self._watched)

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
            holds_bytes = sum(each.held_bytes for each in self._watched if each.account == victim.account)
            if holds_bytes <= self._limits.memory_modest_bytes or set(self._gate.waiting_accounts) <= {victim.account}:
                return
            self._end(victim)

    def _shed(self, lacking_bytes: int) -> None:
        for victim in self._victims(lacking_bytes):
            self._end(victim)

    def _victims(self, lacking_bytes: int) -> Iterator[Watched]:
        """The greediest, until what they give back is enough; those ended before, and not yet gone, count."""
        lacking_bytes -= sum(action.held_bytes for action in self._watched if action.ended)
        left = {index: action for index, action in enumerate(self._watched) if not action.ended}
        while lacking_bytes > 0 and left:
            held = [Held(index, each.account, each.held_bytes, each.began_at) for index, each in left.items()]
            victim = left.pop(greediest(held).index)
            lacking_bytes -= victim.held_bytes
            yield victim

    def _end(self, victim: Watched) -> None:
        victim.ended = True
        self._metrics.shed()
        _log.warning("action_shed", pid=victim.process.pid, held_bytes=victim.held_bytes, running=len(self._watched))
        victim.end(short_of_memory(self._gate.retry_after_s()))


def short_of_memory(retry_after_s: int) -> NodeError:
    """The error of an action that the node or the kernel ended for lack of the node's memory, not of its own."""
    return NodeError(
        ErrorCode.RUNNER_UNAVAILABLE,
        "The node ran short of memory and ended the action.",
        fix="Send the request again after Retry-After; if the action holds much memory, hold less.",
        retry_after_s=retry_after_s,
    )

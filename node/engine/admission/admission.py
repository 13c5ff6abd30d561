"""Admission as the engine uses it: a turn for each action, and what follows it until its end."""

import asyncio
import contextlib
import os
import resource
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Final

from prometheus_client import CollectorRegistry

from node.engine.admission.container_memory import ContainerMemory, Memory
from node.engine.admission.gate import Gate, Place
from node.engine.admission.guard import MemoryGuard, Process, Watched, short_of_memory
from node.engine.admission.headroom import Headroom
from node.engine.admission.limits import AdmissionLimits
from node.engine.admission.metrics import AdmissionMetrics
from node.engine.admission.priority import Priority
from node.errors import NodeError

_DESCRIPTORS_EACH: Final = 6
"""Of the process's descriptors, half are for connections; an action has two, and those of its requests."""


class Admission:
    """Turns, memory and priority together. `start` it inside a running event loop."""

    def __init__(
        self,
        limits: AdmissionLimits | None = None,
        *,
        metrics: AdmissionMetrics | None = None,
        memory: Memory | None = None,
        processors: int | None = None,
    ) -> None:
        self.limits = limits or AdmissionLimits()
        self.priority = Priority()
        metrics = metrics or AdmissionMetrics(CollectorRegistry())
        headroom = Headroom(self.limits)
        descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.gate = Gate(
            self.limits,
            headroom,
            metrics,
            processors=processors or len(os.sched_getaffinity(0)),
            places_max=max(descriptors // _DESCRIPTORS_EACH, 1),
        )
        self.guard = MemoryGuard(self.limits, memory or ContainerMemory(), self.gate, headroom, metrics)
        self._measuring: asyncio.Task[None] | None = None

    @property
    def strain(self) -> str | None:
        """What an operator should know; None when all is well."""
        if self.guard.short:
            return "too little memory for another action; new ones wait, and the greediest may be ended"
        if self.priority.refused:
            return "the node may not lower the priority of long actions: run it as another user than root, or with CAP_SYS_NICE"
        return None

    def short_of_memory(self) -> NodeError:
        """The error of an action that ended for lack of memory."""
        return short_of_memory(self.gate.retry_after_s())

    def start(self) -> None:
        """Begin to measure memory; the first measurement is made at once."""
        self.guard.look()
        self._measuring = asyncio.create_task(self.guard.run())

    async def close(self) -> None:
        """Measure no more."""
        if self._measuring is not None:
            self._measuring.cancel()
            await asyncio.gather(self._measuring, return_exceptions=True)

    @contextlib.asynccontextmanager
    async def turn(self, account: int) -> AsyncIterator["Turn"]:
        """A turn of the account, waited for. Raises NodeError `too_many_requests`."""
        place = await self.gate.enter(account)
        try:
            yield Turn(self, place)
        finally:
            self.gate.leave(place)


class Turn:
    """One action's turn: over after its first time, or as soon as it waits for the node."""

    def __init__(self, admission: Admission, place: Place) -> None:
        self._admission = admission
        self._place = place
        self._lowered = False

    def waits(self) -> None:
        """The action has asked for something, and leaves the processor to others until it has it."""
        self._admission.gate.to_background(self._place)

    @contextlib.contextmanager
    def of_process(self, process: Process, end: Callable[[NodeError], None]) -> Iterator[None]:
        """Measure the action's process while it runs, and lower its priority after its first time.

        `end` is called when it must end for lack of memory.
        """
        first_s = self._admission.limits.foreground_s
        growing_old = asyncio.get_running_loop().call_later(first_s, self._grow_old, process)
        try:
            with self._admission.guard.watching(Watched(self._place.account, process, end)):
                yield
        finally:
            growing_old.cancel()

    def ends(self, process: Process) -> None:
        """The action's process is to be killed, at once after this."""
        if self._lowered and process.alive:
            self._admission.priority.restore(process.pid)

    def _grow_old(self, process: Process) -> None:
        self._admission.gate.to_background(self._place)
        if process.alive:
            self._lowered = True
            self._admission.priority.lower(process.pid)

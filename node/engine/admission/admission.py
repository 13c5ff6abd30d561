"""Admission as the engine uses it: turns, memory and priority together."""

import asyncio
import os
import resource
import time
from collections.abc import Callable
from typing import Final

from prometheus_client import CollectorRegistry

from node.engine.admission.container_memory import ContainerMemory, Memory
from node.engine.admission.gate import Gate
from node.engine.admission.guard import MemoryGuard, short_of_memory
from node.engine.admission.headroom import Headroom
from node.engine.admission.limits import AdmissionLimits
from node.engine.admission.metrics import AdmissionMetrics
from node.engine.admission.priority import Priorities
from node.errors import NodeError

_DESCRIPTORS_EACH: Final = 6
"""Of the process's descriptors, half are for connections; an action has those of its requests, and its worker two."""
_REST: Final = 9
"""Between two looks, so many times as long as one took: looking at a thousand processes takes 20 ms of everybody's time."""


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
        self.metrics = metrics or AdmissionMetrics(CollectorRegistry())
        self.processors = processors or len(os.sched_getaffinity(0))
        self.priorities = Priorities(self.processors, self.limits.foreground_s)
        headroom = Headroom(self.limits)
        descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.gate = Gate(
            self.limits,
            headroom,
            self.metrics,
            processors=self.processors,
            places_max=max(descriptors // _DESCRIPTORS_EACH, 1),
        )
        self.guard = MemoryGuard(self.limits, memory or ContainerMemory(), self.gate, headroom, self.metrics)
        self._looking: asyncio.Task[None] | None = None

    @property
    def strain(self) -> str | None:
        """What an operator should know; None when all is well."""
        if self.guard.short:
            return "too little memory for another action; new ones wait, and the greediest may be ended"
        if self.priorities.refused:
            return "the node may not lower the priority of long actions: run it as another user than root, or with CAP_SYS_NICE"
        return None

    def short_of_memory(self) -> NodeError:
        """The error of an action that ended for lack of memory."""
        return short_of_memory(self.gate.retry_after_s())

    def start(self, look_too: Callable[[], None] = lambda: None) -> None:
        """Begin to look at memory, at the first time of actions, and at what `look_too` does; a first time at once."""
        self._look(look_too)
        self._looking = asyncio.create_task(self._look_on(look_too))

    async def close(self) -> None:
        """Look no more."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    def _look(self, look_too: Callable[[], None]) -> None:
        self.guard.look()
        self.gate.age()
        look_too()

    async def _look_on(self, look_too: Callable[[], None]) -> None:
        while True:
            began_at = time.monotonic()
            self._look(look_too)
            took_s = time.monotonic() - began_at
            await asyncio.sleep(max(self.limits.memory_interval_s, took_s * _REST))

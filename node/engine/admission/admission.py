"""Admits actions by places, memory and priority."""

import asyncio
import os
import resource
import time
from collections.abc import Callable
from typing import Final

from prometheus_client import CollectorRegistry

from node.engine.admission.gate import FOREGROUND_PER_PROCESSOR, AdmissionMetrics, Gate, Headroom
from node.engine.admission.guard import MemoryGuard
from node.engine.admission.memory import ContainerMemory, Measured
from node.engine.admission.priority import Priorities
from node.engine.errors import NodeOutOfMemoryError
from node.runtime.tasks import TaskSet
from node.settings.execution import ActionSettings

MEMORY_INTERVAL_S: Final = 0.05
"""Interval of memory measurements, in which an action can touch about 50 MiB."""
_DESCRIPTORS_EACH: Final = 6
"""Descriptors per action, for its worker and requests. Half of all are left to connections."""
_PAUSE_TIMES: Final = 9
"""Minimum pause as a multiple of a measurement, which takes 20 ms for a thousand processes."""


class Admission:
    """Combines places, memory and priority. Start it inside a running event loop."""

    def __init__(
        self,
        settings: ActionSettings | None = None,
        *,
        metrics: AdmissionMetrics | None = None,
        measure: Callable[[], Measured] | None = None,
        processors: int | None = None,
    ) -> None:
        settings = settings or ActionSettings()
        self.metrics = metrics or AdmissionMetrics(CollectorRegistry())
        self.processors = processors or len(os.sched_getaffinity(0))
        headroom = Headroom(settings)
        descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.gate = Gate(
            settings,
            headroom,
            self.metrics,
            foreground_max=FOREGROUND_PER_PROCESSOR * self.processors,
            places_max=max(descriptors // _DESCRIPTORS_EACH, 1),
        )
        self.priorities = Priorities(self.processors, self.gate.foreground_s)
        self.guard = MemoryGuard(settings, measure or ContainerMemory().look, self.gate, headroom, self.metrics)
        self._tasks = TaskSet("admission")

    @property
    def health_problem(self) -> str | None:
        """Health problem for the operator; None if there is none."""
        if self.guard.short:
            return "too little memory for another action; new ones wait, and those that hold most may be ended"
        if self.priorities.refused:
            return "the node may not lower the priority of long actions: run it as another user than root, or with CAP_SYS_NICE"
        return None

    def short_of_memory(self) -> NodeOutOfMemoryError:
        """Returns the error of an action that ended because the node lacked memory."""
        return NodeOutOfMemoryError(self.gate.retry_after_s())

    def start(self, sweep: Callable[[], None] = lambda: None) -> None:
        """Starts to measure memory, end foregrounds and call `sweep`, the first time at once."""
        self._look(sweep)
        # The first look has succeeded. Before a measurement every action fits (Headroom).
        self._tasks.keep(lambda: self._look_on(sweep))

    async def close(self) -> None:
        """Stops measuring."""
        await self._tasks.stop()

    def _look(self, sweep: Callable[[], None]) -> None:
        self.guard.look()
        self.gate.age()
        sweep()

    async def _look_on(self, sweep: Callable[[], None]) -> None:
        while True:
            began_at = time.monotonic()
            self._look(sweep)
            took_s = time.monotonic() - began_at
            await asyncio.sleep(max(MEMORY_INTERVAL_S, took_s * _PAUSE_TIMES))

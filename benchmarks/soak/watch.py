"""Looks at a running node from outside, every few seconds."""

import asyncio
import statistics
import time
from collections.abc import Callable, Sequence

from benchmarks.nodes import family
from benchmarks.processes import Process, descriptors, memory, process
from benchmarks.soak.judge import Sample

QUIET_WITHIN_S = 90.0
"""Limit of the wait for quiet. A worker without actions ends a minute after its last one."""
_LOOK_S = 0.2


class Watch:
    """Takes samples of one node; `answers` returns the number of responses so far."""

    def __init__(self, node: int, answers: Callable[[], int]) -> None:
        self._node = node
        self._answers = answers
        self._begun = time.monotonic()
        self.samples: list[Sample] = []
        self.seen: dict[int, int] = {node: _started(node)}
        """Start of each process seen in the tree, since process ids are reused."""

    async def every(self, interval_s: float) -> None:
        """Samples until cancelled. The time of the samples begins now."""
        self._begun = time.monotonic()
        while True:
            self.look()
            await asyncio.sleep(interval_s)

    def look(self) -> None:
        """Takes one sample; none if no zygote or no worker is in service."""
        found = family(self._node)
        self.seen |= {
            each.pid: each.started_ticks for each in (*found.zygotes, *found.workers, *found.chains, *found.zombies)
        }
        node, own = memory(self._node), process(self._node)
        assert node is not None, "the node has ended"
        assert own is not None, "the node has ended"
        # Between two zygotes there is nothing to measure, and zeros would bend the line.
        if not found.zygotes:
            return
        zygote = found.zygotes[-1].pid
        shared, held = memory(zygote), descriptors(zygote)
        workers = [each.rss for each in (memory(worker.pid) for worker in found.workers) if each is not None]
        if shared is None or held is None or not workers:
            return
        self.samples.append(
            Sample(
                at_s=time.monotonic() - self._begun,
                node_rss=node.rss,
                node_pss=node.pss,
                zygote_pid=zygote,
                zygote_rss=shared.rss,
                zygote_pss=shared.pss,
                worker_rss=int(statistics.median(workers)),
                node_descriptors=descriptors(self._node) or 0,
                zygote_descriptors=held,
                node_threads=own.threads,
                processes=1 + len(found.zygotes) + len(found.workers),
                zombies=_pids(found.zombies),
                answers=self._answers(),
            )
        )

    async def quiet(self, spares: int) -> int:
        """Returns the node's descriptors when only spare workers remain, or at QUIET_WITHIN_S."""
        end = time.monotonic() + QUIET_WITHIN_S
        while time.monotonic() < end:
            found = family(self._node)
            if len(found.workers) <= spares and len(found.zygotes) == 1 and not found.zombies:
                break
            await asyncio.sleep(_LOOK_S)
        return descriptors(self._node) or 0

    def left(self) -> int:
        """Returns how many of all processes ever seen still exist."""
        return sum(1 for pid, started in self.seen.items() if _started(pid) == started)


def _started(pid: int) -> int:
    """Returns the start in ticks since boot; -1 for no process."""
    found = process(pid)
    return -1 if found is None else found.started_ticks


def _pids(zombies: Sequence[Process]) -> frozenset[int]:
    return frozenset(each.pid for each in zombies)

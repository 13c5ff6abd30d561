"""Load generator, a closed loop: each worker sends a request after the response to its last one."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figures:
    """Measurements of a loop; times in milliseconds."""

    per_second: float
    p50_ms: float
    p99_ms: float


def percentile(ordered: list[float], share: float) -> float:
    """Returns the percentile `share` of ordered seconds, in milliseconds."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000


async def closed_loop(
    once: Callable[[int], Awaitable[None]], concurrency: int, more: Callable[[], bool], pause_s: float = 0.0
) -> Figures:
    """Calls `once` with each worker's number while there are `more`, with a pause after each."""
    took: list[float] = []

    # Closed: a slower server gets fewer requests. So the rate is its capacity, and delays
    # include no queue of the generator.
    async def worker(index: int) -> None:
        while more():
            started = time.perf_counter()
            await once(index)
            took.append(time.perf_counter() - started)
            if pause_s:
                await asyncio.sleep(pause_s)

    started = time.perf_counter()
    await asyncio.gather(*map(worker, range(concurrency)))
    # Use one clock around all workers: their summed times would count waits several times.
    elapsed = time.perf_counter() - started
    ordered = sorted(took)
    return Figures(len(ordered) / elapsed, percentile(ordered, 0.5), percentile(ordered, 0.99))


async def measure(once: Callable[[], Awaitable[None]], *, concurrency: int, requests: int, warm_up: int) -> Figures:
    """Makes `requests` calls from `concurrency` workers, after `warm_up` unmeasured calls."""
    for _ in range(warm_up):
        await once()
    left = iter(range(requests))
    return await closed_loop(lambda _: once(), concurrency, lambda: next(left, None) is not None)

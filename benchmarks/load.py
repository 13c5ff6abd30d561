"""The load generator: a closed loop, so many workers that each send the next request when the last one is answered."""

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
    """The value below which this share of the ordered seconds lies, in milliseconds."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000


async def closed_loop(
    once: Callable[[int], Awaitable[None]], concurrency: int, more: Callable[[], bool], pause_s: float = 0.0
) -> Figures:
    """Call `once` with the number of each worker, again and again while there are `more`, with a pause after each."""
    took: list[float] = []

    # Closed: a server that slows down gets fewer requests. So the rate is what it can do, and delays hold no queue that
    # the generator made.
    async def worker(index: int) -> None:
        while more():
            started = time.perf_counter()
            await once(index)
            took.append(time.perf_counter() - started)
            if pause_s:
                await asyncio.sleep(pause_s)

    started = time.perf_counter()
    await asyncio.gather(*map(worker, range(concurrency)))
    # By the clock around all workers: the sum of their times would count each wait for another one.
    elapsed = time.perf_counter() - started
    ordered = sorted(took)
    return Figures(len(ordered) / elapsed, percentile(ordered, 0.5), percentile(ordered, 0.99))


async def measure(once: Callable[[], Awaitable[None]], *, concurrency: int, requests: int, warm_up: int) -> Figures:
    """Call `once` `requests` times from `concurrency` workers, after `warm_up` calls that do not count."""
    for _ in range(warm_up):
        await once()
    left = iter(range(requests))
    return await closed_loop(lambda _: once(), concurrency, lambda: next(left, None) is not None)

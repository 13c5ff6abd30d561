"""A closed loop: so many workers, each sending the next request when the last one is answered."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figures:
    """What a loop measured; times in milliseconds."""

    per_second: float
    p50_ms: float
    p99_ms: float


def percentile(ordered: list[float], share: float) -> float:
    """The value below which this share of the ordered seconds lies, in milliseconds."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000


async def measure(once: Callable[[], Awaitable[None]], *, concurrency: int, requests: int, warm_up: int) -> Figures:
    """Call `once` `requests` times from `concurrency` workers, after `warm_up` calls that do not count."""
    for _ in range(warm_up):
        await once()
    remaining = requests
    took: list[float] = []

    async def worker() -> None:
        nonlocal remaining
        while remaining > 0:
            remaining -= 1
            started = time.perf_counter()
            await once()
            took.append(time.perf_counter() - started)

    started = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(concurrency)))
    elapsed = time.perf_counter() - started
    ordered = sorted(took)
    return Figures(len(ordered) / elapsed, percentile(ordered, 0.5), percentile(ordered, 0.99))

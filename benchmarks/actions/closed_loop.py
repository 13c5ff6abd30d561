"""The load generator: so many connections, each sending its next request when the last one is answered."""

import asyncio
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

from benchmarks.load import percentile
from benchmarks.wire import Answer, Connection

ANSWER_WITHIN_S = 30.0
"""After the end of a round: an answer that is not there by then never comes."""
WARM_UP_REQUESTS = 1
"""Of each connection, before the time counts."""


@dataclass(frozen=True, slots=True)
class Round:
    """What one round measured. `cpu_ms` is the processor time of the target's whole tree, per request."""

    per_second: float
    p50_ms: float
    p99_ms: float
    cpu_ms: float
    generator_cpu_ms: float


@dataclass(frozen=True, slots=True)
class Target:
    """A server to measure: where it is, what is sent (the connections in turn) and what its tree has used, in s."""

    name: str
    url: str
    requests: Sequence[bytes]
    cpu_s: Callable[[], float]


async def one_round(target: Target, right: Callable[[Answer], bool], *, concurrency: int, seconds: float) -> Round:
    """Load the target. Raises AssertionError at the first answer that is not the right one, and when one is missing."""
    try:
        async with asyncio.timeout(seconds + ANSWER_WITHIN_S):
            return await _loaded(target, right, concurrency, seconds)
    except TimeoutError:
        raise AssertionError(f"{target.name}: an answer is missing") from None


async def _loaded(target: Target, right: Callable[[Answer], bool], concurrency: int, seconds: float) -> Round:
    connections = [await Connection.open(target.url) for _ in range(concurrency)]
    took: list[float] = []

    async def ask(index: int) -> None:
        answer = await connections[index].ask(target.requests[index % len(target.requests)])
        assert right(answer), f"{target.name}: {answer.status} {answer.body[:500]!r}"

    async def work(index: int, end: float) -> None:
        while (started := time.perf_counter()) < end:
            await ask(index)
            took.append(time.perf_counter() - started)

    async def warm_up(index: int) -> None:
        for _ in range(WARM_UP_REQUESTS):
            await ask(index)

    try:
        await asyncio.gather(*map(warm_up, range(concurrency)))
        used, own, begun = target.cpu_s(), time.process_time(), time.perf_counter()
        await asyncio.gather(*(work(index, begun + seconds) for index in range(concurrency)))
        elapsed, own, used = time.perf_counter() - begun, time.process_time() - own, target.cpu_s() - used
    finally:
        for connection in connections:
            connection.close()
    ordered, count = sorted(took), len(took)
    p50, p99 = percentile(ordered, 0.5), percentile(ordered, 0.99)
    return Round(count / elapsed, p50, p99, used / count * 1000, own / count * 1000)


def median_of(rounds: Sequence[Round]) -> Round:
    """The median of every figure by itself."""
    return Round(*(statistics.median(getattr(each, field.name) for each in rounds) for field in fields(Round)))

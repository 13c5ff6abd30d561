"""Rounds of load against a server or an engine, and rounds of several in turn."""

import asyncio
import contextlib
import statistics
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, fields

from benchmarks.load import closed_loop
from benchmarks.wire import Answer, Connection

ANSWER_WITHIN_S = 30.0
"""After the end of a round: an answer that is not there by then never comes."""
WARM_UP_REQUESTS = 1
"""Of each connection, before the time counts."""
SETTLING_S = 0.5
"""From the start of a load to the first round beside it."""


@dataclass(frozen=True, slots=True)
class Round:
    """Measurements of one round. `cpu_ms` is the processor time of the target's whole tree, per request."""

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


Ask = Callable[[int], Awaitable[None]]
Right = Callable[[Answer], bool]


async def timed_round(ask: Ask, cpu_s: Callable[[], float], *, concurrency: int, seconds: float) -> Round:
    """Warm up, then call `ask` with the number of each worker for so long. Raises what it raises."""
    # On each connection: the first request of one pays for the connection, and perhaps for the worker of its account.
    for _ in range(WARM_UP_REQUESTS):
        await asyncio.gather(*map(ask, range(concurrency)))
    end = time.perf_counter() + seconds
    return await _round(ask, cpu_s, concurrency, lambda: time.perf_counter() < end)


async def one_round(target: Target, right: Right, *, concurrency: int, seconds: float) -> Round:
    """Load the target. Raises AssertionError at the first answer that is not the right one, and when one is missing."""
    requests = target.requests
    async with _asking(target, right, concurrency, seconds, lambda index: requests[index % len(requests)]) as ask:
        return await timed_round(ask, target.cpu_s, concurrency=concurrency, seconds=seconds)


async def each_once(target: Target, right: Right, *, pause_s: float) -> Round:
    """Send every request of the target once, one at a time with a pause after each. Raises as `one_round`."""
    left = deque(target.requests)
    async with _asking(target, right, 1, pause_s * len(left), lambda _: left.popleft()) as ask:
        return await _round(ask, target.cpu_s, 1, lambda: bool(left), pause_s)


async def in_turn(measures: Mapping[str, Callable[[], Awaitable[Round]]], rounds: int) -> dict[str, Round]:
    """Take so many rounds of each, in turn, and return the medians."""
    measured: dict[str, list[Round]] = {name: [] for name in measures}
    for _ in range(rounds):
        # In turn: what else the machine does for a minute then slows all of them, and not one alone.
        for name, measure in measures.items():
            measured[name].append(await measure())
    return {name: median_of(each) for name, each in measured.items()}


def median_of(rounds: Sequence[Round]) -> Round:
    """The median of every figure by itself."""
    # A median and not a mean: one round beside somebody else's work must not move the figure.
    return Round(*(statistics.median(getattr(each, field.name) for each in rounds) for field in fields(Round)))


@contextlib.asynccontextmanager
async def repeated(url: str, request: Callable[[], bytes], clients: int, statuses: Counter[int]) -> AsyncIterator[None]:
    """Run a load of so many clients that send without pause until the context ends; `statuses` counts answers."""

    async def send() -> None:
        connection = await Connection.open(url)
        try:
            while True:
                statuses[(await connection.ask(request())).status] += 1
        finally:
            connection.close()

    senders = [asyncio.create_task(send()) for _ in range(clients)]
    await asyncio.sleep(SETTLING_S)
    try:
        yield
    finally:
        for sender in senders:
            sender.cancel()
        await asyncio.gather(*senders, return_exceptions=True)


async def _round(
    ask: Ask, cpu_s: Callable[[], float], concurrency: int, more: Callable[[], bool], pause_s: float = 0.0
) -> Round:
    count = 0

    async def counted(index: int) -> None:
        nonlocal count
        await ask(index)
        count += 1

    # The generator's own clock starts last and stops first: reading /proc is no cost of sending requests.
    used, own = cpu_s(), time.process_time()
    figures = await closed_loop(counted, concurrency, more, pause_s)
    own, used = time.process_time() - own, cpu_s() - used
    return Round(figures.per_second, figures.p50_ms, figures.p99_ms, used / count * 1000, own / count * 1000)


@contextlib.asynccontextmanager
async def _asking(
    target: Target, right: Right, concurrency: int, seconds: float, request: Callable[[int], bytes]
) -> AsyncIterator[Ask]:
    """Connections to the target for a round of so long; `request` is what the connection of this number sends next."""
    connections = [await Connection.open(target.url) for _ in range(concurrency)]

    async def ask(index: int) -> None:
        answer = await connections[index].ask(request(index))
        # A wrong answer ends the benchmark: refusals come fast, and would look like speed.
        assert right(answer), f"{target.name}: {answer.status} {answer.body[:500]!r}"

    try:
        async with asyncio.timeout(seconds + ANSWER_WITHIN_S):
            yield ask
    except TimeoutError:
        raise AssertionError(f"{target.name}: an answer is missing") from None
    finally:
        for connection in connections:
            connection.close()

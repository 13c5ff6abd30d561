"""Rounds of load against a server or engine, and alternating rounds of several."""

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
"""Wait for responses after a round; a later one counts as missing."""
WARM_UP_REQUESTS = 1
"""Requests of each connection that are not measured."""
SETTLING_S = 0.5
"""Time from the start of a background load to the first round beside it."""


@dataclass(frozen=True, slots=True)
class Round:
    """Measurements of a round. `cpu_ms` is CPU time of the target's process tree per request."""

    per_second: float
    p50_ms: float
    p99_ms: float
    cpu_ms: float
    generator_cpu_ms: float


@dataclass(frozen=True, slots=True)
class Target:
    """A server to measure, its requests (the connections in turn), and its CPU seconds so far."""

    name: str
    url: str
    requests: Sequence[bytes]
    cpu_s: Callable[[], float]


Ask = Callable[[int], Awaitable[None]]
Right = Callable[[Answer], bool]


async def timed_round(ask: Ask, cpu_s: Callable[[], float], *, concurrency: int, seconds: float) -> Round:
    """Warms up, then calls `ask` with each worker's number for `seconds`. Raises its errors."""
    # The first request of a connection pays for it, and perhaps for its account's worker.
    for _ in range(WARM_UP_REQUESTS):
        await asyncio.gather(*map(ask, range(concurrency)))
    end = time.perf_counter() + seconds
    return await _round(ask, cpu_s, concurrency, lambda: time.perf_counter() < end)


async def one_round(target: Target, right: Right, *, concurrency: int, seconds: float) -> Round:
    """Loads the target. Raises AssertionError if a response is wrong or missing."""
    requests = target.requests
    async with _asking(target, right, concurrency, seconds, lambda index: requests[index % len(requests)]) as ask:
        return await timed_round(ask, target.cpu_s, concurrency=concurrency, seconds=seconds)


async def each_once(target: Target, right: Right, *, pause_s: float) -> Round:
    """Sends each request once, one at a time with a pause after each. Raises as `one_round`."""
    left = deque(target.requests)
    async with _asking(target, right, 1, pause_s * len(left), lambda _: left.popleft()) as ask:
        return await _round(ask, target.cpu_s, 1, lambda: bool(left), pause_s)


async def in_turn(measures: Mapping[str, Callable[[], Awaitable[Round]]], rounds: int) -> dict[str, Round]:
    """Runs `rounds` rounds of each, alternating, and returns the medians."""
    measured: dict[str, list[Round]] = {name: [] for name in measures}
    for _ in range(rounds):
        # Alternate, so that other load for a minute slows all of them, and not one alone.
        for name, measure in measures.items():
            measured[name].append(await measure())
    return {name: median_of(each) for name, each in measured.items()}


def median_of(rounds: Sequence[Round]) -> Round:
    """Returns the median of every figure, each by itself."""
    # Median, not mean: other load during one round must not move the figure.
    return Round(*(statistics.median(getattr(each, field.name) for each in rounds) for field in fields(Round)))


@contextlib.asynccontextmanager
async def repeated(url: str, request: Callable[[], bytes], clients: int, statuses: Counter[int]) -> AsyncIterator[None]:
    """Keeps `clients` clients sending until the context ends; `statuses` counts responses."""

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

    # The generator's own clock starts last and stops first, to leave out reading /proc.
    used, own = cpu_s(), time.process_time()
    figures = await closed_loop(counted, concurrency, more, pause_s)
    own, used = time.process_time() - own, cpu_s() - used
    return Round(figures.per_second, figures.p50_ms, figures.p99_ms, used / count * 1000, own / count * 1000)


@contextlib.asynccontextmanager
async def _asking(
    target: Target, right: Right, concurrency: int, seconds: float, request: Callable[[int], bytes]
) -> AsyncIterator[Ask]:
    """Yields a call that sends `request(index)` on connection `index`, for about `seconds`."""
    connections = [await Connection.open(target.url) for _ in range(concurrency)]

    async def ask(index: int) -> None:
        answer = await connections[index].ask(request(index))
        # A wrong response ends the benchmark: refusals are fast, and would look like speed.
        assert right(answer), f"{target.name}: {answer.status} {answer.body[:500]!r}"

    try:
        async with asyncio.timeout(seconds + ANSWER_WITHIN_S):
            yield ask
    except TimeoutError:
        raise AssertionError(f"{target.name}: an answer is missing") from None
    finally:
        for connection in connections:
            connection.close()

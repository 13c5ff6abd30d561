"""A cached value and a cached error: how long each is reused, and what a fetch under way costs."""

import asyncio

import pytest

from node.runtime.single_flight import TtlCache
from tests.support.clock import FakeClock

MAX_AGE_S = 60.0
ERROR_MAX_AGE_S = 2.0


class Source:
    """Counts its fetches, which wait for `gate` and fail while `failure` is set."""

    def __init__(self) -> None:
        self.fetches = 0
        self.failure: Exception | None = None
        self.gate = asyncio.Event()
        self.gate.set()

    async def fetch(self) -> int:
        self.fetches += 1
        fetched = self.fetches
        await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        return fetched


def cached(source: Source, clock: FakeClock) -> TtlCache[int]:
    return TtlCache(source.fetch, MAX_AGE_S, clock, errors=OSError, error_max_age_s=ERROR_MAX_AGE_S)


async def test_the_age_of_a_value_counts_from_before_its_fetch() -> None:
    source, clock = Source(), FakeClock()
    cache = cached(source, clock)
    assert cache.age_s() is None
    source.gate.clear()
    getting = asyncio.create_task(cache.get())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    clock.advance(MAX_AGE_S / 2)
    source.gate.set()
    assert await getting == 1
    assert cache.age_s() == MAX_AGE_S / 2
    clock.advance(MAX_AGE_S / 2)
    assert await cache.get() == 2


async def test_a_cached_error_is_raised_again_without_a_fetch_and_its_traceback_does_not_grow() -> None:
    source, clock = Source(), FakeClock()
    cache = cached(source, clock)
    source.failure = OSError("out")
    depths = []
    for _ in range(20):
        with pytest.raises(OSError, match="out") as raised:
            await cache.get()
        depths.append(len(raised.traceback))
    assert source.fetches == 1
    assert len(set(depths[1:])) == 1
    clock.advance(ERROR_MAX_AGE_S)
    source.failure = None
    assert await cache.get() == 2


async def test_an_error_of_another_kind_is_not_cached() -> None:
    source = Source()
    cache = cached(source, FakeClock())
    source.failure = ValueError("a fault")
    for fetches in (1, 2):
        with pytest.raises(ValueError, match="a fault"):
            await cache.get()
        assert source.fetches == fetches


async def test_an_error_leaves_the_latest_value_but_does_not_serve_it() -> None:
    source, clock = Source(), FakeClock()
    cache = cached(source, clock)
    assert await cache.get() == 1
    clock.advance(MAX_AGE_S)
    source.failure = OSError("out")
    with pytest.raises(OSError, match="out"):
        await cache.get()
    assert cache.latest == 1


async def test_closing_cancels_the_fetch_under_way() -> None:
    source = Source()
    cache = cached(source, FakeClock())
    source.gate.clear()
    getting = asyncio.create_task(cache.get())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert source.fetches == 1
    await cache.close()
    with pytest.raises(asyncio.CancelledError):
        await getting

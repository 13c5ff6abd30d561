"""A single call of the platform for all callers, cached for a while; refusals too, for a shorter one."""

import asyncio

import pytest

from attest.errors import AttestError, AttestErrorCode
from node.attestation.service import PlatformCache
from tests.support.clock import FakeClock

MAX_AGE_S = 60.0


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.attestation.service.REFUSAL_MAX_AGE_S", 2.0)
    monkeypatch.setattr("node.attestation.service.WAITING_MAX", 10)


class Source:
    """Answers with how often it was asked, when the test lets it."""

    def __init__(self) -> None:
        self.asked = 0
        self.failure: AttestError | None = None
        self.gate = asyncio.Event()
        self.gate.set()

    async def ask(self) -> int:
        self.asked += 1
        asked = self.asked
        await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        return asked


async def test_a_response_is_reused_exactly_as_long_as_it_may_be() -> None:
    source, clock = Source(), FakeClock()
    cache = PlatformCache(source.ask, MAX_AGE_S, clock)
    assert cache.age_s() is None
    assert await cache.get() == 1
    clock.advance(59.9)
    assert await cache.get() == 1
    assert cache.age_s() == pytest.approx(59.9)
    clock.advance(0.1)
    assert await cache.get() == 2
    assert cache.age_s() == 0


async def test_many_at_once_ask_once_and_more_than_may_wait_are_sent_away() -> None:
    source = Source()
    cache = PlatformCache(source.ask, MAX_AGE_S, FakeClock())
    source.gate.clear()
    asking = [asyncio.create_task(cache.get()) for _ in range(200)]
    await asyncio.sleep(0)
    source.gate.set()
    ended = await asyncio.gather(*asking, return_exceptions=True)
    assert source.asked == 1
    assert ended.count(1) == 10
    assert {each.code for each in ended if isinstance(each, AttestError)} == {AttestErrorCode.BUSY}


async def test_a_caller_that_leaves_takes_nobody_with_it() -> None:
    source = Source()
    cache = PlatformCache(source.ask, MAX_AGE_S, FakeClock())
    source.gate.clear()
    first, second = asyncio.create_task(cache.get()), asyncio.create_task(cache.get())
    await asyncio.sleep(0)
    first.cancel()
    source.gate.set()
    assert await second == 1


async def test_a_refusal_is_repeated_for_a_while_without_asking() -> None:
    source, clock = Source(), FakeClock()
    cache = PlatformCache(source.ask, MAX_AGE_S, clock)
    source.failure = AttestError(AttestErrorCode.UNREACHABLE, "GetQuote: gone.")
    for _ in range(50):
        with pytest.raises(AttestError) as refused:
            await cache.get()
        assert refused.value.code is AttestErrorCode.UNREACHABLE
    assert source.asked == 1
    clock.advance(2.0)
    source.failure = None
    assert await cache.get() == 2


async def test_what_is_too_old_is_not_told_when_there_is_nothing_newer() -> None:
    source, clock = Source(), FakeClock()
    cache = PlatformCache(source.ask, MAX_AGE_S, clock)
    await cache.get()
    clock.advance(60.0)
    source.failure = AttestError(AttestErrorCode.TIMEOUT, "GetQuote: slow.")
    with pytest.raises(AttestError):
        await cache.get()


async def test_closing_ends_the_call_under_way() -> None:
    source = Source()
    cache = PlatformCache(source.ask, MAX_AGE_S, FakeClock())
    source.gate.clear()
    waiting = asyncio.create_task(cache.get())
    await asyncio.sleep(0)
    await cache.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting

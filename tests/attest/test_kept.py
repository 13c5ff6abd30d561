"""One question for all who ask, told again for a while; refusals too, for a shorter one."""

import asyncio

import pytest

from attest.errors import AttestError, AttestErrorCode
from attest.kept import Kept, KeptLimits
from tests.support.clock import FakeClock

LIMITS = KeptLimits(max_age_s=60.0, rest_s=2.0, waiting=10)


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


async def test_it_is_kept_exactly_as_long_as_it_may_be() -> None:
    source, clock = Source(), FakeClock()
    kept = Kept(source.ask, LIMITS, clock)
    assert kept.age_s() is None
    assert await kept.get() == 1
    clock.advance(59.9)
    assert await kept.get() == 1
    assert kept.age_s() == pytest.approx(59.9)
    clock.advance(0.1)
    assert await kept.get() == 2
    assert kept.age_s() == 0


async def test_many_at_once_ask_once_and_more_than_may_wait_are_sent_away() -> None:
    source = Source()
    kept = Kept(source.ask, LIMITS, FakeClock())
    source.gate.clear()
    asking = [asyncio.create_task(kept.get()) for _ in range(200)]
    await asyncio.sleep(0)
    source.gate.set()
    ended = await asyncio.gather(*asking, return_exceptions=True)
    assert source.asked == 1
    assert ended.count(1) == 10
    assert {each.code for each in ended if isinstance(each, AttestError)} == {AttestErrorCode.BUSY}


async def test_a_caller_that_leaves_takes_nobody_with_it() -> None:
    source = Source()
    kept = Kept(source.ask, LIMITS, FakeClock())
    source.gate.clear()
    first, second = asyncio.create_task(kept.get()), asyncio.create_task(kept.get())
    await asyncio.sleep(0)
    first.cancel()
    source.gate.set()
    assert await second == 1


async def test_a_refusal_is_repeated_for_a_while_without_asking() -> None:
    source, clock = Source(), FakeClock()
    kept = Kept(source.ask, LIMITS, clock)
    source.failure = AttestError(AttestErrorCode.UNREACHABLE, "GetQuote: gone.")
    for _ in range(50):
        with pytest.raises(AttestError) as refused:
            await kept.get()
        assert refused.value.code is AttestErrorCode.UNREACHABLE
    assert source.asked == 1
    assert refused.value.retry_after_s == 2
    clock.advance(2.0)
    source.failure = None
    assert await kept.get() == 2


async def test_what_is_too_old_is_not_told_when_there_is_nothing_newer() -> None:
    source, clock = Source(), FakeClock()
    kept = Kept(source.ask, LIMITS, clock)
    await kept.get()
    clock.advance(60.0)
    source.failure = AttestError(AttestErrorCode.TIMEOUT, "GetQuote: slow.")
    with pytest.raises(AttestError):
        await kept.get()

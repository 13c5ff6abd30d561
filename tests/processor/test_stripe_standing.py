"""When the processor is left alone, what health says of it, and how fast it is asked."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devkit.processor.faults import Fault as Injected
from devkit.processor.server import LocalProcessor
from node.processor.exchange import CircuitBreaker
from node.processor.port import Fault, ProcessorError
from node.processor.transport import RateLimit
from node.runtime.clock import Clock
from tests.processor.stripe_parts import FAST, stripe_at
from tests.support.clock import FakeClock, SkippingClock
from tests.support.processor_constants import change

SILENT = ProcessorError(Fault.UNAVAILABLE, "did not answer in time")
DENIED = ProcessorError(Fault.UNAUTHORIZED, "it does not know the secret key")
NO = ProcessorError(Fault.REFUSED, "it refused")


def standing(*met: ProcessorError | None, clock: FakeClock | None = None) -> CircuitBreaker:
    made = CircuitBreaker(clock or FakeClock())
    for outcome in met:
        made.met(outcome)
    return made


def test_not_asked_yet_is_no_problem() -> None:
    assert standing().problem is None


def test_what_never_answered_is_a_problem_at_once() -> None:
    assert standing(SILENT).problem == "card processor: did not answer in time"


def test_what_has_been_well_may_miss_two_answers() -> None:
    assert standing(None, SILENT, SILENT).problem is None
    assert standing(None, SILENT, SILENT, NO, SILENT, SILENT).problem is None
    assert standing(None, SILENT, SILENT, SILENT).problem is not None


def test_one_answer_among_failures_is_no_recovery() -> None:
    assert standing(SILENT, None).problem is not None
    assert standing(SILENT, None, SILENT, None).problem is not None
    assert standing(SILENT, None, NO).problem is None


def test_a_key_that_is_revoked_is_a_problem_at_once_and_what_is_told() -> None:
    assert standing(None, DENIED).problem == "card processor: it does not know the secret key"
    assert standing(SILENT, DENIED).problem == "card processor: it does not know the secret key"


def test_it_is_left_alone_after_five_and_then_one_call_decides() -> None:
    clock = FakeClock()
    made = standing(None, *[SILENT] * 4, clock=clock)
    made.admit()
    made.met(SILENT)
    for _ in range(3):
        with pytest.raises(ProcessorError) as refused:
            made.admit()
        assert refused.value.fault is Fault.UNAVAILABLE
    clock.advance(10)
    made.admit()
    with pytest.raises(ProcessorError):
        made.admit()
    made.met(SILENT)
    clock.advance(9)
    with pytest.raises(ProcessorError):
        made.admit()
    clock.advance(1)
    made.admit()
    made.met(None)
    made.admit()
    made.admit()


def test_the_call_that_was_let_through_may_vanish() -> None:
    clock = FakeClock()
    made = standing(*[SILENT] * 5, clock=clock)
    clock.advance(10)
    made.admit()
    clock.advance(10)
    made.admit()


@given(st.lists(st.sampled_from([None, SILENT, DENIED, NO]), max_size=30))
def test_two_answers_end_every_problem(met: list[ProcessorError | None]) -> None:
    made = standing(*met, None, NO)
    assert made.problem is None
    made.admit()


@pytest.mark.exhaustive
async def test_a_hanging_processor_is_not_waited_for_by_everybody(local: LocalProcessor) -> None:
    local.control.faults.add(Injected(kind="hang", times=None))
    limits = {**FAST, "repetitions": 0, "attempt_timeout_s": 1.5, "failures_to_open": 3, "open_s": 60.0}
    clock = SkippingClock(0.0)
    async with stripe_at(local.url, limits, clock=clock) as processor:
        for _ in range(20):
            with pytest.raises(ProcessorError) as refused:
                await processor.intent("pi_1")
            assert refused.value.fault is Fault.UNAVAILABLE
        assert "left alone" in refused.value.reason
        assert local.control.faults.hanging <= 3
        assert processor.problem is not None
        local.control.faults.clear()
        clock.skip(60)
        for _ in range(2):
            await processor.check()
        assert processor.problem is None


class Turns:
    """A rate limit whose waits move its clock."""

    def __init__(self) -> None:
        self.clock = FakeClock(0.0)
        self.rate_limit = RateLimit(Clock(monotonic=self.clock, sleep=self._sleep))
        self.began: list[float] = []
        self.now = self.most = 0

    async def _sleep(self, seconds: float) -> None:
        self.clock.advance(seconds)
        await asyncio.sleep(0)

    async def take(self) -> None:
        async with self.rate_limit.slot():
            self.began.append(self.clock.now)
            self.now += 1
            self.most = max(self.most, self.now)
            for _ in range(3):
                await asyncio.sleep(0)
            self.now -= 1


async def test_turns_are_evenly_apart_and_few_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, {"requests_per_second": 20.0, "concurrent_max": 3})
    turns = Turns()
    await asyncio.gather(*(turns.take() for _ in range(50)))
    assert turns.began[-1] >= 49 / 20 - 1e-6
    assert turns.most <= 3
    assert len(turns.began) == 50


@pytest.mark.parametrize(
    ("asked", "rest"),
    [("7", 7.0), (None, 1.0), ("", 1.0), ("soon", 1.0), ("99999", 30.0), ("9" * 5000, 1.0), ("-3", 1.0)],
)
async def test_after_too_many_there_is_a_rest_as_long_as_it_says_within_reason(asked: str | None, rest: float) -> None:
    turns = Turns()
    turns.rate_limit.rest(asked)
    await turns.take()
    assert turns.began == [pytest.approx(rest)]

"""Places given in turn: who waits behind whom, who is refused with what, and what a waiter leaves behind."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry

from node.api.errors import ErrorCode, as_node_error
from node.engine.admission.gate import AdmissionMetrics, Gate, Headroom, Place
from node.engine.admission.memory import Measured
from node.errors import DomainError
from node.settings.execution import ActionSettings
from tests.support.clock import FakeClock

GREEDY, MODEST = 1, 2


class Bench:
    """A gate with four places for those that begin, on one processor; no time passes but the clock's."""

    def __init__(self, settings: ActionSettings | None = None, foreground_max: int = 4) -> None:
        self.clock = FakeClock()
        self.registry = CollectorRegistry()
        settings = settings or ActionSettings()
        self.headroom = Headroom(settings)
        metrics = AdmissionMetrics(self.registry)
        self.gate = Gate(
            settings, self.headroom, metrics, foreground_max=foreground_max, places_max=1000, clock=self.clock
        )
        self.order: list[int] = []

    async def enter(self, account: int) -> Place:
        place = await self.gate.enter(account)
        self.order.append(account)
        return place

    def begin(self, account: int) -> "asyncio.Task[Place]":
        return asyncio.create_task(self.enter(account))

    def value(self, name: str, **labels: str) -> float | None:
        return self.registry.get_sample_value(name, labels)


async def rest() -> None:
    """Let every task that can go on do so."""
    for _ in range(20):
        await asyncio.sleep(0)


async def ended(tasks: "list[asyncio.Task[Place]]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_a_burst_waits_behind_its_own_work_and_nobody_else_does() -> None:
    bench = Bench()
    burst = [bench.begin(GREEDY) for _ in range(20)]
    await rest()
    assert bench.order == [GREEDY, GREEDY]
    modest = await asyncio.wait_for(bench.begin(MODEST), 30)
    assert bench.order == [GREEDY, GREEDY, MODEST]
    assert bench.gate.waiting == 18
    assert bench.value("svc_action_queue_length") == 18
    bench.gate.leave(modest)
    await ended(burst)


async def test_with_every_place_taken_accounts_have_one_turn_each() -> None:
    bench = Bench()
    holders = [await bench.enter(account) for account in (GREEDY, GREEDY, 3, 3)]
    waiting = [bench.begin(GREEDY) for _ in range(5)]
    await rest()
    waiting += [bench.begin(account) for account in (MODEST, 4, MODEST)]
    await rest()
    bench.order.clear()
    for place in holders:
        bench.gate.leave(place)
        await rest()
    assert bench.order == [GREEDY, MODEST, 4, GREEDY]
    await ended(waiting)


async def test_who_is_past_its_first_time_makes_room_and_still_runs() -> None:
    bench = Bench()
    first, second = [await bench.enter(GREEDY) for _ in range(2)]
    third = bench.begin(GREEDY)
    await rest()
    assert not third.done()
    bench.gate.to_background(first)
    bench.gate.to_background(first)
    await rest()
    assert third.done()
    assert bench.gate.running == 3
    fourth = bench.begin(GREEDY)
    await rest()
    assert not fourth.done()
    bench.gate.leave(first)
    await rest()
    assert not fourth.done()
    bench.gate.leave(second)
    await rest()
    assert fourth.done()


async def test_a_full_queue_refuses_at_once_and_says_when_to_come_back() -> None:
    bench = Bench(ActionSettings(action_queue_max=30), foreground_max=2)
    for _ in range(20):
        bench.clock.advance(0.5)
        bench.gate.leave(await bench.enter(GREEDY))
    holders = [await bench.enter(GREEDY)]
    waiting = [bench.begin(GREEDY) for _ in range(30)]
    await rest()
    # All of them are beyond their account's share: another's, which need not wait, is not refused for their number.
    holders.append(await bench.enter(MODEST))
    with pytest.raises(DomainError) as refused:
        await bench.enter(MODEST)
    assert as_node_error(refused.value).code is ErrorCode.TOO_MANY_REQUESTS
    assert refused.value.retry_after_s == 14  # thirty before it, about one each half second
    assert bench.value("svc_action_queue_refusals_total", reason="full") == 1
    await ended(waiting)
    for holder in holders:
        bench.gate.leave(holder)
    assert (bench.gate.running, bench.gate.waiting) == (0, 0)


async def test_who_waits_too_long_is_refused_and_leaves_its_place_to_the_next() -> None:
    bench = Bench(ActionSettings(action_queue_wait_max_s=0.05), foreground_max=2)
    holder = await bench.enter(GREEDY)
    bench.clock.advance(7)
    with pytest.raises(DomainError) as refused:
        await bench.enter(GREEDY)
    assert as_node_error(refused.value).code is ErrorCode.TOO_MANY_REQUESTS
    assert refused.value.retry_after_s is not None
    assert 1 < refused.value.retry_after_s <= 7
    assert bench.gate.waiting == 0
    bench.gate.leave(holder)
    bench.gate.leave(await bench.enter(GREEDY))
    assert bench.gate.running == 0


async def test_without_memory_nothing_starts_until_there_is_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.admission.gate.START_BYTES", 10)
    limits = ActionSettings(action_memory_reserve_bytes=1000)
    bench = Bench(limits)
    bench.headroom.measured(Measured(2000, 1015), 0)
    place = await bench.enter(GREEDY)
    waiting = bench.begin(MODEST)
    await rest()
    assert not waiting.done()
    bench.headroom.measured(Measured(2000, 1010), 0)
    bench.gate.let_in()
    await rest()
    assert waiting.done()
    bench.gate.leave(place)


async def test_a_turn_that_comes_while_its_waiter_is_cancelled_goes_on_to_the_next() -> None:
    bench = Bench(foreground_max=2)
    holder = await bench.enter(GREEDY)
    cancelled, next_one = bench.begin(GREEDY), bench.begin(GREEDY)
    await rest()
    bench.gate.leave(holder)
    cancelled.cancel()
    await rest()
    assert cancelled.cancelled()
    assert next_one.done()
    bench.gate.leave(next_one.result())
    assert (bench.gate.running, bench.gate.waiting) == (0, 0)


steps = st.lists(st.tuples(st.sampled_from(["begin", "cancel", "age", "leave"]), st.integers(0, 3)), max_size=60)


@settings(deadline=None, max_examples=150)
@given(steps)
def test_whatever_happens_nothing_is_left_and_no_place_is_lost(what: list[tuple[str, int]]) -> None:
    asyncio.run(_whatever_happens(what))


async def _whatever_happens(what: list[tuple[str, int]]) -> None:
    bench = Bench(ActionSettings(action_concurrent_max=6))
    tasks: list[asyncio.Task[Place]] = []
    places: list[Place] = []
    for action, number in what:
        if action == "begin":
            tasks.append(bench.begin(number))
        elif action == "cancel" and tasks:
            tasks[number % len(tasks)].cancel()
        elif action == "age" and places:
            bench.gate.to_background(places[number % len(places)])
        elif action == "leave" and places:
            bench.gate.leave(places.pop(number % len(places)))
        if number % 2:
            await rest()
            places += [task.result() for task in tasks if task.done() and not task.cancelled()]
            tasks = [task for task in tasks if not task.done()]
            assert bench.gate.running == len(places) <= 6
    await ended(tasks)
    places += [task.result() for task in tasks if task.done() and not task.cancelled()]
    while places:
        bench.gate.leave(places.pop())
    assert (bench.gate.running, bench.gate.waiting) == (0, 0)
    # Every place can be had again: two accounts fill the four.
    for account in (0, 0, 1, 1):
        await asyncio.wait_for(bench.enter(account), 30)

"""What a run costs: each started second once, from dispatch to the end, and nothing for the node's own faults."""

import asyncio
import itertools
import math
from collections.abc import Awaitable, Callable
from dataclasses import replace
from unittest.mock import AsyncMock

import pytest
from structlog.testing import capture_logs

from node.api.errors import ErrorCode, NodeError, as_node_error
from node.chain.read_meter import metered
from node.engine.port import ActionJob, ActionOutcome, HostCalls, StopReason
from node.engine.process_engine import ProcessEngine
from node.errors import DomainError
from node.ledger.errors import LedgerUnavailableError
from node.ledger.port import MICRODOLLARS_PER_CENT, Usage
from node.settings.execution import ActionSettings
from tests.execution.bench import CAPPED, IN_ANY, MASTER, OTHER, SIGN, Bench, World, bench_over

pytestmark = pytest.mark.asyncio(loop_scope="module")

SLEEP = "const main = ({ ms }) => new Promise((resolve) => setTimeout(resolve, ms, 'slept'));"
SECRET = "do-not-log-this"


@pytest.mark.exhaustive
async def test_a_started_second_is_a_cent(bench: Bench) -> None:
    short = await bench.run(MASTER, SLEEP, {"ms": 1})
    assert short.response == "slept"
    assert short.duration_ms >= 1
    long = await bench.run(MASTER, SLEEP, {"ms": 1050})
    assert long.duration_ms >= 1050
    for answer in (short, long):
        assert answer.charged_cents == math.ceil(answer.duration_ms / 1000)
    assert await bench.spent_cents() == short.charged_cents + long.charged_cents
    assert await bench.spent_cents(OTHER) == 0


class UsedUp:
    """A budget of chain reads without anything left, from when a run has begun."""

    begun = False

    def take(self, count: int) -> None:
        if count and self.begun:
            raise NodeError(ErrorCode.TOO_MANY_REQUESTS, "Too many reads of the chain.")


async def test_what_a_run_reads_of_the_chain_is_paid_for_by_the_second(bench: Bench) -> None:
    meter = UsedUp()
    bench.once_set_aside(lambda: setattr(meter, "begun", True))
    with metered(meter):
        answer = await bench.run(IN_ANY, SIGN, {"pkpId": bench.world.third, "message": "m"})
    assert (answer.error, meter.begun) == (None, True)


async def test_what_the_action_does_wrong_is_charged(bench: Bench) -> None:
    answer = await bench.run(MASTER, "function main() { console.log('so far'); throw new Error('mine'); }")
    assert answer.has_error
    assert answer.error is not None
    assert (answer.error.name, answer.logs, answer.response) == ("Error", "so far", None)
    assert answer.charged_cents == 1
    assert (await bench.run(MASTER, "x x")).charged_cents == 1
    assert await bench.spent_cents() == 2


async def test_without_credit_nothing_runs(world: World) -> None:
    poor = await bench_over(world, cents=0)
    with pytest.raises(DomainError) as refused:
        await poor.run(MASTER, SLEEP, {"ms": 1})
    assert as_node_error(refused.value).code is ErrorCode.PAYMENT_REQUIRED


async def test_an_action_ends_with_the_accounts_credit(world: World) -> None:
    poor = await bench_over(world, cents=1)
    answer = await poor.run(MASTER, SLEEP, {"ms": 5000})
    assert answer.error is not None
    assert answer.error.name == "ActionOutOfFunds"
    assert answer.charged_cents == 1
    assert 850 <= answer.duration_ms < 4500
    assert (await poor.ledger.balance(MASTER)).credit_microdollars == 0


@pytest.mark.exhaustive
async def test_a_run_ends_and_costs_no_more_at_its_own_bound(bench: Bench) -> None:
    for code in ("function main() { console.log('began'); for (;;); }", "console.log('began');" + SLEEP):
        order = await bench.order(MASTER, code, {"ms": 10_000}, max_seconds=1)
        answer = (await bench.service.run(order)).answer
        assert answer.error is not None
        assert answer.error.name == "ActionTimeout"
        assert answer.error.message == "The action ran longer than 1 second, the max_seconds of its request."
        assert answer.logs == "began"
        assert 1000 <= answer.duration_ms < 2500
        assert answer.charged_cents == 1
    assert await bench.spent_cents() == 2


async def test_what_ends_before_its_own_bound_costs_what_it_ran(bench: Bench) -> None:
    answer = (await bench.service.run(await bench.order(MASTER, SLEEP, {"ms": 1050}, max_seconds=20))).answer
    assert (answer.response, answer.has_error) == ("slept", False)
    assert await bench.spent_cents() == answer.charged_cents == math.ceil(answer.duration_ms / 1000)


async def test_a_bound_beyond_the_nodes_own_is_refused_and_costs_nothing(world: World) -> None:
    bench = await bench_over(world, limits=ActionSettings(action_timeout_s=20))
    with pytest.raises(NodeError) as refused:
        await bench.service.run(await bench.order(MASTER, SLEEP, {"ms": 1}, max_seconds=21))
    assert refused.value.code == "bad_request"
    assert "20 seconds (action_timeout_s)" in refused.value.message
    assert refused.value.details == {
        "fields": {"max_seconds": "is more than the limit of 20 seconds (action_timeout_s)"}
    }
    assert refused.value.fix
    assert await bench.spent_cents() == 0


class ScriptedEngine:
    """Begins a run, waits for `until`, and ends it after the milliseconds, or with the error, that the test names."""

    def __init__(self, end: float | Exception, until: Callable[[], Awaitable[object]] | None = None) -> None:
        self._end = end
        self._until = until
        self.stop: asyncio.Future[StopReason] | None = None

    async def run(
        self,
        job: ActionJob,
        host: HostCalls,
        stop: "asyncio.Future[StopReason]",
        dispatched: Callable[[], None],
        commit: Callable[[], Awaitable[None]] | None = None,
    ) -> ActionOutcome:
        del job, host, commit
        self.stop = stop
        dispatched()
        if self._until is not None:
            await self._until()
        if isinstance(self._end, Exception):
            raise self._end
        return ActionOutcome(response=1, logs="", error=None, duration_ms=self._end)


@pytest.fixture
def stood_still(monkeypatch: pytest.MonkeyPatch) -> Callable[[], float]:
    """A clock on which a hundred seconds pass as soon as a run has begun; the second second is paid for at once."""
    monkeypatch.setattr("node.execution.service.FUNDS_LEAD_S", 1.0)
    return itertools.chain([0.0], itertools.repeat(100.0)).__next__


async def test_no_second_beyond_the_own_bound_is_set_aside(world: World, stood_still: Callable[[], float]) -> None:
    reserved = list[int]()

    async def paid_for() -> None:
        while len(reserved) < 20:
            await asyncio.sleep(0.001)
            reserved.append((await bench.ledger.balance(MASTER)).reserved_microdollars // MICRODOLLARS_PER_CENT)

    engine = ScriptedEngine(3500.0, paid_for)
    bench = await bench_over(world, cents=10, engine=engine, monotonic=stood_still)
    answer = (await bench.service.run(await bench.order(MASTER, SLEEP, max_seconds=3))).answer
    assert engine.stop is not None
    assert not engine.stop.done()
    assert reserved[-1] == answer.charged_cents == 3
    assert (await bench.ledger.balance(MASTER)).credit_microdollars == 7 * MICRODOLLARS_PER_CENT


@pytest.mark.parametrize(("credit_cents", "taken_cents"), [(10, 4), (2, 2)])
async def test_seconds_that_were_not_set_aside_in_time_are_taken_at_the_end(
    world: World, credit_cents: int, taken_cents: int
) -> None:
    """The node stood still: nothing was set aside while the action ran, but the first second."""
    bench = await bench_over(world, cents=credit_cents, engine=ScriptedEngine(3500.0))
    assert (await bench.run(MASTER, SLEEP)).charged_cents == taken_cents
    balance = await bench.ledger.balance(MASTER)
    left_microdollars = (credit_cents - taken_cents) * MICRODOLLARS_PER_CENT
    assert (balance.credit_microdollars, balance.reserved_microdollars) == (left_microdollars, 0)


@pytest.mark.parametrize("end", [RuntimeError("a fault of the node"), 1.0], ids=["release", "settle"])
async def test_the_end_of_a_run_comes_after_the_second_that_is_just_set_aside(
    world: World, monkeypatch: pytest.MonkeyPatch, stood_still: Callable[[], float], end: float | Exception
) -> None:
    """The ledger could carry the extension out after it: for no run, and its failure would go unseen."""
    asked, may_answer = asyncio.Event(), asyncio.Event()
    engine, limits = ScriptedEngine(end, asked.wait), ActionSettings(action_uncharged_s_per_hour=1_000)
    bench = await bench_over(world, cents=10, limits=limits, engine=engine, monotonic=stood_still)
    ledger, order = bench.ledger, list[str]()
    extend = ledger.extend

    async def slow(cause: str, amount_microdollars: int, cap_microdollars: int | None = None) -> None:
        asked.set()
        await may_answer.wait()
        await extend(cause, amount_microdollars, cap_microdollars)
        order.append("extend")

    def noted(name: str) -> None:
        honest = getattr(ledger, name)

        async def call(*arguments: object) -> object:
            order.append(name)
            return await honest(*arguments)

        monkeypatch.setattr(ledger, name, call)

    monkeypatch.setattr(ledger, "extend", slow)
    noted("release")
    noted("settle")
    running = asyncio.create_task(bench.run(MASTER, SLEEP))
    await asked.wait()
    for _ in range(10):
        await asyncio.sleep(0)
    assert order == []
    may_answer.set()
    await asyncio.gather(running, return_exceptions=True)
    assert order[0] == "extend"
    assert order[1:] == (["settle"] if isinstance(end, float) else ["release"])
    assert (await ledger.balance(MASTER)).reserved_microdollars == 0


async def test_a_run_that_has_ended_sets_nothing_more_aside(
    world: World, monkeypatch: pytest.MonkeyPatch, stood_still: Callable[[], float]
) -> None:
    bench = await bench_over(world, cents=10, engine=ScriptedEngine(1.0), monotonic=stood_still)
    more = AsyncMock()
    monkeypatch.setattr(bench.ledger, "extend", more)
    assert (await bench.run(MASTER, SLEEP)).charged_cents == 1
    for _ in range(20):
        await asyncio.sleep(0.001)
    more.assert_not_awaited()


async def test_a_settlement_under_way_is_answered_though_the_node_stops(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = await bench_over(world, cents=10, engine=ScriptedEngine(1.0))
    settle, asked, may_answer = bench.ledger.settle, asyncio.Event(), asyncio.Event()

    async def slow(cause: str, amount_microdollars: int, usage: Usage) -> int:
        asked.set()
        await may_answer.wait()
        return await settle(cause, amount_microdollars, usage)

    monkeypatch.setattr(bench.ledger, "settle", slow)
    running = asyncio.create_task(bench.run(MASTER, SLEEP))
    await asked.wait()
    closing = asyncio.create_task(bench.service.close())
    await asyncio.sleep(0)
    may_answer.set()
    assert (await running).charged_cents == 1
    await closing


async def test_the_log_says_that_a_charge_is_not_known_yet(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    began = asyncio.Event()

    async def endless() -> None:
        began.set()
        await asyncio.Event().wait()

    bench = await bench_over(world, cents=10, engine=ScriptedEngine(1.0, endless))
    settle = bench.ledger.settle
    running = asyncio.create_task(bench.run(MASTER, SLEEP))
    await began.wait()
    monkeypatch.setattr(bench.ledger, "settle", AsyncMock(side_effect=LedgerUnavailableError(1)))
    running.cancel()
    with capture_logs() as lines:
        with pytest.raises(asyncio.CancelledError):
            await running
        await bench.service.endings.drain()
    assert [(line["result"], line["charged_cents"]) for line in lines] == [("cancelled", None)]
    monkeypatch.setattr(bench.ledger, "settle", settle)
    await bench.service.close()
    assert (await bench.ledger.balance(MASTER)).credit_microdollars == 9 * MICRODOLLARS_PER_CENT


async def test_a_keys_cap_ends_it_too(bench: Bench) -> None:
    assert (await bench.run(CAPPED, SLEEP, {"ms": 1})).charged_cents == 1
    answer = await bench.run(CAPPED, SLEEP, {"ms": 5000})
    assert answer.error is not None
    assert answer.error.name == "ActionOutOfFunds"
    with pytest.raises(DomainError) as refused:
        await bench.run(CAPPED, SLEEP, {"ms": 1})
    assert as_node_error(refused.value).code is ErrorCode.PAYMENT_REQUIRED
    assert await bench.spent_cents() == 2


async def test_a_client_that_hangs_up_pays_what_ran_once(bench: Bench) -> None:
    order = await bench.order(MASTER, SLEEP, {"ms": 10_000})
    running = asyncio.create_task(bench.service.run(order))
    while (await bench.ledger.balance(MASTER)).reserved_microdollars < 20_000:  # noqa: ASYNC110 - a second must pass
        await asyncio.sleep(0.02)
    running.cancel()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await bench.service.close()
    assert await bench.spent_cents() in {1, 2}
    assert bench.world.engine.running == 0


async def test_a_node_that_stops_charges_what_ran_once(bench: Bench) -> None:
    running = asyncio.create_task(bench.run(MASTER, SLEEP, {"ms": 10_000}))
    while not bench.world.engine.running:  # noqa: ASYNC110 - the engine's own count is what there is to watch
        await asyncio.sleep(0.01)
    await bench.service.close()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await bench.spent_cents() == 1
    assert bench.world.engine.running == 0


async def test_who_hangs_up_before_a_process_is_there_pays_nothing(world: World) -> None:
    async with ProcessEngine(ActionSettings(action_spare_workers=0)) as slow:
        waiting = await bench_over(replace(world, engine=slow))
        running = asyncio.create_task(waiting.service.run(await waiting.order(MASTER, SLEEP, {"ms": 1})))
        while not slow.running:  # noqa: ASYNC110 - the engine's own count is what there is to watch
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await waiting.service.close()
        assert await waiting.spent_cents() == 0


async def test_many_at_once_are_each_charged_once(bench: Bench) -> None:
    answers = await asyncio.gather(*(bench.run(MASTER, SLEEP, {"ms": 5}) for _ in range(12)))
    assert [answer.response for answer in answers] == ["slept"] * 12
    assert await bench.spent_cents() == sum(answer.charged_cents for answer in answers)


async def test_one_line_of_log_without_what_is_the_callers(bench: Bench) -> None:
    code = f"function main() {{ console.log('{SECRET}'); throw Object.assign(new Error('{SECRET}'), {{ name: '{SECRET}' }}); }}"
    with capture_logs() as lines:
        await bench.run(MASTER, code, {"x": SECRET})
    assert len(lines) == 1
    assert lines[0]["event"] == "action_executed"
    assert lines[0]["result"] == "error"
    assert lines[0]["request_id"] == "request-1"
    assert lines[0]["charged_cents"] == 1
    assert SECRET not in repr(lines)


async def test_runs_are_counted_by_a_closed_set_of_endings(world: World, bench: Bench) -> None:
    counted = await bench_over(world)
    await counted.run(MASTER, "function main() {}")
    await counted.run(MASTER, f"function main() {{ throw Object.assign(new Error(''), {{ name: '{SECRET}' }}); }}")
    await counted.run(MASTER, "function main() { console.log('x'.repeat(200000)); }")
    values = {
        result: counted.registry.get_sample_value("svc_executions_total", {"result": result})
        for result in ("ok", "error", "ActionLogLimit", SECRET)
    }
    assert values == {"ok": 1, "error": 1, "ActionLogLimit": 1, SECRET: None}
    assert counted.registry.get_sample_value("svc_executions_in_progress") == 0
    assert await bench.spent_cents() == 0

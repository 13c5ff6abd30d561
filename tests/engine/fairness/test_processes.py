"""Real processes under admission: priority by age, memory as it grows, and what is ended when there is too little."""

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry
from pydantic import JsonValue

from node.api.errors import ErrorCode, as_node_error
from node.engine.admission.admission import Admission
from node.engine.admission.gate import AdmissionMetrics
from node.engine.admission.memory import Measured
from node.engine.port import ActionOutcome
from node.engine.process_engine import ProcessEngine
from node.errors import DomainError
from node.settings.execution import ActionSettings
from tests.engine.hosts import EchoHost, job_of, never
from tests.engine.processes import action_processes, children, until, zygotes

MIB = 1024 * 1024
GREEDY, MODEST = 1, 2
LIMITS = ActionSettings(action_timeout_s=300.0, action_spare_workers=0)
TRIVIAL = "function main() { return 1; }"
LOOP = "function main() { for (;;); }"
SLEEP = "function main() { return new Promise(() => setTimeout(() => {}, 300000)); }"
GROW = """async function main({ mib }) {
  const kept = [];
  for (let i = 0; i < mib; i++) { kept.push(new Uint8Array(1048576).fill(7)); }
  await Svc.Actions.getPrivateKey({ pkpId: "grown" });
  return new Promise((resolve) => setTimeout(() => resolve(kept.length), 300000));
}"""


class Knocking(EchoHost):
    """Answers, and lets a test wait until so many actions have called."""

    async def called(self, times: int) -> None:
        await until(lambda: len(self.calls) >= times)


async def run(engine: ProcessEngine, account: int, code: str, host: EchoHost, **params: JsonValue) -> ActionOutcome:
    return await engine.run(job_of(code, params, account=account), host, never(), lambda: None)


def begin(
    engine: ProcessEngine, account: int, code: str, host: EchoHost | None = None, **params: JsonValue
) -> "asyncio.Task[ActionOutcome]":
    return asyncio.create_task(run(engine, account, code, host or EchoHost(), **params))


async def end(tasks: "Sequence[asyncio.Task[ActionOutcome] | asyncio.Task[None]]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def policies() -> list[int]:
    return [os.sched_getscheduler(pid) for pid in action_processes()]


async def test_an_action_that_runs_long_has_what_nobody_else_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.admission.gate.FOREGROUND_S", 3.0)
    admission = Admission()
    async with ProcessEngine(LIMITS, admission=admission) as engine:
        looping = begin(engine, GREEDY, LOOP)
        await until(lambda: policies() == [os.SCHED_OTHER])
        await until(lambda: policies() == [os.SCHED_IDLE])
        assert (await run(engine, MODEST, TRIVIAL, EchoHost())).response == 1
        await end([looping])
        assert [os.sched_getscheduler(pid) for pid in zygotes()] == [os.SCHED_OTHER]
        assert os.sched_getscheduler(0) == os.SCHED_OTHER
    assert engine.strain is None


async def test_what_is_idle_sleeps_or_is_short_keeps_the_nodes_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.admission.gate.FOREGROUND_S", 0.05)
    admission = Admission()
    async with ProcessEngine(ActionSettings(action_spare_workers=3), admission=admission) as engine:
        for _ in range(20):
            await run(engine, MODEST, TRIVIAL, EchoHost())
        sleeping = begin(engine, MODEST, SLEEP)
        looping = begin(engine, GREEDY, LOOP)
        await until(lambda: sorted(policies()) == [os.SCHED_OTHER] * 5 + [os.SCHED_IDLE])
        await end([looping, sleeping])


async def test_who_floods_with_short_actions_has_what_nobody_else_wants_until_it_stops() -> None:
    busy = "function main() { const end = Date.now() + 10; while (Date.now() < end); return 1; }"
    admission = Admission(processors=1)
    async with ProcessEngine(LIMITS, admission=admission) as engine:

        async def flood() -> None:
            while True:
                await run(engine, GREEDY, busy, EchoHost())

        floods = [asyncio.create_task(flood()) for _ in range(8)]
        await until(lambda: os.SCHED_IDLE in policies())
        assert (await run(engine, MODEST, TRIVIAL, EchoHost())).response == 1
        await end(floods)
        await until(lambda: os.SCHED_IDLE not in policies())


async def test_an_endless_action_is_no_reason_for_others_of_its_program_to_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("node.engine.admission.gate.FOREGROUND_S", 0.05)
    code = "function main({ loop }) { while (loop); return 1; }"
    admission = Admission()
    async with ProcessEngine(ActionSettings(action_spare_workers=1), admission=admission) as engine:
        looping = begin(engine, GREEDY, code, loop=True)
        await until(lambda: sorted(policies()) == [os.SCHED_OTHER, os.SCHED_IDLE])
        for _ in range(5):
            assert (await run(engine, GREEDY, code, EchoHost(), loop=False)).response == 1
        # The next spare one, another of the program or two where that one still tidied up, and the one that loops. On an idle
        # machine a loop uses so much that its account's other workers are lowered too.
        await until(lambda: len(policies()) in {3, 4} and {os.SCHED_OTHER, os.SCHED_IDLE} == set(policies()))
        await end([looping])


async def test_the_kernel_ends_actions_before_the_node() -> None:
    async with ProcessEngine(ActionSettings(action_spare_workers=2)) as engine:
        assert "oom" in engine.isolation
        scores = [int(Path(f"/proc/{pid}/oom_score_adj").read_text()) for pid in children()]
        assert scores == [1000] * 3
        assert int(Path("/proc/self/oom_score_adj").read_text()) < 1000


@pytest.mark.exhaustive
async def test_sleeping_actions_are_bounded_by_a_small_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.admission.gate.FOREGROUND_S", 0.01)
    limits = ActionSettings(action_memory_together_bytes=10 * 1_500_000, action_queue_wait_max_s=4.0)
    async with ProcessEngine(LIMITS, admission=Admission(limits)) as engine:
        sleeping = [begin(engine, account, SLEEP) for account in range(10)]
        await until(lambda: engine.running == 10)
        with pytest.raises(DomainError) as refused:
            await run(engine, 100, TRIVIAL, EchoHost())
        assert as_node_error(refused.value).code is ErrorCode.TOO_MANY_REQUESTS
        assert refused.value.retry_after_s
        assert engine.strain is not None
        late = begin(engine, 101, TRIVIAL)
        await until(lambda: engine.waiting == 1)
        await end(sleeping[:1])
        assert (await late).response == 1
        assert engine.running == 9
        await end(sleeping)
        await until(lambda: engine.strain is None)


async def test_what_grows_beyond_the_budget_is_ended_and_the_modest_live(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.admission.admission.MEMORY_INTERVAL_S", 0.02)
    registry = CollectorRegistry()
    limits = ActionSettings(action_memory_together_bytes=120 * MIB)
    admission = Admission(limits, metrics=AdmissionMetrics(registry))
    async with ProcessEngine(LIMITS, admission=admission) as engine:
        quiet = Knocking()
        modest = begin(engine, MODEST, GROW, quiet, mib=20)
        await quiet.called(1)
        greedy = [begin(engine, GREEDY, GROW, mib=110) for _ in range(3)]
        for error in await asyncio.gather(*greedy, return_exceptions=True):
            assert isinstance(error, DomainError)
            assert as_node_error(error).code is ErrorCode.RUNNER_UNAVAILABLE
            assert error.retry_after_s
        assert not modest.done()
        assert (registry.get_sample_value("svc_action_sheds_total") or 0) >= 3
        await end([modest])
    assert children() == []


class ShrinkingMachine:
    """Memory of a machine on which something else takes it away."""

    def __init__(self) -> None:
        self.available_bytes = 1000 * MIB
        self.looks = 0
        self.freed: Callable[[], bool] = lambda: False
        self.freed_bytes = 40 * MIB

    def look(self) -> Measured:
        self.looks += 1
        given_back = self.freed_bytes if self.freed() else 0
        return Measured(1000 * MIB, self.available_bytes + given_back)


async def test_when_the_machine_runs_short_only_as_many_go_as_must(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.admission.admission.MEMORY_INTERVAL_S", 0.02)
    monkeypatch.setattr("node.engine.admission.guard.MEMORY_WAIT_S", 60.0)
    machine = ShrinkingMachine()
    limits = ActionSettings(action_memory_reserve_bytes=100 * MIB, action_queue_wait_max_s=0.1)
    async with ProcessEngine(LIMITS, admission=Admission(limits, measure=machine.look)) as engine:
        host = Knocking()
        small, large = begin(engine, MODEST, GROW, host, mib=10), begin(engine, GREEDY, GROW, host, mib=60)
        await host.called(2)
        machine.available_bytes = 60 * MIB
        await until(lambda: engine.strain is not None)
        with pytest.raises(DomainError) as refused:
            await run(engine, 3, TRIVIAL, EchoHost())
        assert as_node_error(refused.value).code is ErrorCode.TOO_MANY_REQUESTS
        assert not large.done()
        machine.freed = large.done
        machine.available_bytes = 20 * MIB
        with pytest.raises(DomainError) as shed:
            await large
        assert as_node_error(shed.value).code is ErrorCode.RUNNER_UNAVAILABLE
        looked = machine.looks
        await until(lambda: machine.looks > looked + 3)
        assert not small.done()
        await end([small])


def machine_with(available_bytes: int) -> ShrinkingMachine:
    machine = ShrinkingMachine()
    machine.available_bytes = available_bytes
    return machine


@pytest.mark.parametrize("left_mib", [80, 101])
async def test_who_holds_the_reserve_makes_room_for_others_and_not_for_itself(
    left_mib: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the reserve and half of it nothing starts: one account could keep everybody out for a quarter of an hour."""
    monkeypatch.setattr("node.engine.admission.admission.MEMORY_INTERVAL_S", 0.02)
    monkeypatch.setattr("node.engine.admission.guard.MEMORY_WAIT_S", 0.1)
    machine = machine_with(1000 * MIB)
    limits = ActionSettings(action_memory_reserve_bytes=100 * MIB)
    async with ProcessEngine(LIMITS, admission=Admission(limits, measure=machine.look)) as engine:
        host = Knocking()
        small, large = begin(engine, 3, GROW, host, mib=10), begin(engine, GREEDY, GROW, host, mib=60)
        await host.called(2)
        machine.available_bytes = left_mib * MIB
        await until(lambda: engine.strain is not None)
        own = begin(engine, GREEDY, TRIVIAL)
        looked = machine.looks
        await until(lambda: machine.looks > looked + 20)
        assert not large.done()
        machine.freed = large.done
        others = begin(engine, MODEST, TRIVIAL)
        with pytest.raises(DomainError) as ended:
            await large
        assert as_node_error(ended.value).code is ErrorCode.RUNNER_UNAVAILABLE
        assert ((await others).response, (await own).response) == (1, 1)
        assert not small.done()
        await end([small])


async def test_accounts_that_hold_little_make_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.admission.admission.MEMORY_INTERVAL_S", 0.02)
    monkeypatch.setattr("node.engine.admission.guard.MEMORY_WAIT_S", 0.05)
    machine = machine_with(1000 * MIB)
    limits = ActionSettings(action_memory_reserve_bytes=100 * MIB, action_queue_wait_max_s=0.5)
    async with ProcessEngine(LIMITS, admission=Admission(limits, measure=machine.look)) as engine:
        host = Knocking()
        small = [begin(engine, account, GROW, host, mib=10) for account in (3, 4)]
        await host.called(2)
        machine.available_bytes = 80 * MIB
        await until(lambda: engine.strain is not None)
        with pytest.raises(DomainError) as refused:
            await run(engine, MODEST, TRIVIAL, EchoHost())
        assert as_node_error(refused.value).code is ErrorCode.TOO_MANY_REQUESTS
        assert not any(action.done() for action in small)
        await end(small)


async def test_a_measurement_that_fails_stops_nothing() -> None:
    class Broken:
        def look(self) -> Measured:
            raise OSError("no /proc")

    async with ProcessEngine(LIMITS, admission=Admission(measure=Broken().look)) as engine:
        assert (await run(engine, GREEDY, TRIVIAL, EchoHost())).response == 1


async def test_who_stops_waiting_leaves_nothing() -> None:
    limits = ActionSettings(action_concurrent_max=2)
    async with ProcessEngine(LIMITS, admission=Admission(limits)) as engine:
        host = Knocking()
        code = LOOP.replace("for", "Svc.Actions.getPrivateKey({}); for")
        looping = [begin(engine, GREEDY, code, host) for _ in range(2)]
        await host.called(2)
        waiting = [begin(engine, account, TRIVIAL) for account in range(10)]
        await until(lambda: engine.waiting == 10)
        await end(waiting)
        assert (engine.waiting, engine.running) == (0, 2)
        await end(looping)
        assert (await run(engine, MODEST, TRIVIAL, EchoHost())).response == 1
        assert engine.running == 0
    assert children() == []


async def test_measuring_leaves_most_of_the_time_to_others_however_long_it_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("node.engine.admission.admission.MEMORY_INTERVAL_S", 0.001)

    class Slow(ShrinkingMachine):
        def look(self) -> Measured:
            time.sleep(0.02)
            return super().look()

    machine = Slow()
    admission = Admission(measure=machine.look)
    began_at = time.monotonic()
    admission.start()
    await until(lambda: machine.looks >= 5)
    await admission.close()
    assert machine.looks <= (time.monotonic() - began_at) / 0.2 + 2


async def test_a_process_ends_after_so_many_runs_of_its_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that runs leave in a process is freed when the process ends."""
    monkeypatch.setattr("node.engine.workers.RUNS_MAX", 3)
    async with ProcessEngine(LIMITS) as engine:
        await run(engine, MODEST, TRIVIAL, EchoHost())
        (served,) = action_processes()
        await run(engine, MODEST, TRIVIAL, EchoHost())
        assert action_processes() == [served]
        await run(engine, MODEST, TRIVIAL, EchoHost())
        await until(lambda: served not in action_processes())
        assert (await run(engine, MODEST, TRIVIAL, EchoHost())).response == 1

"""What a caller pays that never had its turn, or whose action the node had to end: nothing."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio

from node.api.errors import ErrorCode, as_node_error
from node.engine.admission.admission import Admission
from node.engine.admission.memory import Measured
from node.engine.process_engine import ProcessEngine
from node.errors import DomainError
from node.settings.execution import ActionSettings
from tests.engine.processes import until
from tests.execution.bench import MASTER, Bench, World, bench_over, running_world

pytestmark = pytest.mark.asyncio(loop_scope="module")

LOOP = "function main() { for (;;); }"
TRIVIAL = "function main() { return 1; }"
MIB = 1024 * 1024


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world() -> AsyncIterator[World]:
    async with running_world() as made:
        yield made


def results(bench: Bench, result: str) -> float | None:
    return bench.registry.get_sample_value("svc_executions_total", {"result": result})


async def cancelled(task: "asyncio.Task[object]") -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_who_hangs_up_while_waiting_pays_nothing_and_is_gone(world: World) -> None:
    admission = Admission(ActionSettings(action_concurrent_max=1))
    async with ProcessEngine(ActionSettings(action_spare_workers=0), admission=admission) as engine:
        first, second = await bench_over(replace(world, engine=engine)), await bench_over(replace(world, engine=engine))
        holding = asyncio.create_task(first.run(MASTER, LOOP))
        await until(lambda: engine.running == 1)
        waiting = asyncio.create_task(second.run(MASTER, TRIVIAL))
        await until(lambda: engine.waiting == 1)
        await cancelled(waiting)
        await second.service.close()
        assert (engine.waiting, engine.running) == (0, 1)
        assert await second.spent_cents() == 0
        assert results(second, "cancelled") == 1
        await cancelled(holding)
        await first.service.close()
        assert engine.running == 0


async def test_a_node_that_stops_ends_those_that_wait_too(world: World) -> None:
    admission = Admission(ActionSettings(action_concurrent_max=1))
    async with ProcessEngine(ActionSettings(action_spare_workers=0), admission=admission) as engine:
        bench = await bench_over(replace(world, engine=engine))
        began_at = time.monotonic()
        running = [asyncio.create_task(bench.run(MASTER, LOOP)) for _ in range(4)]
        await until(lambda: engine.waiting == 3)
        await bench.service.close()
        ended = await asyncio.gather(*running, return_exceptions=True)
        assert all(isinstance(each, asyncio.CancelledError) for each in ended)
        assert (engine.waiting, engine.running) == (0, 0)
        assert await bench.spent_cents() <= 1 + int(time.monotonic() - began_at), "one ran, the others waited"


async def test_who_is_refused_pays_nothing(world: World) -> None:
    admission = Admission(ActionSettings(action_concurrent_max=1, action_queue_wait_max_s=0.05))
    async with ProcessEngine(ActionSettings(action_spare_workers=0), admission=admission) as engine:
        first, second = await bench_over(replace(world, engine=engine)), await bench_over(replace(world, engine=engine))
        holding = asyncio.create_task(first.run(MASTER, LOOP))
        await until(lambda: engine.running == 1)
        with pytest.raises(DomainError) as refused:
            await second.run(MASTER, TRIVIAL)
        assert as_node_error(refused.value).code is ErrorCode.TOO_MANY_REQUESTS
        assert refused.value.retry_after_s
        assert await second.spent_cents() == 0
        await cancelled(holding)
        await first.service.close()


class Shrinking:
    """Memory that is gone when a test says so."""

    gone = False

    def look(self) -> Measured:
        return Measured(1000 * MIB, 0 if self.gone else 900 * MIB)


async def test_what_the_node_had_to_end_is_free_up_to_the_allowance_and_charged_beyond(world: World) -> None:
    """Otherwise growing until one is ended would be a way to run for nothing."""
    memory = Shrinking()
    async with ProcessEngine(
        ActionSettings(action_spare_workers=0), admission=Admission(measure=memory.look)
    ) as engine:
        bench = await bench_over(replace(world, engine=engine), limits=ActionSettings(action_uncharged_s_per_hour=0.2))
        charged = []
        for _ in range(2):
            memory.gone = False
            running = asyncio.create_task(bench.run(MASTER, LOOP))
            await until(lambda: engine.running == 1)
            await asyncio.sleep(0.25)  # what is charged is time that passes
            memory.gone = True
            with pytest.raises(DomainError) as shed:
                await running
            assert as_node_error(shed.value).code is ErrorCode.RUNNER_UNAVAILABLE
            assert shed.value.retry_after_s
            charged.append(shed.value.details["charged_cents"])
        assert charged == [1, 1]
        assert await bench.spent_cents() == 2
        assert results(bench, "node_fault") == 2
        free = await bench_over(replace(world, engine=engine))
        memory.gone = False
        running = asyncio.create_task(free.run(MASTER, LOOP))
        await until(lambda: engine.running == 1)
        memory.gone = True
        with pytest.raises(DomainError) as shed:
            await running
        assert shed.value.details["charged_cents"] == 0
        assert "nothing is charged" in str(as_node_error(shed.value).fix)
        assert await free.spent_cents() == 0

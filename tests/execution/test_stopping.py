"""A node that stops ends its actions at once: answered with the logs so far, charged once; what has not begun costs nothing."""

import asyncio
import math
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest

from node.api.errors import ErrorCode, as_node_error
from node.engine.egress.egress import Egress
from node.engine.egress.targets import AddressPolicy
from node.engine.process_engine import ProcessEngine
from node.errors import DomainError
from node.settings.execution import ActionSettings
from tests.e2e.account import new_account
from tests.e2e.conftest import client_of
from tests.engine.egress.servers import answer, server
from tests.execution.bench import MASTER, Bench, World, bench_over
from tests.support.node import NodeProcess, running_node

pytestmark = pytest.mark.asyncio(loop_scope="module")

LOOPS = "async function main({ url }) { console.log('so far'); await fetch(url); for (;;); }"
"""What it asks for arrives after what it says."""
AT_A_TIME = 16
LOOPBACK = {"SVC_EGRESS_ALLOW_LOOPBACK": "1"}
STOPPED_WITHIN_S = 20.0
"""Much less than what requests that are being answered are given."""


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - what other processes do can only be looked at
            await asyncio.sleep(0.01)


async def test_what_runs_is_answered_with_its_logs_and_charged_once(world: World) -> None:
    bench = await bench_over(world, egress=Egress(policy=AddressPolicy(allow_loopback=True)))
    async with server() as origin:
        origin.by_path["/"] = answer()
        running = [asyncio.create_task(bench.run(MASTER, LOOPS, {"url": origin.url()})) for _ in range(3)]
        await until(lambda: len(origin.asked) == 3)
        began = asyncio.get_running_loop().time()
        await bench.service.stop()
        answers = await asyncio.gather(*running)
    assert asyncio.get_running_loop().time() - began < STOPPED_WITHIN_S
    for each in answers:
        assert each.error is not None
        assert each.error.name == "ActionNodeStopping"
        assert (each.logs, each.response, each.charged_cents) == ("so far", None, math.ceil(each.duration_ms / 1000))
    assert await bench.spent_cents() == sum(each.charged_cents for each in answers)
    assert world.engine.running == 0


async def test_nothing_begins_any_more(bench: Bench) -> None:
    await bench.service.stop()
    with pytest.raises(DomainError) as refused:
        await bench.run(MASTER, "function main() { return 1; }")
    assert as_node_error(refused.value).code is ErrorCode.RUNNER_UNAVAILABLE
    assert await bench.spent_cents() == 0


async def test_who_waits_for_a_process_is_turned_away_uncharged(world: World) -> None:
    async with ProcessEngine(ActionSettings(action_spare_workers=0)) as slow:
        waiting = await bench_over(replace(world, engine=slow))
        running = asyncio.create_task(waiting.run(MASTER, LOOPS))
        while not slow.running:  # noqa: ASYNC110 - the engine's own count; the fork takes longer than a turn
            await asyncio.sleep(0)
        await waiting.service.stop()
        with pytest.raises(DomainError) as refused:
            await running
        assert as_node_error(refused.value).code is ErrorCode.RUNNER_UNAVAILABLE
        assert await waiting.spent_cents() == 0
        assert waiting.registry.get_sample_value("svc_executions_in_progress") == 0


def descendants(pid: int) -> list[int]:
    found: list[int] = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (thread / "children").read_text().split())
    return found


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


async def sixteen(node: NodeProcess, then: Callable[[], None]) -> tuple[list[object], list[int]]:
    """Answers of as many endless actions when `then` happens to the node, and the processes it had."""
    headers = {"X-Api-Key": new_account(client_of(node)).key}
    async with aiohttp.ClientSession() as session, server() as origin:
        origin.by_path["/"] = answer()
        body = {"code": LOOPS, "js_params": {"url": origin.url()}}

        async def call() -> object:
            async with session.post(f"{node.api}/svc_action", json=body, headers=headers) as response:
                return await response.json()

        running = [asyncio.create_task(call()) for _ in range(AT_A_TIME)]
        await until(lambda: len(origin.asked) == AT_A_TIME)
        processes = descendants(node.process.pid)
        then()
        return list(await asyncio.gather(*running, return_exceptions=True)), processes


@pytest.mark.exhaustive
async def test_a_node_told_to_stop_with_sixteen_running_answers_them_and_leaves_no_process(tmp_path: Path) -> None:
    with running_node(tmp_path, LOOPBACK) as node:
        pid, loop = node.process.pid, asyncio.get_running_loop()
        began: list[float] = []

        def terminate() -> None:
            began.append(loop.time())
            os.kill(pid, signal.SIGTERM)

        answers, processes = await sixteen(node, terminate)
        assert loop.time() - began[0] < STOPPED_WITHIN_S
        for answer in answers:
            assert isinstance(answer, dict), answer
            assert (answer["error"]["name"], answer["logs"]) == ("ActionNodeStopping", "so far")
            assert answer["charged_cents"] >= 1
        assert await asyncio.to_thread(node.process.wait, 30) == 0
    await until(lambda: not any(map(lives, processes)))


@pytest.mark.exhaustive
async def test_a_node_that_is_killed_with_sixteen_running_leaves_no_process(tmp_path: Path) -> None:
    with running_node(tmp_path, LOOPBACK) as node:
        answers, processes = await sixteen(node, node.kill)
        assert all(isinstance(answer, aiohttp.ClientError) for answer in answers)
        assert len(processes) > 2, "a zygote, the worker of all sixteen, and spare ones"
        await until(lambda: not any(map(lives, processes)))

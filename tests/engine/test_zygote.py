"""The zygote may die, grow old or be overrun at any time: actions do not notice, and nothing stays behind."""

import asyncio
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest
from pydantic import JsonValue

from node.engine.limits import EngineLimits
from node.engine.prelude_source import prelude_source
from node.engine.process_engine import ProcessEngine
from node.engine.spawn import Spawner
from node.engine.zygote_process import ZygoteError, ZygoteProcess, zygote_command
from node.errors import ErrorCode, NodeError
from tests.engine.hosts import LIMITS, EchoHost, never, run
from tests.engine.processes import action_processes, children, descriptors, status, until, zygotes

ONE = "function main() { return 1; }"


class Gate:
    """A host whose answers wait until it is opened."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.calls: list[str] = []

    async def call(self, name: str, arguments: Sequence[JsonValue]) -> JsonValue:
        self.calls.append(f"{name} {arguments}")
        await self.open.wait()
        return "open"


class Generous(EchoHost):
    """Answers with three megabytes of the number of the call."""

    async def call(self, name: str, arguments: Sequence[JsonValue]) -> JsonValue:
        await super().call(name, arguments)
        return str(len(self.calls) % 10) * 3_000_000


def zombies() -> list[int]:
    return [pid for pid in children() if status(pid)["State"].startswith("Z")]


async def test_siblings_have_randomness_of_their_own() -> None:
    code = (
        "function main() { return [Math.random(), crypto.randomUUID(),"
        " ...crypto.getRandomValues(new Uint32Array(2))]; }"
    )
    async with ProcessEngine(replace(LIMITS, idle_children=4)) as engine:
        zygote = zygotes()
        outcomes = await asyncio.gather(*(run(engine, code) for _ in range(12)))
        assert zygotes() == zygote
    for values in zip(*(outcome.response for outcome in outcomes if isinstance(outcome.response, list)), strict=True):
        assert len(set(map(str, values))) == 12


async def test_running_actions_outlive_their_zygote() -> None:
    gate = Gate()
    async with ProcessEngine(LIMITS) as engine:
        code = "async function main() { return Svc.Actions.getPrivateKey({}); }"
        running = [asyncio.create_task(run(engine, code, host=gate)) for _ in range(3)]
        await until(lambda: len(gate.calls) == 3)
        [zygote] = zygotes()
        os.kill(zygote, signal.SIGKILL)
        await until(lambda: zygote not in children())
        gate.open.set()
        assert [outcome.response for outcome in await asyncio.gather(*running)] == ["open"] * 3
        assert (await run(engine, ONE)).response == 1
        assert zygotes() != [zygote]


async def test_spawns_that_wait_fail_over_to_the_next_zygote() -> None:
    async with ProcessEngine(replace(LIMITS, idle_children=0, children_starting=4)) as engine:
        for _ in range(3):
            [zygote] = zygotes()
            os.kill(zygote, signal.SIGSTOP)
            running = [asyncio.create_task(run(engine, ONE)) for _ in range(20)]
            await asyncio.sleep(0)
            os.kill(zygote, signal.SIGKILL)
            assert [outcome.response for outcome in await asyncio.gather(*running)] == [1] * 20
        assert zombies() == []


async def test_a_zygote_killed_again_and_again_costs_no_action() -> None:
    limits = replace(LIMITS, zygote_restart_delay_max_s=0.05)
    async with ProcessEngine(limits) as engine:
        for _ in range(8):
            running = [asyncio.create_task(run(engine, ONE)) for _ in range(10)]
            await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for zygote in zygotes():
                os.kill(zygote, signal.SIGKILL)
            assert [outcome.response for outcome in await asyncio.gather(*running)] == [1] * 10
            await engine.check()
        await until(lambda: zombies() == [])
    assert children() == []


async def test_a_zygote_that_hangs_is_replaced() -> None:
    async with ProcessEngine(replace(LIMITS, idle_children=0, child_start_timeout_s=2.0)) as engine:
        [zygote] = zygotes()
        os.kill(zygote, signal.SIGSTOP)
        with pytest.raises(NodeError) as refused:
            await run(engine, ONE)
        assert refused.value.code is ErrorCode.RUNNER_UNAVAILABLE
        assert (await run(engine, ONE)).response == 1
        assert zygotes() != [zygote]


async def test_a_zygote_is_replaced_after_so_many_children() -> None:
    async with ProcessEngine(replace(LIMITS, zygote_max_children=5)) as engine:
        first = zygotes()
        for _ in range(12):
            assert (await run(engine, ONE)).response == 1
        await until(lambda: not set(first) & set(children()))
        assert len(zygotes()) >= 1
    assert children() == []


async def test_a_zygote_is_replaced_at_its_age_while_actions_go_on() -> None:
    now = 0.0
    spawner = Spawner(LIMITS, clock=lambda: now)
    gate = Gate()
    async with ProcessEngine(LIMITS, spawner=spawner) as engine:
        [first] = zygotes()
        code = "async function main() { return Svc.Actions.getPrivateKey({}); }"
        running = asyncio.create_task(run(engine, code, host=gate))
        await until(lambda: len(gate.calls) == 1)
        now = LIMITS.zygote_max_age_s - 1
        await run(engine, ONE)
        assert zygotes() == [first]
        now = LIMITS.zygote_max_age_s
        await run(engine, ONE)
        await until(lambda: first not in children())
        gate.open.set()
        assert (await running).response == "open"


async def test_a_zygote_that_hangs_when_it_is_replaced_is_killed() -> None:
    limits = replace(LIMITS, zygote_max_children=3, child_start_timeout_s=2.0)
    async with ProcessEngine(limits) as engine:
        [first] = zygotes()
        await run(engine, ONE)
        await until(lambda: len(action_processes()) == 1)
        os.kill(first, signal.SIGSTOP)
        await asyncio.gather(*(run(engine, ONE) for _ in range(2)), return_exceptions=True)
        await until(lambda: first not in children())
        assert (await run(engine, ONE)).response == 1


async def test_randomness_drawn_before_the_fork_keeps_the_zygote_from_starting() -> None:
    prelude = prelude_source(LIMITS.frame_bytes, LIMITS.log_bytes)
    early = prelude.replace("const emit =", "globalThis.randomHex(8); const emit =")
    assert early != prelude
    with pytest.raises(ZygoteError, match="randomness"):
        await ZygoteProcess.start(zygote_command(LIMITS), early, LIMITS)
    assert children() == []


async def test_a_burst_of_three_hundred() -> None:
    limits = replace(LIMITS, action_timeout_s=60.0)
    async with ProcessEngine(limits) as engine:
        outcomes = await asyncio.gather(*(run(engine, ONE) for _ in range(300)))
        assert [outcome.response for outcome in outcomes] == [1] * 300
    assert children() == []


async def test_five_hundred_actions_leave_no_descriptor_and_no_zombie() -> None:
    async with ProcessEngine(replace(LIMITS, idle_children=0)) as engine:
        await run(engine, ONE)
        [zygote] = zygotes()
        before, of_zygote = len(descriptors()), descriptors(zygote)
        for _ in range(50):
            await asyncio.gather(*(run(engine, ONE) for _ in range(10)))
        assert len(descriptors()) == before
        assert descriptors(zygote) == of_zygote
        assert zombies() == []


async def test_attempts_to_start_a_zygote_are_spaced() -> None:
    started: list[float] = []

    def command(limits: EngineLimits) -> Sequence[str]:
        return ["/bin/false"]

    limits = replace(LIMITS, zygote_restart_delay_s=0.05, zygote_restart_delay_max_s=0.2)
    spawner = Spawner(limits, command)
    begun = time.monotonic()
    for _ in range(4):
        with pytest.raises(NodeError):
            await spawner.spawn()
        started.append(time.monotonic() - begun)
    await spawner.close()
    # At once, then after 50, 100 and 200 ms.
    assert started[-1] >= 0.35
    assert children() == []


async def test_large_answers_arrive_whole_and_in_order() -> None:
    code = (
        "async function main() { const all = await Promise.all([1, 2, 3, 4].map(() => Svc.Actions.getPrivateKey({})));"
        " return all.map((text) => [text.length, text[0], text === text[0].repeat(3000000)]); }"
    )
    async with ProcessEngine(replace(LIMITS, answer_backlog_bytes=4_000_000)) as engine:
        outcome = await run(engine, code, host=Generous())
        assert outcome.response == [[3_000_000, str(number), True] for number in (1, 2, 3, 4)]


async def test_answers_nobody_reads_are_few() -> None:
    host = Generous()
    code = (
        "function main() { for (let i = 0; i < 100; i += 1) Svc.Actions.getPrivateKey({}).catch(() => 0);"
        " const end = Date.now() + 300; while (Date.now() < end); for (;;); }"
    )
    limits = replace(LIMITS, answer_backlog_bytes=6_000_000, action_timeout_s=1.0, pending_host_calls=8)
    async with ProcessEngine(limits) as engine:
        await run(engine, code, host=host, stop=never())
    assert 2 <= len(host.calls) <= 4


async def test_a_large_response_holds_nobody_up() -> None:
    async with ProcessEngine(LIMITS) as engine:
        outcome = await run(engine, "function main() { return 'x'.repeat(900_000); }")
        assert outcome.response == "x" * 900_000


def test_the_command_names_no_secret() -> None:
    command = zygote_command(LIMITS)
    assert all(part.lstrip("-").isdigit() for part in command[-5:])

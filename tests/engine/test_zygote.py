"""The zygote may die, grow old or be overrun at any time: actions do not notice, and nothing stays behind."""

import asyncio
import itertools
import os
import signal
import time
from collections.abc import Sequence

import pytest
from pydantic import JsonValue

from node.api.errors import ErrorCode, as_node_error
from node.engine.process_engine import ProcessEngine
from node.engine.zygotes import ZYGOTE_MAX_AGE_S, Spawner, zygote_command
from node.errors import DomainError
from node.settings.execution import ActionSettings
from tests.engine.hosts import LIMITS, EchoHost, run
from tests.engine.processes import action_processes, children, descriptors, status, until, zygotes
from tests.support.settings import changed

ONE = "function main() { return 1; }"


def programs(count: int) -> list[str]:
    """Programs of their own, each of which answers 1."""
    return [f"function main() {{ return 1; }} // {next(_numbers)}" for _ in range(count)]


async def run_all(engine: ProcessEngine, codes: list[str]) -> list[JsonValue]:
    return [outcome.response for outcome in await asyncio.gather(*(run(engine, code) for code in codes))]


_numbers = itertools.count()


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
    async with ProcessEngine(changed(LIMITS, action_spare_workers=4)) as engine:
        zygote = zygotes()
        # Instances of one worker, and workers of one zygote.
        codes = [f"{code} // {number % 4}" for number in range(12)]
        outcomes = await asyncio.gather(*(run(engine, code) for code in codes))
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


@pytest.mark.exhaustive
async def test_spawns_that_wait_fail_over_to_the_next_zygote() -> None:
    async with ProcessEngine(changed(LIMITS, action_spare_workers=0)) as engine:
        for _ in range(3):
            [zygote] = zygotes()
            os.kill(zygote, signal.SIGSTOP)
            running = asyncio.create_task(run_all(engine, programs(20)))
            await asyncio.sleep(0)
            os.kill(zygote, signal.SIGKILL)
            assert await running == [1] * 20
        # Workers that ended a moment ago are reaped when the event loop hears of it.
        await until(lambda: zombies() == [])


@pytest.mark.exhaustive
async def test_a_zygote_killed_again_and_again_costs_no_action(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.zygotes.RESTART_DELAY_S", 0.05)
    monkeypatch.setattr("node.engine.zygotes.RESTART_DELAY_MAX_S", 0.05)
    async with ProcessEngine(LIMITS) as engine:
        for _ in range(8):
            running = [asyncio.create_task(run(engine, code)) for code in programs(10)]
            await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for zygote in zygotes():
                os.kill(zygote, signal.SIGKILL)
            assert [outcome.response for outcome in await asyncio.gather(*running)] == [1] * 10
            await engine.check()
        await until(lambda: zombies() == [])
    assert children() == []


@pytest.mark.exhaustive
async def test_a_zygote_that_hangs_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.zygotes.WORKER_START_TIMEOUT_S", 2.0)
    async with ProcessEngine(changed(LIMITS, action_spare_workers=0)) as engine:
        [zygote] = zygotes()
        os.kill(zygote, signal.SIGSTOP)
        with pytest.raises(DomainError) as refused:
            await run(engine, ONE)
        assert as_node_error(refused.value).code is ErrorCode.RUNNER_UNAVAILABLE
        assert (await run(engine, ONE)).response == 1
        assert zygotes() != [zygote]


async def test_a_zygote_is_replaced_after_so_many_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.zygotes.ZYGOTE_FORKS_MAX", 5)
    async with ProcessEngine(LIMITS) as engine:
        first = zygotes()
        for code in programs(12):
            assert (await run(engine, code)).response == 1
        await until(lambda: not set(first) & set(children()))
        assert len(zygotes()) >= 1
    assert children() == []


async def test_a_zygote_is_replaced_at_its_age_while_actions_go_on() -> None:
    now = 0.0
    spawner = Spawner(LIMITS, monotonic=lambda: now)
    gate = Gate()
    async with ProcessEngine(LIMITS, spawner=spawner) as engine:
        [first] = zygotes()
        code = "async function main() { return Svc.Actions.getPrivateKey({}); }"
        running = asyncio.create_task(run(engine, code, host=gate))
        await until(lambda: len(gate.calls) == 1)
        before, after = programs(2)
        now = ZYGOTE_MAX_AGE_S - 1
        await run(engine, before)
        assert zygotes() == [first]
        now = ZYGOTE_MAX_AGE_S
        await run(engine, after)
        await until(lambda: first not in children())
        gate.open.set()
        assert (await running).response == "open"


@pytest.mark.exhaustive
async def test_a_zygote_that_hangs_when_it_is_replaced_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.zygotes.ZYGOTE_FORKS_MAX", 3)
    monkeypatch.setattr("node.engine.zygotes.WORKER_START_TIMEOUT_S", 2.0)
    monkeypatch.setattr("node.engine.zygotes.WORKER_START_TIMEOUT_S", 2.0)
    async with ProcessEngine(LIMITS) as engine:
        [first] = zygotes()
        await run(engine, ONE)
        await until(lambda: len(action_processes()) == 2)
        os.kill(first, signal.SIGSTOP)
        await asyncio.gather(*(run(engine, code) for code in programs(2)), return_exceptions=True)
        await until(lambda: first not in children())
        assert (await run(engine, ONE)).response == 1


@pytest.mark.exhaustive
async def test_a_burst_of_three_hundred() -> None:
    limits = changed(LIMITS, action_timeout_s=60.0)
    async with ProcessEngine(limits) as engine:
        assert await run_all(engine, [ONE] * 200 + programs(100)) == [1] * 300
    assert children() == []


@pytest.mark.needs_root
async def test_hundreds_of_actions_and_workers_leave_no_descriptor_and_no_zombie(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Every action needs a worker of its own: there is none of its program.
    monkeypatch.setattr("node.engine.workers.IDLE_MAX_PER_ACCOUNT", 0)
    async with ProcessEngine(changed(LIMITS, action_spare_workers=0)) as engine:
        await run(engine, ONE)
        [zygote] = zygotes()
        await until(lambda: action_processes() == [])
        before, of_zygote = len(descriptors()), descriptors(zygote)
        for _ in range(10):
            await run_all(engine, [ONE] * 20 + programs(5))
        await until(lambda: action_processes() == [])
        assert len(descriptors()) == before
        assert descriptors(zygote) == of_zygote
        await until(lambda: zombies() == [])


async def test_attempts_to_start_a_zygote_are_spaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.zygotes.RESTART_DELAY_S", 0.05)
    monkeypatch.setattr("node.engine.zygotes.RESTART_DELAY_MAX_S", 0.2)
    started: list[float] = []

    def command(limits: ActionSettings) -> Sequence[str]:
        return ["/bin/false"]

    spawner = Spawner(LIMITS, command)
    begun = time.monotonic()
    for _ in range(4):
        with pytest.raises(DomainError):
            await spawner.spawn()
        started.append(time.monotonic() - begun)
    await spawner.close()
    # At once, then after 50, 100 and 200 ms.
    assert started[-1] >= 0.35
    assert children() == []


async def test_large_answers_arrive_whole_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.calls.ANSWER_BACKLOG_BYTES", 4_000_000)
    code = (
        "async function main() { const all = await Promise.all([1, 2, 3, 4].map(() => Svc.Actions.getPrivateKey({})));"
        " return all.map((text) => [text.length, text[0], text === text[0].repeat(3000000)]); }"
    )
    async with ProcessEngine(LIMITS) as engine:
        outcome = await run(engine, code, host=Generous())
        assert outcome.response == [[3_000_000, str(number), True] for number in (1, 2, 3, 4)]


async def test_a_large_response_holds_nobody_up() -> None:
    async with ProcessEngine(LIMITS) as engine:
        outcome = await run(engine, "function main() { return 'x'.repeat(900_000); }")
        assert outcome.response == "x" * 900_000


def test_the_command_names_no_secret() -> None:
    command = zygote_command(LIMITS)
    assert all(part.lstrip("-").isdigit() for part in command[-6:])

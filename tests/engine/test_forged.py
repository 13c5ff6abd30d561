"""What a worker sends is hostile: whatever it says, the node ends its actions in time with an answer, and lives."""

import asyncio
import functools
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from node.api.errors import ErrorCode, as_node_error
from node.engine.port import ActionOutcome, StopReason
from node.engine.process_engine import ProcessEngine
from node.engine.zygotes import Spawner
from node.errors import DomainError
from node.settings.execution import ActionSettings
from tests.engine.hosts import EchoHost, never, run
from tests.engine.liar import BESIDE, DEEDS
from tests.engine.processes import action_processes, children, until
from tests.support.settings import changed

HERE = Path(__file__).parent
LIMITS = ActionSettings(action_timeout_s=0.5, action_spare_workers=0, action_host_calls=50)
PATIENT = changed(LIMITS, action_timeout_s=15.0)
"""For those that must end otherwise than by the time: a busy machine takes its time to get there."""
GRACE_S = 6.0
"""Two seconds of it are what a worker has to confirm an end."""

CRASHED = "ActionCrashed"
NODE_FAULT = "503"
OUTCOMES = dict.fromkeys(DEEDS, CRASHED) | {
    "killed by the kernel": NODE_FAULT,
    "no memory of the node": NODE_FAULT,
    "four gigabytes of result": "ActionResponseLimit",
    "four gigabytes of log": "ActionLogLimit",
    "five megabytes of result": "ActionResponseLimit",
    "five megabytes of log": "ActionLogLimit",
    "partial": "ActionTimeout",
    "bytewise": None,
    "half a header": "ActionTimeout",
    "nothing after the header": "ActionTimeout",
    "silence": "ActionTimeout",
    "silence, and confirms": "ActionTimeout",
    "result and more": None,
    "two results": None,
    "result infinite": "NotJson",
    "result deep": "ActionResponseLimit",
    "call deep": "ActionTimeout",
    "call of a million values": "ActionTimeout",
    "log flood": "ActionLogLimit",
    "result of many values": "ActionResponseLimit",
    "log longer than all logs": "ActionLogLimit",
    "result of half pairs": None,
    "two answers": None,
    "out of memory": "ActionOutOfMemory",
}


def liar(behaviour: str = "lies", limits: ActionSettings = LIMITS) -> ProcessEngine:
    def command(_: ActionSettings) -> Sequence[str]:
        return [sys.executable, "-I", "-S", str(HERE / "liar.py"), str(HERE.parents[1]), behaviour]

    spawner = Spawner(limits, command)
    return ProcessEngine(limits, spawner=spawner)


def name_of(ending: ActionOutcome | BaseException) -> str | None:
    if isinstance(ending, DomainError):
        assert as_node_error(ending).code is ErrorCode.RUNNER_UNAVAILABLE
        assert ending.retry_after_s
        return NODE_FAULT
    assert isinstance(ending, ActionOutcome)
    if ending.error is not None:
        assert ending.response is None
    return None if ending.error is None else ending.error.name


@pytest.mark.parametrize("deed", OUTCOMES)
async def test_every_lie_has_an_end(deed: str) -> None:
    limits = LIMITS if OUTCOMES[deed] == StopReason.TIMEOUT else PATIENT
    async with liar(limits=limits) as engine:
        started = time.monotonic()
        [ending] = await asyncio.gather(run(engine, deed), return_exceptions=True)
        assert time.monotonic() - started < LIMITS.action_timeout_s + GRACE_S
        assert name_of(ending) == OUTCOMES[deed]
        assert engine.running == 0
    assert children() == []


@pytest.mark.exhaustive
async def test_calls_are_counted_and_few_are_pending(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.calls.PENDING_CALLS_MAX", 3)
    monkeypatch.setattr("node.engine.calls.ANSWER_BACKLOG_BYTES", 1_000_000)
    limits = changed(PATIENT, action_timeout_s=3.0, action_host_calls=10_000)
    host = EchoHost()
    async with liar(limits=limits) as engine:
        await run(engine, "deaf", host=host)
    # A megabyte of answers waits to be read, and what the socket's buffers took before it was full.
    assert 3 <= len(host.calls) < 350


NEIGHBOURS = dict.fromkeys(BESIDE, (CRASHED, None)) | {
    "a flood of logs": ("ActionLogLimit", None),
    "five megabytes of log": ("ActionLogLimit", None),
    "out of memory": ("ActionOutOfMemory", None),
    "no memory of the node": (NODE_FAULT, None),
    "a frame of no fiber": (NODE_FAULT, NODE_FAULT),
    "a frame after its end": (None, CRASHED),
    "no frame at all": (NODE_FAULT, NODE_FAULT),
    "its death": (NODE_FAULT, NODE_FAULT),
    "no confirmation": ("ActionOutOfFunds", NODE_FAULT),
}
"""Outcome of the fiber that does it, and of the other one of the same worker."""


@pytest.mark.parametrize("deed", NEIGHBOURS)
async def test_what_one_fiber_does_to_the_other_of_its_worker_and_to_nobody_else(deed: str) -> None:
    async with liar("lies beside others", PATIENT) as engine:
        stop = never()
        first = asyncio.create_task(run(engine, deed, stop=stop))
        await until(lambda: len(action_processes()) == 1)
        second = asyncio.create_task(run(engine, deed))
        if deed == "no confirmation":
            await until(lambda: engine.running == 2)
            stop.set_result(StopReason.OUT_OF_FUNDS)
        async with asyncio.timeout(GRACE_S):
            endings = await asyncio.gather(first, second, return_exceptions=True)
        assert tuple(map(name_of, endings)) == NEIGHBOURS[deed]
        if NEIGHBOURS[deed][1] is None:
            assert isinstance(endings[1], ActionOutcome)
            assert (endings[1].response, endings[1].logs) == ("honest", "")
    assert children() == []


USED_AGAIN = {
    "a crash of its instance": False,
    "a call no action makes": False,
    "a log no action writes": False,
    "out of memory": True,
    "a flood of logs": True,
}
"""Whether a worker whose fiber did it gets further actions of its program."""


@pytest.mark.parametrize("deed", USED_AGAIN)
async def test_a_worker_in_which_an_action_trapped_gets_no_further_one(deed: str) -> None:
    """A trap may be an attempt to break out that went wrong: what it left in the process must meet no later action."""
    async with liar("lies beside others", PATIENT) as engine:
        rounds = []

        def is_alone(task: "asyncio.Task[ActionOutcome]") -> bool:
            return len(action_processes()) == 1 and (engine.running == 1 or task.done())

        for _ in range(2):
            async with asyncio.timeout(GRACE_S):
                first = asyncio.create_task(run(engine, deed))
                await until(functools.partial(is_alone, first))
                rounds.append(await asyncio.gather(first, run(engine, deed)))
    names = [Counter(map(name_of, endings)) for endings in rounds]
    assert names[0] == Counter(NEIGHBOURS[deed])
    # Every process does its deed in its first action alone, and serves the later ones honestly.
    assert names[1] == Counter((None, None) if USED_AGAIN[deed] else NEIGHBOURS[deed])


STILLBORN = [
    *(
        f"{who} {fate}"
        for who in ("zygote", "unknown worker", "worker")
        for fate in ("dies", "complains", "is never ready", "says too much")
    ),
    "worker is somebody else",
]


@pytest.mark.parametrize("behaviour", STILLBORN)
async def test_what_does_not_start_is_the_nodes_fault(behaviour: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.zygotes.WORKER_START_TIMEOUT_S", 0.5)
    monkeypatch.setattr("node.engine.zygotes.ZYGOTE_START_TIMEOUT_S", 0.5)
    with pytest.raises(DomainError) as refused:
        async with liar(behaviour, LIMITS):
            pass
    assert as_node_error(refused.value).code is ErrorCode.RUNNER_UNAVAILABLE
    assert "sandbox" not in refused.value.message
    assert children() == []


async def test_a_command_that_does_not_exist_is_the_nodes_fault() -> None:
    engine = ProcessEngine(LIMITS, spawner=Spawner(LIMITS, lambda _: ["/no/such/program"]))
    with pytest.raises(DomainError) as refused:
        async with engine:
            pass
    assert as_node_error(refused.value).code is ErrorCode.RUNNER_UNAVAILABLE

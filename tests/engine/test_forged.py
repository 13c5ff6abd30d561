"""What a child sends is hostile: whatever it says, the parent ends in time with an answer, and lives."""

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from node.engine.limits import EngineLimits
from node.engine.port import StopReason
from node.engine.process_engine import ProcessEngine
from node.engine.spawn import Spawner
from node.errors import ErrorCode, NodeError
from tests.engine.hosts import EchoHost, run
from tests.engine.liar import DEEDS
from tests.engine.processes import children

HERE = Path(__file__).parent
LIMITS = EngineLimits(action_timeout_s=0.5, idle_children=0, host_calls=50)
PATIENT = replace(LIMITS, action_timeout_s=15.0)
"""For those that must end otherwise than by the time: a busy machine takes its time to get there."""
IMPATIENT = replace(LIMITS, child_start_timeout_s=0.5, zygote_start_timeout_s=0.5)
"""For what never starts."""
GRACE_S = 5.0

CRASHED = "ActionCrashed"
OUTCOMES = dict.fromkeys([deed for deed in DEEDS if deed != "killed by the kernel"], CRASHED) | {
    "four gigabytes of result": "ActionResponseLimit",
    "four gigabytes of log": "ActionLogLimit",
    "partial": "ActionTimeout",
    "bytewise": None,
    "half a header": "ActionTimeout",
    "nothing after the header": "ActionTimeout",
    "silence": "ActionTimeout",
    "out of processor time": "ActionTimeout",
    "result and more": None,
    "result infinite": "NotJson",
    "result deep": "ActionResponseLimit",
    "log flood": "ActionLogLimit",
    "result of many values": "ActionResponseLimit",
    "log longer than all logs": "ActionLogLimit",
    "result of half pairs": None,
    "two answers": None,
    "out of memory": "ActionOutOfMemory",
}


def liar(behaviour: str = "lies", limits: EngineLimits = LIMITS) -> ProcessEngine:
    def command(_: EngineLimits) -> Sequence[str]:
        return [sys.executable, "-I", "-S", str(HERE / "liar.py"), str(HERE.parents[1]), behaviour]

    return ProcessEngine(limits, spawner=Spawner(limits, command))


async def test_what_the_machine_takes_from_it_is_the_nodes_fault() -> None:
    async with liar() as engine:
        with pytest.raises(NodeError) as refused:
            await run(engine, "killed by the kernel")
        assert refused.value.code is ErrorCode.RUNNER_UNAVAILABLE
        assert refused.value.retry_after_s
    assert children() == []


@pytest.mark.parametrize("deed", OUTCOMES)
async def test_every_lie_has_an_end(deed: str) -> None:
    limits = LIMITS if OUTCOMES[deed] == StopReason.TIMEOUT else PATIENT
    async with liar(limits=limits) as engine:
        started = time.monotonic()
        outcome = await run(engine, deed)
        assert time.monotonic() - started < LIMITS.action_timeout_s + GRACE_S
        assert (outcome.error and outcome.error.name) == OUTCOMES[deed]
        if outcome.error:
            assert outcome.response is None
    assert children() == []


async def test_calls_are_counted_and_few_are_pending() -> None:
    limits = replace(LIMITS, host_calls=10_000, pending_host_calls=3, answer_backlog_bytes=1_000_000)
    host = EchoHost()
    async with liar(limits=limits) as engine:
        await run(engine, "deaf", host=host)
    # A megabyte of answers waits to be read, and what the socket's buffers took before it was full.
    assert 3 <= len(host.calls) < 500


STILLBORN = [
    *(
        f"{who} {fate}"
        for who in ("zygote", "unknown child", "child")
        for fate in ("dies", "complains", "is never ready")
    ),
    "child is somebody else",
]


@pytest.mark.parametrize("behaviour", STILLBORN)
async def test_what_does_not_start_is_the_nodes_fault(behaviour: str) -> None:
    with pytest.raises(NodeError) as refused:
        async with liar(behaviour, IMPATIENT):
            pass
    assert refused.value.code is ErrorCode.RUNNER_UNAVAILABLE
    assert "sandbox" not in refused.value.message
    assert children() == []


async def test_a_command_that_does_not_exist_is_the_nodes_fault() -> None:
    engine = ProcessEngine(LIMITS, spawner=Spawner(LIMITS, lambda _: ["/no/such/program"]))
    with pytest.raises(NodeError) as refused:
        async with engine:
            pass
    assert refused.value.code is ErrorCode.RUNNER_UNAVAILABLE

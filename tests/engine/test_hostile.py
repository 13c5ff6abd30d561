"""The hostile corpus: each file names its outcome and ends in time; others' actions are answered meanwhile, nothing stays."""

import asyncio
import json
import secrets
import time
from pathlib import Path

import pytest

from node.engine.admission.admission import Admission
from node.engine.port import ActionOutcome, StopReason
from node.engine.process_engine import ProcessEngine
from node.settings.execution import ActionSettings
from tests.engine.hosts import run
from tests.engine.processes import children, descriptors
from tests.support.settings import changed

CORPUS = sorted((Path(__file__).parent / "hostile").glob("*.js"))
LIMITS = ActionSettings(
    action_timeout_s=0.5, action_memory_bytes=64 << 20, action_spare_workers=2, action_host_calls=100
)
PATIENT = changed(LIMITS, action_timeout_s=15.0)
"""For those that must end otherwise: a busy machine takes its time to get there, the longer with the lowest priority."""
GRACE_S = 5.0
"""For a busy machine. The kernel's own limit, of processor time, is far beyond: it is not what ends an action here."""
GOOD = "async function main({ n, secret }) { globalThis.kept = secret; await null; return [n + 1, secret.length]; }"


def expected_of(code: str) -> str:
    return code.splitlines()[0].removeprefix("// expect: ")


def outcome_text(outcome: ActionOutcome) -> str:
    if outcome.error is not None:
        return outcome.error.name
    return "ok " + json.dumps(outcome.response, separators=(",", ":"), ensure_ascii=False)


def agrees(outcome: ActionOutcome, expected: str) -> bool:
    if expected.startswith("ok "):
        return outcome_text(outcome) == expected
    return outcome_text(outcome) in expected.split()


def test_the_corpus_is_there() -> None:
    assert len(CORPUS) >= 90


async def good_actions_until(engine: ProcessEngine, hostile: "asyncio.Task[ActionOutcome]", secret: str) -> int:
    """How many actions of somebody else were answered rightly meanwhile, each of them in time."""
    answered = 0
    while answered < 2 or not hostile.done():
        began = time.monotonic()
        good = await run(engine, GOOD, {"n": answered, "secret": secret})
        assert good.response == [answered + 1, len(secret)]
        assert time.monotonic() - began < GRACE_S
        answered += 1
    return answered


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: str(path.stem))
async def test_ends_in_time_and_disturbs_nobody(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, secret = path.read_text(), secrets.token_hex(16)
    limits, admission = LIMITS, Admission()
    if StopReason.TIMEOUT not in expected_of(code).split():
        with monkeypatch.context() as patched:
            patched.setattr("node.engine.admission.gate.FOREGROUND_S", PATIENT.action_timeout_s)
            limits, admission = PATIENT, Admission()
    before = descriptors()
    # Another engine for the others, whose time is longer, for a busy machine;
    async with ProcessEngine(limits, admission=admission) as engine, ProcessEngine(PATIENT) as neighbours:
        started = time.monotonic()
        hostile = asyncio.create_task(run(engine, code))
        others = asyncio.create_task(good_actions_until(neighbours, hostile, secret))
        outcome = await hostile
        assert time.monotonic() - started < limits.action_timeout_s + GRACE_S
        assert await others >= 2
        assert agrees(outcome, expected_of(code)), outcome
        assert (outcome.error is None) or outcome.response is None
        assert secret not in repr(outcome)
        assert len(outcome.logs.encode()) <= limits.action_log_bytes
        assert engine.running == 0
    assert children() == []
    assert descriptors() == before

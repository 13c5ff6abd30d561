"""The hostile corpus: each file names its outcome, ends in time, and a good action beside it answers meanwhile."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from node.engine.limits import EngineLimits
from node.engine.port import ActionOutcome
from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import run

CORPUS = sorted((Path(__file__).parent / "hostile").glob("*.js"))
LIMITS = EngineLimits(action_timeout_s=0.5, action_memory_bytes=64 << 20, idle_children=2, host_calls=100)
GRACE_S = 1.0
GOOD = "async function main({ n }) { await null; return n + 1; }"


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


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: str(path.stem))
async def test_ends_in_time_and_disturbs_nobody(path: Path) -> None:
    code = path.read_text()
    async with ProcessEngine(LIMITS) as engine:
        started = time.monotonic()
        hostile = asyncio.create_task(run(engine, code))
        good = await run(engine, GOOD, {"n": 1})
        assert good.response == 2
        outcome = await hostile
        assert time.monotonic() - started < LIMITS.action_timeout_s + GRACE_S
        assert agrees(outcome, expected_of(code)), outcome
        assert (outcome.error is None) or outcome.response is None
        assert (await run(engine, GOOD, {"n": 2})).response == 3

"""Hundreds of runs that are cancelled, stopped, refused and failed at any moment, while zygotes die: nothing is left of them."""

import asyncio
import os
import random
import signal
from collections.abc import Sequence
from contextlib import suppress

import pytest
from pydantic import JsonValue

from node.chain.errors import ChainUnavailableError
from node.engine.admission.admission import Admission
from node.engine.port import ActionOutcome, StopReason
from node.engine.process_engine import ProcessEngine
from node.errors import DomainError
from node.settings.execution import ActionSettings
from tests.engine.hosts import EchoHost, job_of
from tests.engine.processes import children, descriptors, until, zygotes

RUNS, AT_ONCE, ACCOUNTS, SPARE = 400, 60, 5, 3
MIB = 1024 * 1024
LIMITS = ActionSettings(action_timeout_s=0.3, action_spare_workers=SPARE)
ADMISSION = ActionSettings(
    action_queue_max=50,
    action_queue_wait_max_s=0.5,
    action_memory_together_bytes=200 * MIB,
)
CALL = "Svc.Actions.getPrivateKey({ pkpId: 'x' })"
CODES = (
    "function main() { return 1; }",
    "function main() { throw new Error('x'); }",
    "function main() { for (;;); }",
    f"async function main() {{ return await {CALL}; }}",
    f"async function main() {{ await Promise.all([{CALL}, {CALL}]); for (;;); }}",
    "const k = []; function main() { for (let i = 0; i < 30; i++) k.push(new Uint8Array(1 << 20).fill(1)); for (;;); }",
)


class FaultyHost(EchoHost):
    """Answers after a while, or is at fault."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self._chance = chance

    async def call(self, name: str, arguments: Sequence[JsonValue]) -> JsonValue:
        await asyncio.sleep(self._chance.random() * 0.01)
        match self._chance.randrange(10):
            case 0:
                raise ChainUnavailableError("no chain")
            case 1:
                raise RuntimeError("a fault of the node's")
            case _:
                return await super().call(name, arguments)


async def disturbed(engine: ProcessEngine, chance: random.Random) -> ActionOutcome | BaseException:
    """One run, which may be cancelled, twice too, or stopped, at any moment; how it ended."""
    stop: asyncio.Future[StopReason] = asyncio.get_running_loop().create_future()
    job = job_of(chance.choice(CODES), account=chance.randrange(ACCOUNTS))
    task = asyncio.create_task(engine.run(job, FaultyHost(chance), stop, lambda: None))
    if chance.random() < 0.6:
        await asyncio.wait([task], timeout=chance.choice([0, 0.0005, 0.002, 0.005, 0.02, 0.1, 0.3]))
        if chance.random() < 0.4:
            stop.set_result(chance.choice(list(StopReason)))
        for _ in range(chance.randrange(3)):
            task.cancel()
            await asyncio.sleep(0)
    if chance.random() < 0.01:
        for pid in zygotes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    (ending,) = await asyncio.gather(task, return_exceptions=True)
    return ending


async def answered(engine: ProcessEngine, account: int) -> bool:
    """Whether two actions of the account, at the same time, are."""
    job = job_of(CODES[0], account=account)
    both = [engine.run(job, EchoHost(), asyncio.get_running_loop().create_future(), lambda: None) for _ in "ab"]
    outcomes = await asyncio.gather(*both, return_exceptions=True)
    return all(isinstance(outcome, ActionOutcome) and outcome.response == 1 for outcome in outcomes)


@pytest.mark.exhaustive
async def test_whatever_happens_to_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.admission.admission.MEMORY_INTERVAL_S", 0.02)
    monkeypatch.setattr("node.engine.admission.guard.MEMORY_WAIT_S", 0.1)
    monkeypatch.setattr("node.engine.zygotes.ZYGOTE_FORKS_MAX", 30)
    monkeypatch.setattr("node.engine.workers.RUNS_MAX", 20)
    monkeypatch.setattr("node.engine.workers.IDLE_MAX_S", 0.3)
    chance = random.Random(20)
    before = descriptors()
    async with ProcessEngine(LIMITS, admission=Admission(ADMISSION)) as engine:
        some = asyncio.Semaphore(AT_ONCE)

        async def one() -> ActionOutcome | BaseException:
            async with some:
                return await disturbed(engine, chance)

        endings = await asyncio.gather(*(one() for _ in range(RUNS)))
        kinds = (ActionOutcome, DomainError, asyncio.CancelledError)
        assert [ending for ending in endings if not isinstance(ending, kinds)] == []
        assert all(
            any(isinstance(ending, kind) for ending in endings) for kind in (ActionOutcome, asyncio.CancelledError)
        )
        assert (engine.running, engine.waiting) == (0, 0)
        # Every place can be had again, and at last there are a zygote and its spare workers.
        for account in range(ACCOUNTS):
            async with asyncio.timeout(30):
                while not await answered(engine, account):  # a busy machine may need more than the time of one
                    pass
        await until(lambda: len(children()) == SPARE + 1)
    assert children() == []
    assert descriptors() == before

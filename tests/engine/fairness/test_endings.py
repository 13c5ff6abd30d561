"""An action that has what nobody else wants still ends at once when it is ended, whatever else is going on."""

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from node.engine.admission.admission import Admission
from node.engine.process_engine import ProcessEngine
from node.settings.execution import ActionSettings
from tests.engine.hosts import EchoHost, run
from tests.engine.processes import action_processes, children, until

HOLD_AND_LOOP = """async function main() {
  globalThis.kept = [];
  for (let i = 0; i < 60; i++) kept.push(new Uint8Array(1048576).fill(7));
  await Svc.Actions.getPrivateKey({ pkpId: "held" });
  for (;;);
}"""
BURNERS = 6
"""All on one processor, the actions' own: whatever else runs on this machine keeps the others."""
LATEST_S = 6.0
"""With the priority it had it takes some 0.1 s, with the lowest some 20 s."""


@contextlib.contextmanager
def burners() -> Iterator[None]:
    """Processes at the node's own priority that want the processor to which the actions, too, are bound."""
    processor = min(os.sched_getaffinity(0))
    for pid in action_processes():
        os.sched_setaffinity(pid, {processor})
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BURNERS)]
    try:
        for each in running:
            os.sched_setaffinity(each.pid, {processor})
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()


def policies() -> set[int]:
    return {os.sched_getscheduler(pid) for pid in action_processes()}


def may_restore() -> bool:
    """Whether this user may take a process out of the idle class: CAP_SYS_NICE, or a `nice` limit of 20 (sched(7))."""
    with subprocess.Popen(["/bin/sleep", "60"]) as process:
        try:
            os.sched_setscheduler(process.pid, os.SCHED_IDLE, os.sched_param(0))
            os.sched_setscheduler(process.pid, os.SCHED_OTHER, os.sched_param(0))
        except PermissionError:
            return False
        finally:
            process.kill()
    return True


@pytest.mark.skipif(not may_restore(), reason="the kernel lets this user restore no priority: see docs/monitoring.md")
async def test_what_is_killed_goes_at_once_however_busy_the_machine_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.admission.gate.FOREGROUND_S", 1.0)
    admission = Admission()
    async with ProcessEngine(ActionSettings(action_spare_workers=0), admission=admission) as engine:
        host = EchoHost()
        actions = [asyncio.create_task(run(engine, HOLD_AND_LOOP, host=host)) for _ in range(2)]
        await until(lambda: len(host.calls) == len(actions) and policies() == {os.SCHED_IDLE})
        with burners():
            began_at = time.monotonic()
            for action in actions:
                action.cancel()
            await asyncio.gather(*actions, return_exceptions=True)
            assert time.monotonic() - began_at < LATEST_S
        assert engine.running == 0
    assert children() == []

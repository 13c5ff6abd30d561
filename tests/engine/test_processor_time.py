"""An action's own use of the processor is its own, also where the node could not look after it in time."""

import asyncio
import time
from pathlib import Path

from node.engine.admission.admission import Admission
from node.engine.admission.limits import AdmissionLimits
from node.engine.limits import EngineLimits
from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import EchoHost, run
from tests.engine.processes import action_processes, until

LIMITS = EngineLimits(action_timeout_s=1.9, idle_children=0)
"""Long enough for two calls on a busy machine; of the processor's time an action has some two seconds more."""
AT_OWN_PRIORITY = AdmissionLimits(foreground_s=60.0)
"""With the lowest, it would not use up its time on a busy machine."""
LOOP = """async function main() {
  const call = () => Svc.Actions.getPrivateKey({ pkpId: "x" });
  await call();
  call();
  for (;;);
}"""


def has_ended(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


async def test_who_reaches_the_limit_of_processor_time_while_the_node_stands_still_is_no_fault_of_the_node() -> None:
    async with ProcessEngine(LIMITS, admission=Admission(AT_OWN_PRIORITY)) as engine:
        host = EchoHost()
        looping = asyncio.create_task(run(engine, LOOP, host=host))
        await until(lambda: len(host.calls) == 2)
        (pid,) = action_processes()
        deadline = time.monotonic() + 60
        while not has_ended(pid):
            assert time.monotonic() < deadline
            time.sleep(0.01)  # noqa: ASYNC251 - the node stands still: that is what is tested
        outcome = await looping
    assert outcome.error is not None
    assert outcome.error.name == "ActionTimeout"

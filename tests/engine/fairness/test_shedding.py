"""A worker that is told to end an action, and was taken over: it is ended itself, however it pretends to obey."""

from dataclasses import dataclass

import pytest
from prometheus_client import CollectorRegistry

from node.engine.admission import guard
from node.engine.admission.gate import AdmissionMetrics, Gate, Headroom
from node.engine.admission.guard import MemoryGuard
from node.engine.admission.memory import Measured
from node.settings.execution import ActionSettings

MIB = 1 << 20
LIMITS = ActionSettings(action_memory_reserve_bytes=100 * MIB)


@dataclass(eq=False)
class Worker:
    """Two actions, and what the node did to it."""

    pid: int = 1
    account: int = 7
    last_began_at: float = 0.0
    alive: bool = True
    fibers: int = 2
    obeys: bool = False
    is_shedding: bool = False
    told: int = 0
    killed: bool = False

    def shed(self) -> None:
        self.told += 1
        self.is_shedding = not self.obeys

    def kill_for_memory(self) -> None:
        self.killed = True


class NearlyNone:
    """Memory of a machine that has far too little."""

    def look(self) -> Measured:
        return Measured(1000 * MIB, 10 * MIB)


@pytest.mark.parametrize("obeys", [False, True])
def test_giving_back_a_page_at_a_time_is_not_obeying(monkeypatch: pytest.MonkeyPatch, *, obeys: bool) -> None:
    held_bytes = 900 * MIB

    def shrinking(_: int) -> int:
        nonlocal held_bytes
        held_bytes -= 4096
        return held_bytes

    worker = Worker(obeys=obeys)
    headroom, metrics = Headroom(LIMITS), AdmissionMetrics(CollectorRegistry())
    gate = Gate(LIMITS, headroom, metrics, foreground_max=16, places_max=10)
    watching = MemoryGuard(LIMITS, NearlyNone().look, gate, headroom, metrics)
    monkeypatch.setattr(guard, "anonymous_bytes", lambda _: 0)
    watching.watch(worker)
    monkeypatch.setattr(guard, "anonymous_bytes", shrinking)
    for _ in range(8):
        watching.look()
    assert worker.killed is not obeys
    assert worker.told > 1 if obeys else worker.told == 1

"""A client that hangs up while its action is being settled: charged once, counted as ended."""

import asyncio

import pytest

from node.ledger.port import Ledger
from tests.execution.bench import MASTER, Bench

pytestmark = pytest.mark.asyncio(loop_scope="module")


class SettlingGate:
    """Holds a ledger's settlements up until it is opened, as a disk would."""

    def __init__(self, ledger: Ledger) -> None:
        self.begun, self.open = asyncio.Event(), asyncio.Event()
        self._settle = ledger.settle

    async def settle(self, cause: str, amount_microdollars: int) -> None:
        self.begun.set()
        await self.open.wait()
        await self._settle(cause, amount_microdollars)


def ended(bench: Bench, result: str) -> float | None:
    return bench.registry.get_sample_value("svc_executions_total", {"result": result})


async def test_hanging_up_while_it_is_settled_charges_once_and_ends_the_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = SettlingGate(bench.ledger)
    monkeypatch.setattr(bench.ledger, "settle", gate.settle)
    running = asyncio.create_task(bench.run(MASTER, "function main() { return 1; }"))
    await gate.begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    gate.open.set()
    await bench.service.close()
    assert await bench.spent_cents() == 1
    assert bench.registry.get_sample_value("svc_executions_in_progress") == 0
    assert ended(bench, "ok") == 1


async def test_a_ledger_that_fails_does_not_leave_the_run_counted_as_running(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def settle(_cause: str, _amount_microdollars: int) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(bench.ledger, "settle", settle)
    with pytest.raises(RuntimeError):
        await bench.run(MASTER, "function main() { return 1; }")
    assert bench.registry.get_sample_value("svc_executions_in_progress") == 0
    assert ended(bench, "ok") == 1

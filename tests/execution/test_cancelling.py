"""A client that hangs up while its action is being settled, a ledger that fails: charged once or not, counted as ended."""

import asyncio

import pytest

from node.api.errors import ErrorCode, as_node_error
from node.errors import DomainError
from node.ledger.port import Balance, Ledger, Usage
from tests.execution.bench import MASTER, Bench, World, bench_over

pytestmark = pytest.mark.asyncio(loop_scope="module")


class SettlingGate:
    """Holds a ledger's settlements up until it is opened, as a disk would."""

    def __init__(self, ledger: Ledger) -> None:
        self.begun, self.open = asyncio.Event(), asyncio.Event()
        self._settle = ledger.settle

    async def settle(self, cause: str, amount_microdollars: int, usage: Usage) -> int:
        self.begun.set()
        await self.open.wait()
        return await self._settle(cause, amount_microdollars, usage)


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
    async def settle(_cause: str, _amount_microdollars: int, _usage: Usage) -> int:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(bench.ledger, "settle", settle)
    with pytest.raises(DomainError) as fault:
        await bench.run(MASTER, "function main() { return 1; }")
    assert as_node_error(fault.value).code is ErrorCode.INTERNAL_ERROR
    assert "disk" not in repr((fault.value.message, as_node_error(fault.value).fix, fault.value.details))
    assert bench.registry.get_sample_value("svc_executions_in_progress") == 0
    assert ended(bench, "ok") == 1


@pytest.mark.exhaustive
async def test_a_second_whose_credit_is_being_set_aside_at_the_end_is_paid(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ledger in another process does what it was asked, though whoever asked was cancelled."""
    poor = await bench_over(world, cents=2)
    extend, asked, late = poor.ledger.extend, list[asyncio.Task[None]](), asyncio.Event()

    async def slowly(cause: str, amount_microdollars: int, cap_microdollars: int | None) -> None:
        await late.wait()
        await extend(cause, amount_microdollars, cap_microdollars)

    async def extend_late(cause: str, amount_microdollars: int, cap_microdollars: int | None = None) -> None:
        asked.append(asyncio.create_task(slowly(cause, amount_microdollars, cap_microdollars)))
        await asyncio.shield(asked[-1])

    monkeypatch.setattr(poor.ledger, "extend", extend_late)
    asyncio.get_running_loop().call_later(1.6, late.set)
    answer = await poor.run(MASTER, "const main = () => new Promise((resolve) => setTimeout(resolve, 1100, 1));")
    assert answer.response == 1
    assert answer.charged_cents == 2
    assert (await poor.ledger.balance(MASTER)) == Balance(0, 0)
    await asyncio.gather(*asked, return_exceptions=True)


async def test_hanging_up_and_stopping_while_a_killed_run_is_settled_charges_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = SettlingGate(bench.ledger)
    monkeypatch.setattr(bench.ledger, "settle", gate.settle)
    running = asyncio.create_task(bench.run(MASTER, "function main() { for (;;); }"))
    async with asyncio.timeout(10):
        while not bench.world.engine.running:  # noqa: ASYNC110 - the engine's own count can only be looked at
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    running.cancel()
    await gate.begun.wait()
    closing = asyncio.create_task(bench.service.close())
    await asyncio.sleep(0)
    gate.open.set()
    await closing
    assert await bench.spent_cents() == 1
    assert ended(bench, "cancelled") == 1

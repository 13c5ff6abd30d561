"""What the node does wrong while an action runs: an error inside the action where it lives, and what ran is charged."""

import asyncio
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs

from node.api.errors import ErrorCode, NodeError, as_node_error
from node.engine.process_engine import ProcessEngine
from node.errors import DomainError
from node.execution.host_calls import Derivation
from node.execution.models import SvcActionAnswer
from node.ledger.port import Usage
from node.settings.execution import ActionSettings
from tests.execution.bench import CAPPED, IN_ANY, MASTER, Bench, World, bench_over
from tests.support.forged_views import asked_view
from tests.support.lies import Ask, Outcome, per_call
from tests.support.rpc_proxy import Behaviour, drop, honest, refusing, saying

pytestmark = pytest.mark.asyncio(loop_scope="module")

WORKS_FIRST = """async function main({ pkpId, ms }) {
  console.log("worked");
  const end = Date.now() + ms;
  while (Date.now() < end);
  return Svc.Actions.signMessage({ pkpId, message: "m" });
}"""
CATCHES = """async function main({ pkpId }) {
  try { await Svc.Actions.signMessage({ pkpId, message: "m" }); } catch (error) { return [error.name, error.message, error instanceof Error]; }
}"""
LOOPS = "function main() { for (;;); }"
NO_ALLOWANCE = ActionSettings(action_uncharged_s_per_hour=0)


async def _out_of_gas(method: str, params: list[Any], ask: Ask) -> Outcome:
    """A provider whose `eth_call` cap is too small for one decision: every other view is computed."""
    view = asked_view(params[0]) if method == "eth_call" else None
    if view is not None and view.name == "authorisation" and view.arguments[-1]:
        return {"error": {"code": -32000, "message": "out of gas"}}
    return await ask(method, *params)


FAULTS: dict[str, Behaviour] = {
    "decision out of gas": per_call(_out_of_gas),
    "provider refuses": refusing(-32005, "limit exceeded"),
    "provider answers 500": saying(b"no", 500),
    "provider answers nonsense": saying(b"{"),
    "provider drops the connection": drop,
}


async def ran(bench: Bench, fault: str, code: str, caller: int = MASTER, ms: int = 0) -> SvcActionAnswer:
    """Run while the chain fails from the action's beginning on; what was decided before is not asked again."""
    bench.once_set_aside(lambda: setattr(bench.world.proxy, "behaviour", FAULTS[fault]))
    try:
        return await bench.run(caller, code, {"pkpId": bench.world.third, "ms": ms})
    finally:
        bench.world.proxy.behaviour = honest


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_chain_that_fails_is_an_error_that_the_action_can_catch(bench: Bench, fault: str) -> None:
    answer = await ran(bench, fault, CATCHES, IN_ANY)
    assert isinstance(answer.response, list), answer
    name, message, is_error = answer.response
    assert (name, is_error) == ("ChainUnavailable", True)
    assert "charged" not in str(message), "the action runs on, and is charged"
    assert answer.charged_cents == math.ceil(answer.duration_ms / 1000)
    assert await bench.spent_cents() == answer.charged_cents


@pytest.mark.exhaustive
@pytest.mark.parametrize("fault", FAULTS)
async def test_work_before_a_call_that_fails_is_charged_each_time(bench: Bench, fault: str) -> None:
    for times in (1, 2):
        answer = await ran(bench, fault, WORKS_FIRST, IN_ANY, ms=1050)
        assert answer.error is not None
        assert (answer.error.name, answer.logs, answer.response) == ("ChainUnavailable", "worked", None)
        assert answer.charged_cents == math.ceil(answer.duration_ms / 1000) >= 2
        assert await bench.spent_cents() >= 2 * times


async def test_a_keys_cap_counts_runs_that_a_fault_ended(bench: Bench) -> None:
    for _ in range(2):
        answer = await ran(bench, "decision out of gas", WORKS_FIRST, CAPPED)
        assert answer.error is not None
        assert answer.charged_cents == 1
    with pytest.raises(DomainError) as refused:
        await ran(bench, "decision out of gas", WORKS_FIRST, CAPPED)
    assert as_node_error(refused.value).code is ErrorCode.PAYMENT_REQUIRED
    assert await bench.spent_cents() == 2


@pytest.mark.parametrize("bug", [RuntimeError("0xsecret"), NodeError(ErrorCode.INTERNAL_ERROR, "0xsecret")], ids=type)
async def test_a_bug_in_the_nodes_part_of_a_call_is_an_error_inside_the_action(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, bug: Exception
) -> None:
    def broken(*_: object) -> None:
        raise bug

    monkeypatch.setattr(Derivation, "key_of", broken)
    with capture_logs() as lines:
        answer = await bench.run(MASTER, CATCHES, {"pkpId": 1})
    assert isinstance(answer.response, list), answer
    assert answer.response[0] == "NodeFault"
    assert answer.charged_cents == 1
    assert [line["log_level"] for line in lines if line["event"] == "host_call_failed"] == ["error"]
    assert "0xsecret" not in repr(answer)


class LedgerFault:
    """A ledger whose `failing` calls raise until `mended`."""

    def __init__(self, bench: Bench, monkeypatch: pytest.MonkeyPatch, *failing: str) -> None:
        self.out = True
        self.met = asyncio.Event()
        for name in failing:
            monkeypatch.setattr(bench.ledger, name, self._failing(getattr(bench.ledger, name)))

    def _failing(self, honest: Callable[..., Any]) -> Callable[..., Any]:
        async def call(*arguments: object) -> object:
            if self.out:
                self.met.set()
                raise NodeError(ErrorCode.BILLING_UNAVAILABLE, "The ledger is out.", retry_after_s=3)
            return await honest(*arguments)

        return call


def ran_s_of(fault: DomainError) -> float:
    ran_ms = fault.details["ran_ms"]
    assert isinstance(ran_ms, float)
    return ran_ms / 1000


def charged_cents_of(fault: DomainError) -> int:
    charged_cents = fault.details["charged_cents"]
    assert isinstance(charged_cents, int)
    return charged_cents


async def comes_to(bench: Bench, cents: int) -> None:
    """Until so much is spent and nothing is set aside."""
    async with asyncio.timeout(20):
        while (await bench.ledger.balance(MASTER)).reserved_microdollars:  # noqa: ASYNC110 - the ledger's own balance
            await asyncio.sleep(0.01)
    assert await bench.spent_cents() == cents


async def test_a_ledger_that_goes_out_ends_the_run_and_the_allowance_covers_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    LedgerFault(bench, monkeypatch, "extend")
    with pytest.raises(DomainError) as fault:
        await bench.run(MASTER, LOOPS)
    assert as_node_error(fault.value).code is ErrorCode.BILLING_UNAVAILABLE
    assert (fault.value.details["charged_cents"], fault.value.retry_after_s) == (0, 3)
    assert await bench.spent_cents() == 0


async def test_a_run_whose_next_second_met_an_outage_does_not_wait_for_the_same_outage_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = await bench_over(world)
    LedgerFault(bench, monkeypatch, "extend")
    release, is_back = bench.ledger.release, asyncio.Event()

    async def patient(cause: str) -> None:
        await is_back.wait()
        await release(cause)

    monkeypatch.setattr(bench.ledger, "release", patient)
    with pytest.raises(DomainError) as fault:
        async with asyncio.timeout(10):
            await bench.run(MASTER, LOOPS)
    assert fault.value.details["charged_cents"] == 0
    is_back.set()
    await bench.service.close()
    assert (await bench.ledger.balance(MASTER)).reserved_microdollars == 0


async def test_beyond_the_allowance_it_is_charged(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = await bench_over(world, limits=NO_ALLOWANCE)
    LedgerFault(bench, monkeypatch, "extend")
    with pytest.raises(DomainError) as fault:
        await bench.run(MASTER, LOOPS)
    assert fault.value.details["charged_cents"] == 1
    assert "1 cent" in as_node_error(fault.value).fix  # type: ignore[operator]
    assert await bench.spent_cents() == 1


@pytest.mark.exhaustive
async def test_the_allowance_is_one_for_all_faults_of_an_account(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = await bench_over(world, limits=ActionSettings(action_uncharged_s_per_hour=1.5))
    LedgerFault(bench, monkeypatch, "extend")
    left_s, charged_cents = 1.5, 0
    for key in (MASTER, IN_ANY, MASTER):  # new usage keys bring no new allowance
        with pytest.raises(DomainError) as fault:
            await bench.run(key, LOOPS)
        ran_s = ran_s_of(fault.value)
        assert fault.value.details["charged_cents"] == math.ceil(max(0.0, ran_s - left_s)), "it ran some 0.9 seconds"
        left_s = max(0.0, left_s - ran_s)
        charged_cents += charged_cents_of(fault.value)
    assert await bench.spent_cents() == charged_cents >= 2


async def test_of_a_longer_run_the_allowance_covers_its_seconds(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = await bench_over(world, limits=ActionSettings(action_uncharged_s_per_hour=1.0))
    ledger = LedgerFault(bench, monkeypatch, "settle")
    with pytest.raises(DomainError) as fault:
        await bench.run(MASTER, "const main = () => new Promise((resolve) => setTimeout(resolve, 1100, 1));")
    assert fault.value.details["charged_cents"] is None, "the ledger has not said it"
    ledger.out = False
    await bench.service.close()
    assert await bench.spent_cents() == math.ceil(ran_s_of(fault.value)) - 1


async def test_what_was_set_aside_for_a_run_that_never_began_is_released_when_the_ledger_is_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ProcessEngine(ActionSettings(action_spare_workers=0)) as slow:
        bench = await bench_over(replace(world, engine=slow))
        ledger = LedgerFault(bench, monkeypatch, "release")
        running = asyncio.create_task(bench.run(MASTER, LOOPS))
        while not slow.running:  # noqa: ASYNC110 - the engine's own count; the fork takes longer than a turn
            await asyncio.sleep(0)
        await bench.service.stop()
        with pytest.raises(DomainError) as refused:
            await running
        assert as_node_error(refused.value).code is ErrorCode.RUNNER_UNAVAILABLE, "not what became of its reservation"
        ledger.out = False
        await bench.service.close()
        assert await bench.spent_cents() == 0


@pytest.mark.parametrize("hangs_up", [False, True])
async def test_what_could_not_be_charged_is_charged_when_the_ledger_is_back(
    world: World, monkeypatch: pytest.MonkeyPatch, hangs_up: bool
) -> None:
    bench = await bench_over(world, limits=NO_ALLOWANCE)
    fault = LedgerFault(bench, monkeypatch, "settle", "release")
    running = asyncio.create_task(bench.run(MASTER, LOOPS if hangs_up else "function main() { return 1; }"))
    if hangs_up:
        async with asyncio.timeout(10):
            while not bench.world.engine.running:  # noqa: ASYNC110 - the engine's own count can only be looked at
                await asyncio.sleep(0.01)
        running.cancel()
    with pytest.raises(asyncio.CancelledError if hangs_up else NodeError) as ended:
        await running
    async with asyncio.timeout(10):
        await fault.met.wait()
    assert (await bench.ledger.balance(MASTER)).reserved_microdollars == 10_000
    if isinstance(ended.value, DomainError):
        shown = as_node_error(ended.value)
        assert (shown.code, shown.details["charged_cents"]) == (ErrorCode.BILLING_UNAVAILABLE, None)
        assert "the statement shows it" in shown.message
    fault.out = False
    await comes_to(bench, 1)
    await bench.service.close()


async def test_a_service_that_closes_charges_what_waits_for_the_ledger(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = await bench_over(world, limits=NO_ALLOWANCE)
    fault = LedgerFault(bench, monkeypatch, "settle")
    with pytest.raises(DomainError):
        await bench.run(MASTER, "function main() { return 1; }")
    fault.out = False
    await bench.service.close()
    assert await bench.spent_cents() == 1


async def test_a_charge_whose_answer_was_lost_is_entered_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = await bench_over(world, limits=NO_ALLOWANCE)
    settle, lost = bench.ledger.settle, [True]

    async def settle_unheard(cause: str, amount_microdollars: int, usage: Usage) -> int:
        taken = await settle(cause, amount_microdollars, usage)
        if lost:
            lost.clear()
            raise NodeError(ErrorCode.BILLING_UNAVAILABLE, "The ledger is out.")
        return taken

    monkeypatch.setattr(bench.ledger, "settle", settle_unheard)
    with pytest.raises(DomainError) as fault:
        await bench.run(MASTER, "function main() { return 1; }")
    assert fault.value.details["charged_cents"] == 1
    await bench.service.close()
    assert await bench.spent_cents() == 1

"""Calls that wait for their turn: nothing else of the action waits with them, and each is answered."""

import asyncio
from collections.abc import Sequence

import pytest
from pydantic import JsonValue

from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import LIMITS, run
from tests.engine.processes import until
from tests.support.settings import changed


@pytest.fixture(autouse=True)
def _few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.calls.PENDING_CALLS_MAX", 2)


class Gate:
    """Every call waits until it is opened, but for `fetchAbort`, which is answered."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.calls: list[tuple[str, JsonValue]] = []
        self.most = 0
        self._inside = 0

    async def call(self, name: str, arguments: Sequence[JsonValue]) -> JsonValue:
        self.calls.append((name, arguments[0]))
        if name == "fetchAbort":
            return True
        self._inside += 1
        self.most = max(self.most, self._inside)
        await self.open.wait()
        self._inside -= 1
        return arguments[0]


async def test_an_action_that_has_ended_is_answered_whatever_it_left_pending() -> None:
    code = "function main() { for (let i = 0; i < 9; i += 1) Svc.Actions.getPrivateKey({ i }); return 'done'; }"
    async with ProcessEngine(LIMITS) as engine:
        outcome = await run(engine, code, host=Gate())
    assert (outcome.response, outcome.error) == ("done", None)
    assert outcome.duration_ms < 5000


@pytest.mark.exhaustive
async def test_logs_after_calls_that_wait_are_kept() -> None:
    code = (
        "async function main() { const calls = []; for (let i = 0; i < 9; i += 1) calls.push(Svc.Actions.signMessage({ i }));"
        " console.log('after'); await Promise.all(calls); }"
    )
    gate = Gate()
    limits = changed(LIMITS, action_timeout_s=3.0)
    async with ProcessEngine(limits) as engine:
        outcome = await run(engine, code, host=gate)
    assert outcome.error is not None
    assert outcome.error.name == "ActionTimeout"
    assert outcome.logs == "after"
    assert gate.most == 2


async def test_each_call_that_waited_is_answered_in_its_turn() -> None:
    code = (
        "async function main() { const calls = []; for (let i = 0; i < 50; i += 1) calls.push(Svc.Actions.signMessage({ i }));"
        " return (await Promise.all(calls)).map(({ i }) => i); }"
    )
    gate = Gate()
    async with ProcessEngine(LIMITS) as engine:
        running = asyncio.create_task(run(engine, code, host=gate))
        await until(lambda: len(gate.calls) == 2)
        gate.open.set()
        assert (await running).response == list(range(50))
    assert [request for _, request in gate.calls] == [{"i": i} for i in range(50)]
    assert gate.most == 2


@pytest.mark.parametrize("aborted", [0, 7])
async def test_an_abort_waits_behind_no_request_and_ends_one_that_waits(aborted: int) -> None:
    code = (
        "async function main({ aborted }) { const all = []; for (let i = 0; i < 8; i += 1) {"
        " const controller = new AbortController();"
        " all.push([controller, fetch('http://example.org/' + i, { signal: controller.signal }).then(() => 'got', (e) => e.name)]); }"
        " all[aborted][0].abort(); return await all[aborted][1]; }"
    )
    gate = Gate()
    async with ProcessEngine(LIMITS) as engine:
        outcome = await run(engine, code, {"aborted": aborted}, host=gate)
    assert outcome.response == "AbortError"


async def test_a_request_that_was_ended_before_its_turn_is_never_made() -> None:
    code = (
        "async function main() { const held = [Svc.Actions.getPrivateKey({}), Svc.Actions.getPrivateKey({})];"
        " const controller = new AbortController();"
        " const ended = fetch('http://example.org/', { signal: controller.signal }).catch((error) => error.name);"
        " controller.abort(); await Promise.all(held); return await ended; }"
    )
    gate = Gate()
    async with ProcessEngine(LIMITS) as engine:
        running = asyncio.create_task(run(engine, code, host=gate))
        await until(lambda: any(name == "fetchAbort" for name, _ in gate.calls))
        gate.open.set()
        assert (await running).response == "AbortError"
    assert "fetch" not in [name for name, _ in gate.calls]


async def test_a_line_that_is_full_is_read_on_as_it_empties() -> None:
    code = (
        "async function main() { const calls = []; for (let i = 0; i < 60; i += 1)"
        " calls.push(Svc.Actions.signMessage({ message: 'x'.repeat(100000) }));"
        " console.log('all asked'); return (await Promise.all(calls)).length; }"
    )
    gate = Gate()
    # Megabytes of calls are paced by the account's share of the node's processor time.
    async with ProcessEngine(changed(LIMITS, action_timeout_s=60.0)) as engine:
        running = asyncio.create_task(run(engine, code, host=gate))
        await until(lambda: len(gate.calls) == 2)
        gate.open.set()
        outcome = await running
    assert (outcome.response, outcome.logs, outcome.error) == (60, "all asked", None)

"""The processor time that one action may take of the node: bounded for the action, and a share of it for its account."""

import asyncio
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from pydantic import JsonValue

from node.engine.frames import FrameError, oversized_call
from node.engine.process_engine import ProcessEngine
from node.runtime.processor_time import BURST_S, COSTLY_S, SHARE, TRACKED_CLIENTS, TURN_S, ProcessorShares
from node.settings.execution import ActionSettings
from tests.engine.hosts import EchoHost, run

CALL_FOR_EVER = """async function main() {
  console.log("begun");
  for (;;) await Svc.Actions.signMessage({ message: "a".repeat(100000) });
}"""
LONG = """async function main({ name, length }) {
  try { return (await Svc.Actions[name]({ message: "a".repeat(length) })).name; } catch (error) { return error.name; }
}"""


class Clock:
    """Time that passes only when a test says so."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


async def test_an_action_that_takes_more_of_the_node_than_it_may_is_ended_with_that_name() -> None:
    limits = ActionSettings(
        action_spare_workers=0, action_host_time_s=0.02, action_host_calls=100_000, action_timeout_s=60
    )
    async with ProcessEngine(limits) as engine:
        outcome = await run(engine, CALL_FOR_EVER)
    assert outcome.error is not None
    assert outcome.error.name == "ActionHostTimeLimit"
    assert "0.02 seconds of processor time" in outcome.error.message
    assert outcome.logs == "begun"


async def test_the_time_an_answer_is_waited_for_is_not_the_actions() -> None:
    class SlowHost(EchoHost):
        async def call(self, name: str, arguments: Sequence[JsonValue]) -> JsonValue:
            await asyncio.sleep(0.3)
            return await super().call(name, arguments)

    limits = ActionSettings(action_spare_workers=0, action_host_time_s=0.2, action_timeout_s=60)
    code = "async function main() { await Svc.Actions.getPrivateKey({ pkpId: 1 }); return 'done'; }"
    async with ProcessEngine(limits) as engine:
        assert (await run(engine, code, host=SlowHost())).response == "done"


@pytest.mark.parametrize(
    ("name", "length", "answered"),
    [
        ("signMessage", 1_000_000, "signMessage"),
        ("signMessage", 2_000_000, "BadRequest"),
        ("Encrypt", 2_000_000, "Encrypt"),
    ],
)
async def test_only_what_is_encrypted_or_fetched_may_be_megabytes(name: str, length: int, answered: str) -> None:
    host = EchoHost()
    async with ProcessEngine(ActionSettings(action_spare_workers=0)) as engine:
        outcome = await run(engine, LONG, {"name": name, "length": length}, host)
    assert outcome.response == answered
    assert [called for called, _ in host.calls] == ([name] if answered == name else [])


@pytest.mark.parametrize(
    "argument",
    ["Array(900).fill().reduce((inner) => [inner], 1)", "Array(30_000).fill(1)", "'x'.repeat(2_000_000)"],
    ids=["deep", "many values", "long"],
)
async def test_a_call_that_no_function_takes_is_an_error_the_action_can_catch(argument: str) -> None:
    """The node took it for the work of a process that was taken over, and ended it with all its runs."""
    code = f"""const main = () => Svc.Actions.signMessage({{ message: {argument} }}).catch((error) => error.name)"""
    host = EchoHost()
    async with ProcessEngine(ActionSettings(action_spare_workers=0)) as engine:
        outcome = await run(engine, code, host=host)
    assert (outcome.response, host.calls) == ("BadRequest", [])


@pytest.mark.parametrize(
    "head", [b'[ 1,"fetch",', b'["fetch",1,', b'[1,"fetch ",', b"{}", b'[1234567890,"fetch",', b"[1,fetch,"]
)
def test_a_long_call_that_no_honest_process_writes_ends_the_action(head: bytes) -> None:
    with pytest.raises(FrameError):
        oversized_call(head + b" " * 2_000_000)


def test_who_has_used_more_than_its_share_waits_and_nobody_else() -> None:
    clock = Clock()
    shares = ProcessorShares(clock)
    assert shares.wait_s("greedy", 0) <= 0
    shares.of("greedy").spend(BURST_S)
    assert shares.wait_s("greedy", 0) <= 0
    shares.of("greedy").spend(0.1)
    assert shares.wait_s("greedy", 0) == pytest.approx(0.1 / SHARE)
    assert shares.wait_s("other", 0) <= 0
    clock.now_s += 0.1 / SHARE
    assert shares.wait_s("greedy", 0) <= 1e-9
    clock.now_s += 1000
    shares.of("greedy").spend(BURST_S + 0.1)
    assert shares.wait_s("greedy", 0) == pytest.approx(0.1 / SHARE), "what was not used long ago is not saved up"


def test_small_pieces_in_any_number_are_no_reason_to_wait() -> None:
    shares = ProcessorShares(Clock())
    spent: list[float] = []
    client = shares.of("small", spent.append)
    for _ in range(10_000):
        client.spend(COSTLY_S / 2)
    assert shares.wait_s("small", 0) <= 0
    assert sum(spent) == pytest.approx(10_000 * COSTLY_S / 2), "an action's own budget counts them"


def test_clients_that_owe_nothing_are_forgotten_and_debtors_are_not() -> None:
    clock = Clock()
    shares = ProcessorShares(clock)
    for client in range(2 * TRACKED_CLIENTS):
        shares.spend(client, 0.001)
        clock.now_s += 0.001
    shares.spend("debtor", 100.0)
    for client in range(2 * TRACKED_CLIENTS):
        shares.spend(client, 0.001)
        clock.now_s += 0.001
    assert len(shares.full_at) <= TRACKED_CLIENTS
    assert shares.wait_s("debtor", 0) > 0


@pytest.mark.parametrize("piece_s", [0.0, 0.004])
async def test_those_who_wait_for_the_same_share_go_one_after_another(
    monkeypatch: pytest.MonkeyPatch, piece_s: float
) -> None:
    clock, pause = Clock(), asyncio.sleep

    async def sleep(seconds: float) -> None:
        until_s = clock.now_s + seconds
        while clock.now_s < until_s:
            await pause(0)

    monkeypatch.setattr("node.runtime.processor_time.asyncio.sleep", sleep)
    shares = ProcessorShares(clock)
    shares.spend("account", BURST_S + 0.02)
    began_at: list[float] = []

    async def work() -> None:
        client = shares.of("account")
        await client.turn()
        began_at.append(clock.now_s)
        client.spend(piece_s)

    waiting = [asyncio.create_task(work()) for _ in range(4)]
    for _ in range(1000):
        clock.now_s += 0.001
        for _ in range(4):
            await pause(0)
    assert [task.done() for task in waiting] == [True] * 4
    gaps = [later - earlier for earlier, later in pairwise(began_at)]
    assert gaps == pytest.approx([(TURN_S + piece_s) / SHARE] * 3, abs=0.0015), "each waits for the one before"


async def test_what_an_action_sends_is_read_when_the_share_of_its_account_allows() -> None:
    used_s = BURST_S + 0.06
    ended_at: list[float] = []

    class CostlyHost(EchoHost):
        async def call(self, name: str, arguments: Sequence[JsonValue]) -> JsonValue:
            until_s = time.thread_time() + used_s
            while time.thread_time() < until_s:
                pass
            ended_at.append(time.monotonic())
            return await super().call(name, arguments)

    code = "async function main() { await Svc.Actions.getPrivateKey({ pkpId: 1 }); return 'done'; }"
    async with ProcessEngine(ActionSettings(action_spare_workers=0)) as engine:
        assert (await run(engine, code, host=CostlyHost())).response == "done"
    assert time.monotonic() - ended_at[0] >= 0.06 / SHARE


async def test_what_a_coroutine_raises_and_is_cancelled_with_passes_through() -> None:
    spent: list[float] = []
    client = ProcessorShares().of("account", spent.append)

    async def fail() -> None:
        await asyncio.sleep(0)
        raise FileNotFoundError

    with pytest.raises(FileNotFoundError):
        await client.counted(fail())
    assert len(spent) == 2

    cleaned_up = asyncio.Event()

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cleaned_up.set()

    async def counted() -> None:
        await client.counted(wait())

    task = asyncio.create_task(counted())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cleaned_up.is_set()


async def test_work_in_a_thread_is_counted_also_where_it_fails() -> None:
    spent: list[float] = []
    client = ProcessorShares().of("account", spent.append)
    with pytest.raises(FileNotFoundError):
        await client.in_thread(Path("/nowhere/at/all").read_text)
    assert await client.in_thread(lambda: sum(range(200_000))) == 19_999_900_000
    assert spent[1] > spent[0] > 0

"""The processor time that one action may take of the node: bounded for the action, and a share of it for its account."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic import JsonValue

from node.engine.frames import FrameError, oversized_call
from node.engine.limits import EngineLimits
from node.engine.process_engine import ProcessEngine
from node.processor_time import BURST_S, COSTLY_S, SHARE, TRACKED_CLIENTS, ProcessorShares
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
    limits = EngineLimits(idle_children=0, host_time_s=0.02, host_calls=100_000, action_timeout_s=60)
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

    limits = EngineLimits(idle_children=0, host_time_s=0.2, action_timeout_s=60)
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
    async with ProcessEngine(EngineLimits(idle_children=0)) as engine:
        outcome = await run(engine, LONG, {"name": name, "length": length}, host)
    assert outcome.response == answered
    assert [called for called, _ in host.calls] == ([name] if answered == name else [])


@pytest.mark.parametrize(
    "head", [b'[ 1,"fetch",', b'["fetch",1,', b'[1,"fetch ",', b"{}", b'[1234567890,"fetch",', b"[1,fetch,"]
)
def test_a_long_call_that_no_honest_process_writes_ends_the_action(head: bytes) -> None:
    with pytest.raises(FrameError):
        oversized_call(head + b" " * 2_000_000)


def test_who_has_used_more_than_its_share_waits_and_nobody_else() -> None:
    clock = Clock()
    shares = ProcessorShares(clock)
    assert shares.wait_s("greedy") <= 0
    shares.of("greedy").spend(BURST_S)
    assert shares.wait_s("greedy") <= 0
    shares.of("greedy").spend(0.1)
    assert shares.wait_s("greedy") == pytest.approx(0.1 / SHARE)
    assert shares.wait_s("other") <= 0
    clock.now_s += 0.1 / SHARE
    assert shares.wait_s("greedy") <= 1e-9
    clock.now_s += 1000
    shares.of("greedy").spend(BURST_S + 0.1)
    assert shares.wait_s("greedy") == pytest.approx(0.1 / SHARE), "what was not used long ago is not saved up"


def test_small_pieces_in_any_number_are_no_reason_to_wait() -> None:
    shares = ProcessorShares(Clock())
    spent: list[float] = []
    client = shares.of("small", spent.append)
    for _ in range(10_000):
        client.spend(COSTLY_S / 2)
    assert shares.wait_s("small") <= 0
    assert sum(spent) == pytest.approx(10_000 * COSTLY_S / 2), "an action's own budget counts them"


def test_clients_that_owe_nothing_are_forgotten() -> None:
    clock = Clock()
    shares = ProcessorShares(clock)
    for client in range(2 * TRACKED_CLIENTS):
        shares.spend(client, 0.001)
        clock.now_s += 0.001
    shares.spend("debtor", 100.0)
    for client in range(2 * TRACKED_CLIENTS):
        shares.spend(client, 0.001)
        clock.now_s += 0.001
    assert len(shares._paid_at) <= TRACKED_CLIENTS + 1
    assert shares.wait_s("debtor") > 0


async def test_those_who_wait_for_the_same_share_go_one_after_another() -> None:
    shares = ProcessorShares()
    shares.spend("account", BURST_S + 0.02)
    began_at: list[float] = []
    loop = asyncio.get_running_loop()

    async def work() -> None:
        await shares.of("account").turn()
        began_at.append(loop.time())
        shares.spend("account", 0.004)

    await asyncio.gather(*(work() for _ in range(4)))
    assert began_at[-1] - began_at[0] >= 3 * 0.004 / SHARE - 0.01, "all began when the first might"


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

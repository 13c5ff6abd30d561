"""The parts `make bench` measures actions with: the load generator, and baselines that really do the work."""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.actions import engine_alone
from benchmarks.actions.closed_loop import Round, Target, each_once, in_turn, median_of, one_round, repeated
from benchmarks.actions.comparison import ETHERS, vm_server
from benchmarks.actions.kinds import ETHERS_SIGNED, TRIVIAL, Kind
from benchmarks.actions.lines import lines_of
from benchmarks.aims import Aim
from benchmarks.origin import Served
from benchmarks.processes import tree_cpu_s
from benchmarks.wire import Answer, Connection, post
from tests.execution.bench import recovered
from tests.support.node import REPOSITORY

KEY_ADDRESS = "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"
"""Of the private key of 32 bytes 0x11, with which the baselines sign."""


@pytest.fixture(scope="module")
def vm() -> Iterator[Served]:
    with vm_server() as server:
        yield server


def target(server: Served, kind: Kind) -> Target:
    request = post(server.url, {"code": kind.code, "js_params": {}})
    return Target("baseline", server.url, [request], lambda: tree_cpu_s(server.pid))


async def asked(server: Served, kind: Kind) -> Answer:
    connection = await Connection.open(server.url)
    answer = await connection.ask(post(server.url, {"code": kind.code, "js_params": {}}))
    connection.close()
    return answer


def signature(answer: Answer) -> str:
    return answer.body.decode().partition('"response":')[2].partition('"')[2].partition('"')[0]


async def test_a_round_counts_what_was_answered(vm: Served) -> None:
    measured = await one_round(target(vm, TRIVIAL), TRIVIAL.answered, concurrency=4, seconds=0.3)
    assert measured.per_second > 1
    assert 0 < measured.p50_ms <= measured.p99_ms
    assert measured.cpu_ms > 0


async def test_a_wrong_answer_is_no_figure(vm: Served) -> None:
    failing = Kind("throws", "function main() { throw new Error('no'); }", lambda _: True)
    with pytest.raises(AssertionError, match="baseline: 200"):
        await one_round(target(vm, failing), failing.answered, concurrency=1, seconds=0.1)


async def test_a_server_that_hangs_up_ends_the_round() -> None:
    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        gone = Target("gone", url, [post(url, {})], lambda: 0.0)
        with pytest.raises(ConnectionError):
            await one_round(gone, TRIVIAL.answered, concurrency=1, seconds=0.1)


async def test_every_request_is_sent_once_and_in_turn(vm: Served) -> None:
    sent = [post(vm.url, {"code": f"function main() {{ return {number}; }}", "js_params": {}}) for number in range(5)]
    responses: list[object] = []

    def right(answer: Answer) -> bool:
        responses.append(json.loads(answer.body)["response"])
        return True

    measured = await each_once(Target("vm", vm.url, sent, lambda: 0.0), right, pause_s=0.0)
    assert responses == [0, 1, 2, 3, 4]
    assert 0 < measured.p50_ms <= measured.p99_ms


async def test_rounds_take_turns_and_the_median_counts() -> None:
    order: list[str] = []

    def rounds(name: str, rates: Sequence[float]) -> Callable[[], Awaitable[Round]]:
        left = iter(rates)

        async def one() -> Round:
            order.append(name)
            return Round(next(left), 1.0, 1.0, 1.0, 1.0)

        return one

    measured = await in_turn({"a": rounds("a", [1, 100, 3]), "b": rounds("b", [5, 4, 6])}, 3)
    assert order == ["a", "b"] * 3
    assert {name: each.per_second for name, each in measured.items()} == {"a": 3, "b": 5}


async def test_a_load_runs_until_its_context_ends(vm: Served) -> None:
    request = post(vm.url, {"code": TRIVIAL.code, "js_params": {}})
    statuses: Counter[int] = Counter()
    async with repeated(vm.url, lambda: request, 2, statuses):
        assert statuses.keys() == {200}
    ended = statuses.total()
    assert ended > 0
    await asked(vm, TRIVIAL)
    assert statuses.total() == ended


@pytest.mark.exhaustive
async def test_the_engine_of_a_checkout_runs_actions_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_alone, "ROUND_S", 0.2)
    async with engine_alone.engine_process(REPOSITORY) as engine:
        rounds = [await engine.round(kind, 2) for kind in (TRIVIAL, ETHERS_SIGNED)]
    assert all(measured.per_second > 1 and measured.cpu_ms > 0 for measured in rounds)


def test_what_has_no_baseline_is_not_met_and_said() -> None:
    found = Round(100.0, 1.0, 1.0, 1.0, 1.0)
    (without,) = engine_alone.aims_of_engines(lines_of(TRIVIAL.name, 8, {engine_alone.ENGINE: found}))
    assert (without.measured, without.met) == (None, False)
    slower = replace(found, per_second=10.0)
    both = lines_of(TRIVIAL.name, 8, {engine_alone.ENGINE: found, engine_alone.BEFORE: slower})
    (beside,) = engine_alone.aims_of_engines(both)
    assert (beside.measured, beside.met) == (10.0, True)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("library", "kind"), [(None, TRIVIAL), (ETHERS, ETHERS_SIGNED)])
async def test_the_vm_of_node_runs_it(library: Path | None, kind: Kind) -> None:
    with vm_server(library) as server:
        answer = await asked(server, kind)
    assert kind.answered(answer)
    if kind is ETHERS_SIGNED:
        assert recovered("bench", signature(answer)) == KEY_ADDRESS
    with pytest.raises(OSError):  # noqa: PT011 - refused or cut off: nothing of it is left running
        await asked(server, kind)


def test_the_median_of_rounds_and_when_an_aim_is_met() -> None:
    rounds = [Round(value, value, 3 * value, value, value) for value in (3.0, 1.0, 100.0)]
    assert median_of(rounds) == Round(3.0, 3.0, 9.0, 3.0, 3.0)
    assert Aim("rate", 450, 450, "", at_least=True).met
    assert not Aim("rate", 449, 450, "", at_least=True).met
    assert Aim("delay", 3, 3, "ms", at_least=False).met
    assert not Aim("delay", 3.1, 3, "ms", at_least=False).met

"""The parts `make bench` measures actions with: the load generator, and baselines that really do the work."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.actions.closed_loop import Round, Target, median_of, one_round
from benchmarks.actions.kinds import ETHERS_SIGNED, HOST_SIGNED, TRIVIAL, Kind
from benchmarks.actions.python_servers import serve_fresh_processes, serve_in_process
from benchmarks.actions.vm_server import ETHERS, vm_server
from benchmarks.aims import Aim
from benchmarks.origin import Served, served
from benchmarks.processes import tree_cpu_s
from benchmarks.wire import Answer, Connection, post
from tests.execution.bench import recovered

KEY_ADDRESS = "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"
"""Of the private key of 32 bytes 0x11, with which the baselines sign."""


@pytest.fixture(scope="module")
def in_process() -> Iterator[Served]:
    with served(serve_in_process) as server:
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


async def test_a_round_counts_what_was_answered(in_process: Served) -> None:
    measured = await one_round(target(in_process, TRIVIAL), TRIVIAL.answered, concurrency=4, seconds=0.3)
    assert measured.per_second > 1
    assert 0 < measured.p50_ms <= measured.p99_ms
    assert measured.cpu_ms > 0


async def test_a_wrong_answer_is_no_figure(in_process: Served) -> None:
    failing = Kind("throws", "function main() { throw new Error('no'); }", lambda _: True)
    with pytest.raises(AssertionError, match="baseline: 200"):
        await one_round(target(in_process, failing), failing.answered, concurrency=1, seconds=0.1)


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


async def test_the_engine_in_process_signs(in_process: Served) -> None:
    answer = await asked(in_process, HOST_SIGNED)
    assert HOST_SIGNED.answered(answer)
    assert recovered("bench", signature(answer)) == KEY_ADDRESS


async def test_a_fresh_process_runs_the_action_and_its_time_is_counted() -> None:
    with served(serve_fresh_processes) as server:
        before = tree_cpu_s(server.pid)
        assert TRIVIAL.answered(await asked(server, TRIVIAL))
        assert tree_cpu_s(server.pid) > before


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

"""Large `js_params` are looked at in the account's share of the node's processor time: nothing is paid for them yet."""

import asyncio

import pytest
from pydantic import JsonValue

from node.api.errors import as_node_error
from node.errors import DomainError
from node.http.answers import STATUS_OF
from node.runtime import processor_time
from tests.execution.bench import IN_ANY, MASTER, Bench

pytestmark = pytest.mark.asyncio(loop_scope="module")

CODE = "function main() { return 1; }"


def too_deep(values: int) -> dict[str, JsonValue]:
    """Params that are refused once they were looked at, with so many values beside what is wrong about them."""
    deep: JsonValue = 0
    for _ in range(150):
        deep = [deep]
    return {"deep": deep, "values": [0] * values}


async def status_of(bench: Bench, caller: int, values: int) -> int:
    with pytest.raises(DomainError) as refused:
        await bench.run(caller, CODE, too_deep(values))
    return STATUS_OF[as_node_error(refused.value).code]


@pytest.mark.parametrize("integer", [2**53, -(2**53), 2**64, 10**4000], ids=["above", "below", "64 bits", "long"])
async def test_an_integer_that_the_action_would_read_as_another_is_refused(bench: Bench, integer: int) -> None:
    for beside in (0, 5_000):
        with pytest.raises(DomainError) as refused:
            await bench.run(MASTER, CODE, {"deep": [{"id": integer}], "values": [0] * beside})
        error = as_node_error(refused.value)
        assert (error.code, "±9007199254740991" in error.message) == ("bad_request", True)


async def test_every_number_that_the_action_reads_as_it_is_is_taken(bench: Bench) -> None:
    numbers: list[JsonValue] = [2**53 - 1, -(2**53) + 1, 0, 1e300, 0.5, True]
    answer = await bench.run(MASTER, "const main = (p) => p.numbers;", {"numbers": numbers})
    assert answer.response == numbers


@pytest.mark.exhaustive
async def test_an_account_waits_for_its_share_before_more_large_params_are_looked_at(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"COSTLY_S": 0.0, "BURST_S": 1e-9, "SHARE": 1e-6}.items():
        monkeypatch.setattr(processor_time, name, value)
    monkeypatch.setattr(bench.service, "_shares", processor_time.ProcessorShares())
    assert await status_of(bench, MASTER, 100_000) == 400
    waiting = asyncio.create_task(status_of(bench, IN_ANY, 100_000))
    assert [await status_of(bench, MASTER, 10) for _ in range(20)] == [400] * 20
    done, _ = await asyncio.wait([waiting], timeout=1)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert not done, "large params of an account were looked at though its share was used up"

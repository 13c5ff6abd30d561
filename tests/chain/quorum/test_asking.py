"""Who is asked, and for how long: a slow provider costs little and once, nothing is left running, dissent is shown."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import structlog
from prometheus_client import CollectorRegistry

from node.api.errors import ErrorCode, as_node_error
from node.chain.quorum.client import DisagreementMetrics, QuorumClient
from node.chain.quorum.reader import QuorumReader
from node.chain.rpc.answers import LATEST
from node.errors import DomainError
from tests.chain.quorum.bench import UNHEDGED, UNHURRIED, Bench, quorum_bench, tasks_of_the_node
from tests.support.account_chain import AccountChain, undone
from tests.support.lies import per_call
from tests.support.lying_heads import frozen_head
from tests.support.lying_rpc import LIES, Stage
from tests.support.populated_account import GROUPS
from tests.support.rpc_proxy import hang, refusing, slow

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.exhaustive
async def test_a_hanging_endpoint_costs_one_hedge_delay_and_is_then_asked_no_more(chain: AccountChain) -> None:
    hedging = UNHURRIED.model_copy(update={"rpc_hedge_delay_s": 2})
    async with undone(chain), quorum_bench(chain, 3, hedging) as three, asyncio.timeout(60):
        await three.groups()
        three.prefer(0).behaviour = hang
        three.requests()
        assert await three.groups() == len(GROUPS)
        assert three.requests()[0] == 1
        for _ in range(5):
            await three.add_group()
            await three.groups()
        assert three.requests()[0] == 0
        assert three.rpc.health()[0].faults == 0, "an answer not waited for is no fault"


async def test_the_faster_endpoints_are_asked_first(three: Bench) -> None:
    three.proxies[0].behaviour = slow(1)
    three.proxies[2].behaviour = slow(0.01)
    await asyncio.gather(*(provider.send([LATEST], 60) for provider in three.rpc.providers))
    three.requests()
    for _ in range(3):
        await three.groups()
    assert three.requests() == [0, 4, 4]


async def test_nothing_runs_on_after_a_read_or_after_its_caller_is_cancelled(chain: AccountChain) -> None:
    async with undone(chain), quorum_bench(chain, 3, UNHURRIED) as three:
        await three.groups()
        three.prefer(0).behaviour = hang
        await three.groups()
        assert tasks_of_the_node() == set()
        three.proxies[1].behaviour = three.proxies[2].behaviour = hang
        three.proxies[1].arrived.clear()
        reading = asyncio.create_task(three.groups())
        await three.proxies[1].arrived.wait()
        reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await reading
        assert reading.cancelled()
        assert tasks_of_the_node() == set()
        assert [each.faults for each in three.rpc.health()] == [0, 0, 0]


async def test_an_outvoted_endpoint_is_counted_logged_once_in_a_while_and_asked_last(three: Bench) -> None:
    await three.groups()
    stage = Stage((await three.head()).number - 3, three.chain.contract.address)
    three.prefer(0).behaviour = LIES["says yes"](stage)
    with structlog.testing.capture_logs() as logs:
        for _ in range(4):
            await three.add_group()
            await three.decision()
    assert three.disagreements.hosts == {three.host_of(0): 1}
    assert [(entry["event"], entry["host"]) for entry in logs] == [("rpc_endpoint_outvoted", three.host_of(0))]
    three.requests()
    await three.decision()
    assert three.requests()[0] == 0


async def test_two_that_contradict_one_another_are_both_named_each_time_and_answer_at_once(two: Bench) -> None:
    registry = CollectorRegistry()
    quorum = QuorumReader(QuorumClient(two.rpc, UNHEDGED, DisagreementMetrics(registry)), two.floor)
    two.views._quorum = quorum
    two.proxies[1].behaviour = LIES["says yes"](Stage(0, two.chain.contract.address))
    two.requests()
    with structlog.testing.capture_logs() as logs:
        for _ in range(3):
            with pytest.raises(DomainError, match="contradict") as caught:
                await two.decision()
            assert as_node_error(caught.value).code is ErrorCode.CHAIN_UNAVAILABLE
    assert max(two.requests()) <= 6, "what waiting does not mend was waited for"
    hosts = [two.host_of(0), two.host_of(1)]
    counts = [registry.get_sample_value("svc_rpc_disagreements_total", {"host": host}) for host in hosts]
    assert counts == [3, 3]
    named = [entry for entry in logs if entry["event"] == "rpc_endpoints_disagree"]
    assert sorted(entry["host"] for entry in named) == sorted(hosts), "logged once, not at every read"


async def test_too_few_endpoints_are_503_without_waiting_for_them_to_come_back(two: Bench) -> None:
    two.proxies[1].behaviour = LIES["HTTP 500"](Stage(0, two.chain.contract.address))
    two.requests()
    with structlog.testing.capture_logs() as logs, pytest.raises(DomainError, match="cannot be reached") as caught:
        await two.groups()
    assert as_node_error(caught.value).code is ErrorCode.CHAIN_UNAVAILABLE
    assert two.requests() == [1, 1]
    assert named(two, logs) == [("nothing", two.host_of(1))]


async def test_who_refuses_to_run_a_view_is_named_though_it_is_well(one: Bench) -> None:
    await one.groups()
    one.proxies[0].behaviour = refusing(-32602, "blockHash is not supported")
    with structlog.testing.capture_logs() as logs, pytest.raises(DomainError, match="cannot be reached"):
        await one.groups()
    assert named(one, logs) == [("nothing", one.host_of(0))]


async def test_who_falls_back_behind_what_was_relied_on_is_named(two: Bench) -> None:
    past = (await two.head()).number
    await two.add_group()
    await two.groups()
    two.proxies[1].behaviour = per_call(frozen_head(past))
    with structlog.testing.capture_logs() as logs, pytest.raises(DomainError, match="behind"):
        await two.groups()
    assert named(two, logs) == [("head", two.host_of(1))]


def named(bench: Bench, logs: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Who is logged for want of an agreement, and for what; the same are counted, once each."""
    found = [(entry["what"], entry["host"]) for entry in logs if entry["event"] == "rpc_endpoints_disagree"]
    assert bench.disagreements.hosts == {host: 1 for _, host in found}
    return found

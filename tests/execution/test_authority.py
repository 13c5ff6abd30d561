"""Authorisation of runs (spec 4): by which key, at which block, and what a refusal says."""

import asyncio
from functools import partial

import pytest
from pydantic import JsonValue

from node.api.errors import ErrorCode, NodeError, as_node_error
from node.errors import DomainError
from node.settings.execution import ActionSettings
from node.values import hash_of_text
from tests.execution.bench import (
    CONVERTED,
    EXPIRING,
    FAR,
    IN_ANY,
    IN_NONE,
    IN_ONE,
    MASTER,
    OTHER,
    SIGN,
    Bench,
    World,
    bench_over,
)
from tests.support.rpc_proxy import saying

pytestmark = pytest.mark.asyncio(loop_scope="module")

OTHER_CODE = "function main() { return 'other'; }"


async def refusal(bench: Bench, key: int, code: str, min_block: int | None = None) -> NodeError:
    with pytest.raises(DomainError) as refused:
        await bench.service.run(await bench.order(key, code, min_block=min_block))
    assert await bench.spent_cents() == 0
    return as_node_error(refused.value)


@pytest.mark.parametrize(("key", "code"), [(MASTER, OTHER_CODE), (IN_ANY, OTHER_CODE), (OTHER, OTHER_CODE)])
async def test_may_run(bench: Bench, key: int, code: str) -> None:
    assert (await bench.run(key, code)).response == "other"


@pytest.mark.parametrize(
    ("key", "code", "missing"),
    [
        (IN_ONE, OTHER_CODE, "execute_in_groups"),
        (IN_ONE, SIGN + " ", "execute_in_groups"),
        (IN_NONE, SIGN, "execute_in_groups"),
        (CONVERTED, OTHER_CODE, "admin_wallet"),
    ],
)
async def test_may_not_run(bench: Bench, key: int, code: str, missing: str) -> None:
    error = await refusal(bench, key, code)
    assert error.code is ErrorCode.FORBIDDEN
    assert error.details["missing"] == missing
    assert error.fix


async def test_a_key_removed_since_it_was_authenticated_is_unauthorized(bench: Bench) -> None:
    order = await bench.order(IN_ONE, SIGN)
    await bench.write("removeUsageApiKey", IN_ONE)
    with pytest.raises(DomainError) as refused:
        await bench.service.run(order)
    assert (as_node_error(refused.value).code, bool(as_node_error(refused.value).fix)) == (ErrorCode.UNAUTHORIZED, True)


async def test_a_key_expires_by_the_nodes_clock_too(bench: Bench) -> None:
    order = await bench.order(EXPIRING, SIGN)
    bench.world.now = FAR - 1
    assert (await bench.service.run(order)).answer.error is not None
    bench.world.now = FAR
    with pytest.raises(DomainError) as refused:
        await bench.service.run(order)
    assert as_node_error(refused.value).code is ErrorCode.UNAUTHORIZED


async def test_a_key_that_expires_while_its_action_runs_gets_no_further_wallet(bench: Bench) -> None:
    for now, error in ((FAR - 1, None), (FAR, "Forbidden")):
        bench.world.now = FAR - 1
        bench.once_set_aside(partial(setattr, bench.world, "now", now))
        answer = await bench.run(EXPIRING, SIGN, {"pkpId": 1, "message": "m"})
        assert (None if answer.error is None else answer.error.name) == error


async def test_a_grant_counts_at_once(bench: Bench) -> None:
    await refusal(bench, IN_ONE, OTHER_CODE)
    cid = await bench.service.cid_of(OTHER_CODE)
    block = await bench.world.chain.write("addActionToGroup", MASTER, 1, hash_of_text(cid))  # nobody tells of it
    executed = await bench.service.run(await bench.order(IN_ONE, OTHER_CODE))
    assert executed.answer.response == "other"
    assert executed.authorised_at_block >= block


async def test_a_decision_is_asked_of_the_chain_once_until_something_changes(bench: Bench) -> None:
    order = await bench.order(IN_ONE, SIGN, {"pkpId": 1, "message": "m"})
    first = await bench.service.run(order)
    assert first.answer.error is None
    asked = len(bench.world.proxy.seen)
    await bench.world.chain.rpc.ask("evm_mine")
    again = await bench.service.run(order)
    assert (again.answer.response, again.authorised_at_block) == (first.answer.response, first.authorised_at_block)
    assert len(bench.world.proxy.seen) == asked
    block = await bench.write("removeGroup", 1)
    with pytest.raises(DomainError) as refused:
        await bench.service.run(order)
    assert refused.value.details["missing"] == "execute_in_groups"
    assert (await bench.authorisations.execution(order.caller, 1, block, order.may_reread)).block_number >= block


async def test_a_denial_that_is_kept_is_told_when_it_may_not_be_read_again(bench: Bench) -> None:
    granted = await bench.order(IN_ONE, OTHER_CODE)
    spent = granted._replace(may_reread=lambda: False)
    cid = await bench.service.cid_of(OTHER_CODE)
    with pytest.raises(DomainError):
        await bench.service.run(spent)
    await bench.world.chain.write("addActionToGroup", MASTER, 1, hash_of_text(cid))
    with pytest.raises(DomainError) as refused:
        await bench.service.run(spent)
    assert as_node_error(refused.value).code is ErrorCode.FORBIDDEN
    assert (await bench.service.run(granted)).answer.response == "other"


async def test_min_block_is_waited_for(bench: Bench) -> None:
    head = (await bench.world.reader.authorisation(MASTER, 1, [])).block_number
    order = await bench.order(MASTER, OTHER_CODE, min_block=head + 1)
    running = asyncio.create_task(bench.service.run(order))
    done, _ = await asyncio.wait({running}, timeout=0.4)
    assert not done
    await bench.world.chain.rpc.ask("evm_mine")
    assert (await running).authorised_at_block == head + 1


async def test_min_block_is_not_waited_for_long(world: World, bench: Bench) -> None:
    quick = await bench_over(world, min_block_timeout_s=0.2)
    error = await refusal(quick, MASTER, OTHER_CODE, min_block=10**9)
    assert error.code is ErrorCode.CHAIN_UNAVAILABLE
    assert error.details["min_block"] == 10**9
    assert error.retry_after_s
    assert await bench.spent_cents() == 0


async def test_without_the_chain_nothing_runs(bench: Bench) -> None:
    order = await bench.order(MASTER, OTHER_CODE)
    bench.world.proxy.behaviour = saying(b"no", 500)
    with pytest.raises(DomainError) as refused:
        await bench.service.run(order)
    assert as_node_error(refused.value).code is ErrorCode.CHAIN_UNAVAILABLE
    assert await bench.spent_cents() == 0


async def test_sizes_are_checked_before_anything_runs(world: World, bench: Bench) -> None:
    small = await bench_over(world, limits=ActionSettings(action_code_bytes=100, action_params_bytes=20))
    assert (await refusal(small, MASTER, "é" * 60)).code is ErrorCode.PAYLOAD_TOO_LARGE
    assert (await refusal(small, MASTER, "x" * 101)).code is ErrorCode.PAYLOAD_TOO_LARGE
    code = "function main(p) { return p; }"
    with pytest.raises(DomainError) as big:
        await small.run(MASTER, code, {"a": "x" * 20})
    assert as_node_error(big.value).code is ErrorCode.PAYLOAD_TOO_LARGE
    deepest: JsonValue = []
    for _ in range(98):
        deepest = [deepest]
    with pytest.raises(DomainError) as deep:
        await bench.run(MASTER, code, {"a": [deepest]})
    assert as_node_error(deep.value).code is ErrorCode.BAD_REQUEST
    assert (await small.run(MASTER, code, {"a": [[]]})).response == {"a": [[]]}
    assert await bench.spent_cents() == 0
    assert (await bench.run(MASTER, code, {"a": deepest})).response == {"a": deepest}

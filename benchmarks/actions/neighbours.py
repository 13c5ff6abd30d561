"""Effect of an account's load on another's small actions, and cost of an account's first action."""

import contextlib
import itertools
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial

from benchmarks.actions.closed_loop import Round, Target, each_once, in_turn, one_round, repeated
from benchmarks.actions.comparison import SETTINGS
from benchmarks.actions.kinds import TRIVIAL
from benchmarks.aims import Aim, Finding
from benchmarks.nodes import MANY_ACCOUNTS, measured_node, node_cpu_s, until_running
from benchmarks.tenants import Tenant, new_tenants
from benchmarks.wire import Connection
from tests.support.node import NodeProcess

CLIENTS = 16
"""Number of actions that one account may run at a time."""
ROUNDS = 5
ROUND_S = 2.0
FIRST_ACTIONS = 20
"""First actions in a round, each of a new account."""
PAUSE_S = 0.05
"""Pause between two first actions, for twenty new accounts a second."""
WITHIN_S = 10.0
LOOP = "function main() { for (;;); }"
COUNTS = """function main({ iterations }) {
  const begun = Date.now();
  let x = 0;
  for (let i = 0; i < iterations; i++) x = (x * 31 + i) | 0;
  return Date.now() - begun;
}"""
CALIBRATION_ITERATIONS = 3_000_000
FLOOD_MS = 10

Load = Callable[[], contextlib.AbstractAsyncContextManager[object]]


def trivial_of(node: NodeProcess, requests: Sequence[bytes]) -> Target:
    """Returns the node as the target of trivial actions."""
    return Target("node", node.api, requests, lambda: node_cpu_s(node.process.pid))


async def alone_and_beside(target: Target, load: Load, rounds: int, round_s: float) -> tuple[Round, Round]:
    """Measures trivial actions one at a time, alternately without and with the load."""

    async def alone() -> Round:
        return await one_round(target, TRIVIAL.answered, concurrency=1, seconds=round_s)

    async def beside() -> Round:
        async with load():
            return await alone()

    medians = await in_turn({"alone": alone, "beside": beside}, rounds)
    return medians["alone"], medians["beside"]


def delays_beside(what: str, alone: Round, beside: Round) -> list[Finding]:
    """Returns the delays that `alone_and_beside` measured."""
    return [
        Finding(f"trivial, 1 at once, {name}: {figure}", value, "ms")
        for name, each in (("alone", alone), (f"beside {what}", beside))
        for figure, value in (("p50", each.p50_ms), ("p99", each.p99_ms))
    ]


async def neighbours() -> tuple[list[Finding], list[Aim]]:
    """Measures beside endless loops and a flood; first actions alone and beside new programs."""
    async with measured_node({**SETTINGS, **MANY_ACCOUNTS}) as node:
        honest, other = await new_tenants(node.api, 2)
        findings, aims = await _beside_loads(node, honest, other)
        first_findings, first_aims = await _first_actions(node, honest, other)
    return [*findings, *first_findings], [*aims, *first_aims]


async def _beside_loads(node: NodeProcess, honest: Tenant, other: Tenant) -> tuple[list[Finding], list[Aim]]:
    target = trivial_of(node, [honest.action(TRIVIAL.code)])
    loops, flood = f"{CLIENTS} endless loops", f"a flood of {FLOOD_MS} ms actions, {CLIENTS} at once"
    print(f"measuring: trivial actions beside {loops} of another account", file=sys.stderr)
    alone, beside = await alone_and_beside(target, lambda: _looping(node, other), ROUNDS, ROUND_S)
    findings = delays_beside(loops, alone, beside)
    aims = [Aim(f"p99 beside {loops} over p99 alone", beside.p99_ms / alone.p99_ms, 3, "", at_least=False)]
    print(f"measuring: trivial actions beside {flood}", file=sys.stderr)
    request = other.action(COUNTS, {"iterations": await _flood_iterations(node, other)})
    statuses: Counter[int] = Counter()
    load = partial(repeated, node.api, lambda: request, CLIENTS, statuses)
    alone, beside = await alone_and_beside(target, load, ROUNDS, ROUND_S)
    findings += [*delays_beside(flood, alone, beside), *_answers(flood, statuses)]
    times = beside.p50_ms / alone.p50_ms
    return findings, [*aims, Aim(f"p50 beside {flood} over p50 alone", times, 2, "", at_least=False)]


async def _first_actions(node: NodeProcess, honest: Tenant, other: Tenant) -> tuple[list[Finding], list[Aim]]:
    load = f"one account that sends a new program with every call, {CLIENTS} at once"
    print(f"measuring: first actions of accounts, alone and beside {load}", file=sys.stderr)
    accounts = iter(await new_tenants(node.api, 2 * ROUNDS * FIRST_ACTIONS))
    numbers = itertools.count()
    statuses: Counter[int] = Counter()

    async def paced(requests: Sequence[bytes]) -> Round:
        return await each_once(trivial_of(node, requests), TRIVIAL.answered, pause_s=PAUSE_S)

    async def warm() -> Round:
        return await paced([honest.action(TRIVIAL.code)] * FIRST_ACTIONS)

    async def first() -> Round:
        return await paced([each.action(TRIVIAL.code) for each in itertools.islice(accounts, FIRST_ACTIONS)])

    async def first_beside() -> Round:
        # A comment makes another program with another CID, so no instance can be reused.
        async with repeated(node.api, lambda: other.action(f"{TRIVIAL.code} // {next(numbers)}"), CLIENTS, statuses):
            return await first()

    medians = await in_turn({"warm": warm, "first": first, "beside": first_beside}, ROUNDS)
    warm_ms, first_ms, beside_ms = (medians[name].p50_ms for name in ("warm", "first", "beside"))
    findings = [
        Finding(f"trivial, {1 / PAUSE_S:g} a second, by an account that runs it often: p50", warm_ms, "ms"),
        Finding("the same as the first action of an account: p50", first_ms, "ms"),
        Finding(f"   beside {load}: p50", beside_ms, "ms"),
        *_answers(load, statuses),
    ]
    return findings, [
        Aim("first action of an account: p50 over that of a warm one", first_ms / warm_ms, 2, "", at_least=False),
        Aim(f"the same beside {load}", beside_ms / warm_ms, 3, "", at_least=False),
    ]


@contextlib.asynccontextmanager
async def _looping(node: NodeProcess, tenant: Tenant) -> AsyncIterator[None]:
    loops = [await Connection.open(node.api) for _ in range(CLIENTS)]
    for loop in loops:
        loop.send(tenant.action(LOOP))
    await until_running(node, CLIENTS, WITHIN_S)
    try:
        yield
    finally:
        for loop in loops:
            loop.close()
        # Loops end a moment after their callers: the next round alone must not run beside them.
        await until_running(node, 0, WITHIN_S)


async def _flood_iterations(node: NodeProcess, tenant: Tenant) -> int:
    """Returns the iterations of COUNTS that last FLOOD_MS on this idle machine."""
    connection = await Connection.open(node.api)
    took: list[float] = []
    for _ in range(3):
        answer = await connection.ask(tenant.action(COUNTS, {"iterations": CALIBRATION_ITERATIONS}))
        assert answer.status == 200, answer.body
        took.append(json.loads(answer.body)["response"])
    connection.close()
    # The shortest was disturbed least. Date.now counts whole milliseconds, and may say 0.
    return int(CALIBRATION_ITERATIONS * FLOOD_MS / max(min(took), 1))


def _answers(what: str, statuses: Counter[int]) -> list[Finding]:
    """Returns how many requests were done and refused, which proves the load."""
    refused = statuses.total() - statuses[200]
    return [Finding(f"{what}: done", statuses[200], ""), Finding(f"{what}: refused", refused, "")]

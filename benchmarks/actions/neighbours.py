"""What sixteen infinite loops of one account cost another account's small actions."""

import asyncio
import contextlib
import sys

from benchmarks.actions.closed_loop import Target, median_of, one_round
from benchmarks.actions.comparison import SETTINGS
from benchmarks.actions.kinds import TRIVIAL
from benchmarks.aims import Aim
from benchmarks.findings import Finding
from benchmarks.node_tree import family, node_cpu_s
from benchmarks.nodes import measured_node
from benchmarks.tenants import new_tenants
from benchmarks.wire import Connection

LOOPS = 16
ROUNDS = 3
ROUND_S = 2.0
AIM_TIMES = 3
LOOP = "function main() { for (;;); }"


async def neighbours() -> tuple[list[Finding], list[Aim]]:
    """Rounds without and with the loops, in turn."""
    print(f"measuring: trivial actions beside {LOOPS} loops of another account", file=sys.stderr)
    async with measured_node(SETTINGS) as node:
        honest, other = await new_tenants(node.api, 2)
        target = Target("node", node.api, [honest.action(TRIVIAL.code)], lambda: node_cpu_s(node.process.pid))
        alone, beside = [], []
        for _ in range(ROUNDS):
            alone.append(await one_round(target, TRIVIAL.answered, concurrency=1, seconds=ROUND_S))
            loops = [await Connection.open(node.api) for _ in range(LOOPS)]
            for loop in loops:
                loop.send(other.action(LOOP))
            await _running(node.process.pid, LOOPS)
            beside.append(await one_round(target, TRIVIAL.answered, concurrency=1, seconds=ROUND_S))
            for loop in loops:
                loop.close()
    quiet, loaded = median_of(alone), median_of(beside)
    findings = [
        Finding("trivial, 1 at once, alone: p99", quiet.p99_ms, "ms"),
        Finding(f"trivial, 1 at once, beside {LOOPS} loops of another account: p50", loaded.p50_ms, "ms"),
        Finding(f"trivial, 1 at once, beside {LOOPS} loops of another account: p99", loaded.p99_ms, "ms"),
    ]
    times = loaded.p99_ms / quiet.p99_ms
    return findings, [Aim(f"p99 beside {LOOPS} loops over p99 alone", times, AIM_TIMES, "", at_least=False)]


async def _running(node: int, loops: int) -> None:
    """Wait until so many processes of actions there are; they may be fewer where the node admits fewer."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(5):
            while len(family(node).actions) < loops:
                await asyncio.sleep(0.05)

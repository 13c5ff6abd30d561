"""How many actions that wait for something fit into a GiB: the memory that so many of them add to the whole node."""

import asyncio
import sys
from dataclasses import dataclass

from benchmarks.aims import Aim
from benchmarks.findings import Finding
from benchmarks.node_tree import family
from benchmarks.nodes import measured_node
from benchmarks.processes import memory
from benchmarks.tenants import Tenant, new_tenants
from benchmarks.wire import Connection

ACTIONS = 300
TENANTS = 4
ALL_ASLEEP_WITHIN_S = 60.0
GIB = 1024**3
AIM_PER_GIB = 700
SLEEPS = "async function main() { await new Promise(r => setTimeout(r, 600000)); }"
SIGNS_AND_SLEEPS = """async function main({ wallet }) {
  await new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId: wallet })).signMessage('bench');
  await new Promise(r => setTimeout(r, 600000));
}"""
SETTINGS = {"SVC_ACTION_CONCURRENT_MAX": str(ACTIONS), "SVC_ACTION_CONCURRENT_MAX_PER_ACCOUNT": str(ACTIONS)}


@dataclass(frozen=True, slots=True)
class Held:
    """Bytes of the node's whole tree but its chain, and of the processes of actions; how many of those there are."""

    whole_pss: int
    actions_private: int
    actions: int


def _held(node: int) -> Held:
    found = family(node)
    actions = [memory(each.pid) for each in found.actions]
    others = [memory(node), *(memory(each.pid) for each in found.zygotes)]
    whole = sum(each.pss for each in (*actions, *others) if each is not None)
    return Held(whole, sum(each.private for each in actions if each is not None), len(actions))


async def _settled(node: int, actions: int) -> Held:
    """Once there are so many processes and no more of their pages change; raises TimeoutError."""
    async with asyncio.timeout(ALL_ASLEEP_WITHIN_S):
        before = _held(node)
        while True:
            await asyncio.sleep(1)
            now = _held(node)
            if now.actions == actions and abs(now.whole_pss - before.whole_pss) < now.whole_pss // 1000:
                return now
            before = now


async def _added(node: int, tenants: list[Tenant], code: str) -> tuple[float, float]:
    """What each sleeping action adds, in bytes: to the whole node, and as private memory of its process."""
    idle = await _settled(node, len(family(node).actions))
    connections = [await Connection.open(tenants[0].api) for _ in range(ACTIONS)]
    for index, connection in enumerate(connections):
        connection.send(tenants[index % len(tenants)].action(code))
    asleep = await _settled(node, idle.actions + ACTIONS)
    for connection in connections:
        connection.close()
    await _settled(node, idle.actions)
    return (asleep.whole_pss - idle.whole_pss) / ACTIONS, (asleep.actions_private - idle.actions_private) / ACTIONS


async def sleeping_actions() -> tuple[list[Finding], list[Aim]]:
    """With a bare action, and with one that has signed with ethers before."""
    findings: list[Finding] = []
    aims: list[Aim] = []
    async with measured_node(SETTINGS) as node:
        tenants = await new_tenants(node.api, TENANTS)
        for name, code in (("sleeping", SLEEPS), ("sleeping after ethers signed", SIGNS_AND_SLEEPS)):
            print(f"measuring: {ACTIONS} actions {name}", file=sys.stderr)
            whole, private = await _added(node.process.pid, tenants, code)
            findings += [
                Finding(f"{name}, {ACTIONS} at once: added to the node's PSS by each", whole / 2**20, "MiB"),
                Finding(f"{name}, {ACTIONS} at once: private memory of each", private / 2**20, "MiB"),
                Finding(f"{name}: actions per GiB", GIB / whole, ""),
            ]
            if code is SLEEPS:
                aims.append(Aim("sleeping actions per GiB", GIB / whole, AIM_PER_GIB, "", at_least=True))
    return findings, aims

"""Nodes to measure, each `svc-devkit run` in its own process, and their child processes."""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.processes import Process, children, command, tree_cpu_s
from tests.support.node import REPOSITORY, NodeProcess, running_node
from tests.support.scraping import Scrape

_ZYGOTE = "node.engine.zygote"
_CHAIN = "anvil"


@dataclass(frozen=True, slots=True)
class Family:
    """The node's children by kind. A zombie has no command line and so its own group."""

    zygotes: tuple[Process, ...]
    workers: tuple[Process, ...]
    chains: tuple[Process, ...]
    zombies: tuple[Process, ...]


def family(node: int) -> Family:
    """Returns the children of a node, the older zygote first."""
    zombies = [child for child in children(node) if child.zombie]
    alive = [child for child in children(node) if not child.zombie]
    engine = [child for child in alive if _ZYGOTE in command(child.pid)]
    zygotes = sorted((child for child in engine if child.group == child.pid), key=lambda child: child.started_ticks)
    # A zygote leads a process group that includes its workers; they share a command line.
    workers = [child for child in engine if child.group != child.pid]
    chains = [child for child in alive if _CHAIN in command(child.pid)]
    return Family(tuple(zygotes), tuple(workers), tuple(chains), tuple(zombies))


def node_cpu_s(node: int) -> float:
    """Returns CPU seconds of node, zygote and workers, also ended ones, without the local chain."""
    chains = frozenset(child.pid for child in children(node) if _CHAIN in command(child.pid))
    return tree_cpu_s(node, without=chains)


MANY_ACCOUNTS: Final = {"SVC_HTTP_MINTS_PER_MINUTE_PER_ADDRESS": "1000000"}
"""Lifts the rate limit of new accounts, since one address makes all of them."""
_LOOK_S = 0.05


@contextlib.asynccontextmanager
async def measured_node(settings: Mapping[str, str], checkout: Path = REPOSITORY) -> AsyncIterator[NodeProcess]:
    """Runs a development node of a checkout, with fresh data and these settings."""
    with tempfile.TemporaryDirectory() as directory:
        context = running_node(Path(directory), settings, checkout)
        # Start and stop block, so a thread runs them while the event loop continues.
        node = await asyncio.to_thread(context.__enter__)
        try:
            yield node
        finally:
            await asyncio.to_thread(context.__exit__, None, None, None)


async def until_running(node: NodeProcess, actions: int, within_s: float) -> None:
    """Waits until exactly `actions` actions run. Raises TimeoutError."""
    async with asyncio.timeout(within_s):
        while await asyncio.to_thread(_running, node.log_value("metrics")) != actions:
            await asyncio.sleep(_LOOK_S)


def _running(metrics: str) -> float:
    return Scrape(metrics).value("svc_executions_in_progress")

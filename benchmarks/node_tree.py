"""The processes of one development node: itself, its zygote, its workers; its local chain apart."""

from dataclasses import dataclass

from benchmarks.processes import Process, children, command, tree_cpu_s

_ZYGOTE = "node.engine.zygote"
_CHAIN = "anvil"


@dataclass(frozen=True, slots=True)
class Family:
    """The node's children at one moment, by what they are. A zombie has no command line and stands by itself."""

    zygotes: tuple[Process, ...]
    workers: tuple[Process, ...]
    chains: tuple[Process, ...]
    zombies: tuple[Process, ...]


def family(node: int) -> Family:
    """The children of a node, the older zygote first."""
    zombies = [child for child in children(node) if child.zombie]
    alive = [child for child in children(node) if not child.zombie]
    engine = [child for child in alive if _ZYGOTE in command(child.pid)]
    zygotes = sorted((child for child in engine if child.group == child.pid), key=lambda child: child.started_ticks)
    workers = [child for child in engine if child.group != child.pid]
    chains = [child for child in alive if _CHAIN in command(child.pid)]
    return Family(tuple(zygotes), tuple(workers), tuple(chains), tuple(zombies))


def node_cpu_s(node: int) -> float:
    """Processor seconds of the node, its zygote and its workers, ended ones included; the local chain is not the node."""
    chains = frozenset(child.pid for child in children(node) if _CHAIN in command(child.pid))
    return tree_cpu_s(node, without=chains)

"""Native functions that actions call, in a fixed order: a snapshot holds their numbers and not their names."""

from node.engine.worker import digests, native
from node.engine.worker.callables import Native


def functions() -> dict[str, Native]:
    """Every native function by the name that the prelude and the libraries know it by. The order is the numbering."""
    return {**digests.functions(), **native.functions()}


def library_names() -> tuple[str, ...]:
    """Names of the functions that the libraries receive; the prelude keeps the others to itself."""
    return tuple(native.functions())

"""The child's life: read the prelude, lock itself in, say so, run one job, end."""

import os
import sys

from node.engine.child import channel, sandbox
from node.engine.child.libraries import Libraries
from node.engine.child.script import Script


def main() -> None:
    """Arguments, all numbers, are as `node.engine.spawn.child_command` gives them."""
    memory_bytes, cpu_s, address_space_bytes, parent_pid, lines = (int(argument) for argument in sys.argv[-5:])
    try:
        script = Script("\n" * lines + channel.receive(), Libraries(lines), memory_bytes)
        sandbox.enter(cpu_s, address_space_bytes, parent_pid)
    except Exception as error:  # noqa: BLE001 - whatever it is, the node's log is where it can be read
        channel.send("B", f"{type(error).__name__}: {error}")
        os._exit(1)
    channel.send("R", "")
    try:
        script.run(channel.receive())
    except BaseException as error:  # noqa: BLE001 - the binding raises MemoryError, JSException, SystemError alike
        channel.send("M" if isinstance(error, MemoryError) or "out of memory" in str(error) else "X", "")
    # Without the interpreter's own tidying up: it would walk what the action left in memory.
    os._exit(0)

"""The child's life: lock itself in, say so, run one job, end."""

import os

from node.engine.child import channel
from node.engine.child.sandbox import Sandbox
from node.engine.child.script import Script


def live(script: Script, sandbox: Sandbox) -> None:
    """Run from the fork to the end of the process; does not return."""
    channel.send("P", str(os.getpid()))
    try:
        sandbox.enter()
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

"""The zygote's life: read the prelude, warm the engine, give up what it can, say so, fork on request."""

import gc
import os
import sys

from node.engine.child import channel
from node.engine.child.libraries import Libraries
from node.engine.child.main import live
from node.engine.child.sandbox import Sandbox
from node.engine.child.script import Script
from node.engine.zygote import forking, landlock, memory
from node.engine.zygote.confinement import confine

_STANDARD_DESCRIPTORS = 3
_DESCRIPTORS_MAX = 2**31 - 1


def main() -> None:
    """Arguments, all numbers, are as `node.engine.zygote_process.zygote_command` gives them."""
    memory_bytes, cpu_s, address_space_bytes, parent_pid, lines = (int(argument) for argument in sys.argv[-5:])
    try:
        os.chdir("/")
        os.closerange(_STANDARD_DESCRIPTORS, _DESCRIPTORS_MAX)
        script = Script("\n" * lines + channel.receive(), Libraries(lines), memory_bytes)
        sandbox = Sandbox(cpu_s, parent_pid)
        huge_parts = memory.huge_parts()
        taken = confine(address_space_bytes, parent_pid)
        sandbox.prove()
        if landlock.deny_all():
            taken.append("landlock")
    except Exception as error:  # noqa: BLE001 - whatever it is, the node's log is where it can be read
        channel.send("B", f"{type(error).__name__}: {error}")
        os._exit(1)
    # A collection would write to every object it looks at, and so copy the memory children share.
    gc.disable()
    gc.freeze()
    memory.gather(huge_parts)
    channel.send("R", " ".join(taken))
    forking.serve()
    live(script, sandbox)

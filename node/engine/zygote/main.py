"""The zygote's life: load the engine and the snapshots, give up what it can, say so, fork workers on request."""

import gc
import os
import sys

from node.engine.worker import channel
from node.engine.worker.lane import LaneLimits
from node.engine.worker.main import live
from node.engine.worker.sandbox import Sandbox
from node.engine.worker.snapshots import Snapshots
from node.engine.zygote import forking, landlock
from node.engine.zygote.confinement import confine
from node.engine.zygote.rehearsal import rehearse

_STANDARD_DESCRIPTORS = 3
_DESCRIPTORS_MAX = 2**31 - 1
_NUMBERS = 6


def main() -> None:
    """Arguments are as `node.engine.zygote_process.zygote_command` gives them."""
    folder = sys.argv[-_NUMBERS - 1]
    memory_bytes, frame_bytes, log_bytes, data_bytes, cpu_s, parent_pid = map(int, sys.argv[-_NUMBERS:])
    try:
        os.chdir("/")
        os.closerange(_STANDARD_DESCRIPTORS, _DESCRIPTORS_MAX)
        snapshots = Snapshots(folder)
        sandbox = Sandbox(cpu_s, parent_pid)
        limits = LaneLimits(memory_bytes, frame_bytes, log_bytes)
        lanes = channel.LaneChannel()
        rehearse(snapshots, lanes, limits)
        taken = confine(data_bytes, parent_pid)
        sandbox.prove()
        if landlock.deny_all():
            taken.append("landlock")
    except Exception as error:  # noqa: BLE001 - whatever it is, the node's log is where it can be read
        channel.send("B", f"{type(error).__name__}: {error}")
        os._exit(1)
    # A collection would write to every object it looks at, and so copy the memory workers share.
    gc.disable()
    gc.freeze()
    channel.send("R", " ".join(taken))
    forking.serve()
    live(snapshots, sandbox, lanes, limits)

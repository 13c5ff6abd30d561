"""Runs the zygote: it loads engine and snapshots, drops its rights, and forks workers.

In a child the same program continues as a worker.
"""

import gc
import os
import sys

from node.engine.worker import channel
from node.engine.worker.channel import FiberChannel
from node.engine.worker.fiber import FiberLimits
from node.engine.worker.sandbox import Sandbox
from node.engine.worker.scheduler import Scheduler
from node.engine.worker.snapshots import Snapshots
from node.engine.worker.ticker import Ticker
from node.engine.zygote import forking
from node.engine.zygote.confinement import confine, deny_all
from node.engine.zygote.rehearsal import rehearse

_STANDARD_DESCRIPTORS = 3
_DESCRIPTORS_MAX = 2**31 - 1
_NUMBERS = 6


def main() -> None:
    """Serves with the arguments of `node.engine.zygotes.zygote_command`; does not return."""
    folder = sys.argv[-_NUMBERS - 1]
    memory_bytes, frame_bytes, log_bytes, data_bytes, cpu_s, parent_pid = map(int, sys.argv[-_NUMBERS:])
    try:
        os.chdir("/")
        # No open file of the node may reach a worker.
        os.closerange(_STANDARD_DESCRIPTORS, _DESCRIPTORS_MAX)
        snapshots = Snapshots(folder)
        # Build it before the fork, so that a worker only passes the filter to the kernel.
        sandbox = Sandbox(cpu_s, parent_pid)
        limits = FiberLimits(memory_bytes, frame_bytes, log_bytes)
        fibers = FiberChannel()
        rehearse(snapshots, fibers, limits)
        # After the rehearsal, which opens files and makes callbacks.
        taken = confine(data_bytes, parent_pid)
        # Test it once in a child, since a worker would run actions without the filter too.
        sandbox.prove()
        if deny_all():
            taken.append("landlock")
    except Exception as error:  # noqa: BLE001 - the node logs any failure
        channel.send("B", f"{type(error).__name__}: {error}")
        os._exit(1)
    # A collection would write to every object, and so copy the memory that workers share.
    gc.disable()
    gc.freeze()
    channel.send("R", " ".join(taken))
    forking.serve()
    _work(snapshots, sandbox, fibers, limits)


def _work(snapshots: Snapshots, sandbox: Sandbox, fibers: FiberChannel, limits: FiberLimits) -> None:
    """Confines the worker, reports that it is ready, and serves; does not return."""
    channel.send("P", str(os.getpid()))
    try:
        fibers.open()
        # Before the sandbox, in which no thread can be created.
        ticker = Ticker(snapshots.advance_epoch)
        sandbox.enter()
        # After the sandbox, so that a forbidden call ends the worker before any action.
        snapshots.rehearse(limits.memory_bytes)
    except Exception as error:  # noqa: BLE001 - the node logs any failure
        channel.send("B", f"{type(error).__name__}: {error}")
        os._exit(1)
    channel.send("R", "")
    try:
        Scheduler(snapshots, ticker, fibers, limits).run()
    finally:
        # Skip the interpreter's exit handlers; the node sees the exit status.
        os._exit(1)

"""Runs the zygote: it loads the engine and the snapshots, gives up what it can, says so, and forks workers on request.

In a child the same program goes on as a worker.
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
    """Serve with the arguments of `node.engine.zygotes.zygote_command`; do not return."""
    folder = sys.argv[-_NUMBERS - 1]
    memory_bytes, frame_bytes, log_bytes, data_bytes, cpu_s, parent_pid = map(int, sys.argv[-_NUMBERS:])
    try:
        os.chdir("/")
        # Whatever the node had open must not reach a worker.
        os.closerange(_STANDARD_DESCRIPTORS, _DESCRIPTORS_MAX)
        snapshots = Snapshots(folder)
        # Built before the fork, so that a worker has only to hand the filter to the kernel.
        sandbox = Sandbox(cpu_s, parent_pid)
        limits = FiberLimits(memory_bytes, frame_bytes, log_bytes)
        fibers = FiberChannel()
        rehearse(snapshots, fibers, limits)
        # After the rehearsal: it opens files and makes callbacks, which are given up here.
        taken = confine(data_bytes, parent_pid)
        # Proved once in a process of its own: a worker that was not locked in would run actions all the same.
        sandbox.prove()
        if deny_all():
            taken.append("landlock")
    except Exception as error:  # noqa: BLE001 - whatever it is, the node's log is where it can be read
        channel.send("B", f"{type(error).__name__}: {error}")
        os._exit(1)
    # A collection would write to every object it looks at, and so copy the memory workers share.
    gc.disable()
    gc.freeze()
    channel.send("R", " ".join(taken))
    forking.serve()
    _work(snapshots, sandbox, fibers, limits)


def _work(snapshots: Snapshots, sandbox: Sandbox, fibers: FiberChannel, limits: FiberLimits) -> None:
    """Lock the worker in, say that it is ready, and serve; do not return."""
    channel.send("P", str(os.getpid()))
    try:
        fibers.open()
        # Before the sandbox: no thread can be made in it.
        ticker = Ticker(snapshots.advance_epoch)
        sandbox.enter()
        # After the lock-in: a call that the filter forbids ends the worker now, and not in an action.
        snapshots.rehearse(limits.memory_bytes)
    except Exception as error:  # noqa: BLE001 - whatever it is, the node's log is where it can be read
        channel.send("B", f"{type(error).__name__}: {error}")
        os._exit(1)
    channel.send("R", "")
    try:
        Scheduler(snapshots, ticker, fibers, limits).run()
    finally:
        # Without the interpreter's own tidying up, whatever happened: the node sees how it ended.
        os._exit(1)

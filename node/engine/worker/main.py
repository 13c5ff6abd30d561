"""A worker from the fork to its end."""

import os

from node.engine.worker import channel
from node.engine.worker.lane import LaneLimits
from node.engine.worker.sandbox import Sandbox
from node.engine.worker.scheduler import Scheduler
from node.engine.worker.snapshots import Snapshots
from node.engine.worker.ticker import Ticker


def live(snapshots: Snapshots, sandbox: Sandbox, lanes: channel.LaneChannel, limits: LaneLimits) -> None:
    """Lock the process in, say that it is ready, and serve; does not return."""
    channel.send("P", str(os.getpid()))
    try:
        lanes.open()
        ticker = Ticker(snapshots.advance_epoch)
        sandbox.enter()
        snapshots.rehearse()
    except Exception as error:  # noqa: BLE001 - whatever it is, the node's log is where it can be read
        channel.send("B", f"{type(error).__name__}: {error}")
        os._exit(1)
    channel.send("R", "")
    try:
        Scheduler(snapshots, ticker, lanes, limits).run()
    finally:
        # Without the interpreter's own tidying up, whatever happened: the node sees how it ended.
        os._exit(1)

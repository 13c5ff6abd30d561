"""The priority of actions that run long: the scheduler's idle class, where they get what nobody else wants."""

import contextlib
import os

import structlog

_log = structlog.get_logger(__name__)


class Priority:
    """Lowers processes of ours; `refused` once the kernel has said no."""

    def __init__(self) -> None:
        self.refused = False

    def lower(self, pid: int) -> None:
        """Give an unreaped child of ours the lowest priority, for good; refused, it stays as it is and is logged once."""
        try:
            with contextlib.suppress(ProcessLookupError):
                os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))
        except PermissionError:
            if not self.refused:
                _log.warning("action_priority_not_lowered", fix="run as another user than root, or with CAP_SYS_NICE")
            self.refused = True

"""What the process does for its own secrets: no core dumps, and no reading of its memory by others of its user."""

import ctypes
import resource
import sys
from typing import Final

from node.errors import StartupRefusedError

PR_GET_DUMPABLE: Final = 3
PR_SET_DUMPABLE: Final = 4
_WHERE: Final = "operating system"


def harden_process() -> None:
    """No core file, and on Linux not dumpable: prctl(2) PR_SET_DUMPABLE also closes ptrace and /proc/PID/mem.

    Raises StartupRefusedError where the system does not let it.
    """
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (OSError, ValueError):
        raise StartupRefusedError(_WHERE, "does not let this process limit itself (setrlimit).") from None
    if sys.platform == "linux":
        prctl = ctypes.CDLL(None, use_errno=True).prctl
        if prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 or prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0:
            raise StartupRefusedError(_WHERE, "does not let this process close its memory to others (PR_SET_DUMPABLE).")

"""What the process does for its own secrets: no core dumps, and no reading of its memory by others of its user."""

import ctypes
import resource
import sys
from typing import Final

PR_SET_DUMPABLE: Final = 4


def harden_process() -> None:
    """No core file, and on Linux not dumpable: prctl(2) PR_SET_DUMPABLE also closes ptrace and /proc/PID/mem."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)

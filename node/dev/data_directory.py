"""The development node's data directory: private, and used by one node at a time."""

import asyncio
import contextlib
import fcntl
import os
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from node.errors import StartupRefusedError

LOCK_TIMEOUT_S: Final = 30.0
RETRY_INTERVAL_S: Final = 0.05


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.asynccontextmanager
async def locked_data_directory(directory: Path) -> AsyncIterator[int]:
    """Make the directory (mode 0700) and hold its lock; yields the lock's descriptor.

    Waits a while for a killed node's local chain, which inherits the lock and stops by itself.
    Raises StartupRefusedError when another node keeps the lock.
    """
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(directory / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + LOCK_TIMEOUT_S
        announced = False
        while not _try_lock(descriptor):
            if not announced:
                sys.stderr.write(f"waiting for the node that still uses {directory}\n")
                announced = True
            if time.monotonic() > deadline:
                raise StartupRefusedError("data_dir", f"another node is using {directory}; stop it or choose another.")
            await asyncio.sleep(RETRY_INTERVAL_S)
        yield descriptor
    finally:
        os.close(descriptor)

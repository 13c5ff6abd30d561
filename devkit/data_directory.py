"""The development node's data directory, private, and used by one node at a time."""

import asyncio
import contextlib
import fcntl
import os
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

from node.errors import StartupRefusedError

CHAIN_STOP_TIMEOUT_S: Final = 30.0
RETRY_INTERVAL_S: Final = 0.05


def _try_lock(descriptor: int) -> bool:
    try:
        # flock belongs to the open file, which the chain inherits. A record lock (fcntl) would end
        # with the node's process.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    # Close-on-exec, so that only the child that gets it by `pass_fds` holds the lock.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


async def _wait_for_the_chain(descriptor: int, directory: Path) -> None:
    deadline = time.monotonic() + CHAIN_STOP_TIMEOUT_S
    announced = False
    while not _try_lock(descriptor):
        if not announced:
            sys.stderr.write(f"waiting for the local chain of a killed node to leave {directory}\n")
            announced = True
        if time.monotonic() > deadline:
            raise StartupRefusedError("data_dir", f"the local chain of a killed node does not leave {directory}.")
        await asyncio.sleep(RETRY_INTERVAL_S)


@contextlib.asynccontextmanager
async def locked_data_directory(directory: Path) -> AsyncIterator[int]:
    """Make the directory (mode 0700) and lock it; yields the lock's descriptor for the chain.

    The node's own lock ends with it. A killed node's chain keeps its lock until it has stopped,
    which is waited for. Raises StartupRefusedError when another node has the directory.
    """
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _opened(directory / "node.lock") as own, _opened(directory / "chain.lock") as chain:
        # Its own lock first, so that of two concurrent starts only one waits for the chain.
        if not _try_lock(own):
            raise StartupRefusedError("data_dir", f"another node is using {directory}; stop it or choose another.")
        await _wait_for_the_chain(chain, directory)
        yield chain

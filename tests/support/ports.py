"""Ports for programs that must be told one, and for addresses at which nobody may answer.

A port that the kernel hands out (port 0) and that is free again is soon somebody else's: of another worker's server, or
of any connection that goes out. These lie below the range of which the kernel takes (from 32768 on, unless a machine is
configured otherwise), and each is locked for as long as the process runs that took it, so that no other worker has it.
"""

import fcntl
import functools
import itertools
import os
import socket
import tempfile
from pathlib import Path
from typing import IO

FIRST, END = 20_000, 32_000
_NEXT = itertools.count(os.getpid())
_LOCKED: list[IO[bytes]] = []


def free_port() -> int:
    """A port of 127.0.0.1, of TCP and UDP, at which nobody listens, and which no other test gets."""
    folder = Path(tempfile.gettempdir(), f"svc-node-test-ports-{os.getuid()}")
    folder.mkdir(exist_ok=True)
    for number in itertools.islice(_NEXT, END - FIRST):
        port = FIRST + number % (END - FIRST)
        if _lock(folder / str(port)) and _nobody_has(port):
            return port
    raise AssertionError("every port for tests is taken")


@functools.cache
def own_port() -> int:
    """One such port, the same each time: for a server of which there is one at a time, and which may stop and come back."""
    return free_port()


def _lock(path: Path) -> bool:
    file = path.open("wb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return False
    _LOCKED.append(file)
    return True


def _nobody_has(port: int) -> bool:
    with socket.socket() as stream, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        try:
            stream.bind(("127.0.0.1", port))
            datagrams.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True

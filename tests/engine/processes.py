"""What /proc says of this process and its children."""

import asyncio
import contextlib
import os
from collections.abc import Callable
from pathlib import Path

_others: set[int] = set()


def note_others() -> None:
    """From now on, what runs already is not looked at: it outlives the tests that began it.

    Python's helper of `multiprocessing` does, and a node that test files share.
    """
    _others.clear()
    _others.update(children())


def children() -> list[int]:
    """Processes whose parent is this one, zombies included, but for others'."""
    found: list[int] = []
    for thread in Path(f"/proc/{os.getpid()}/task").iterdir():
        # A thread can end between being listed and being read.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found += map(int, (thread / "children").read_text().split())
    return sorted(set(found) - _others)


def action_processes() -> list[int]:
    """Children of this process that are in a process group of another: the zygote's."""
    return [pid for pid in children() if os.getpgid(pid) != pid]


def zygotes() -> list[int]:
    """Children of this process that lead a process group."""
    return [pid for pid in children() if os.getpgid(pid) == pid]


async def until(condition: Callable[[], bool], within_s: float = 30.0) -> None:
    """Wait for what only /proc tells; fails the test after `within_s` seconds: long, since machines may be busy."""
    async with asyncio.timeout(within_s):
        while True:
            if condition():
                return
            await asyncio.sleep(0.01)


def descriptors(pid: int | str = "self") -> dict[int, str]:
    """Open descriptors and what they are."""
    found = {}
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found[int(entry.name)] = str(entry.readlink())
        except FileNotFoundError:
            continue
    return found


def status(pid: int) -> dict[str, str]:
    """The fields of /proc/<pid>/status."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}

"""Reads /proc for a process and its descendants: processor time, memory, descriptors, zombies."""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_VANISHED = (FileNotFoundError, ProcessLookupError)


@dataclass(frozen=True, slots=True)
class Process:
    """A process at one moment. `cpu_s` is its own, `reaped_cpu_s` that of the children it has waited for."""

    pid: int
    state: str
    group: int
    cpu_s: float
    reaped_cpu_s: float
    threads: int
    started_ticks: int

    @property
    def zombie(self) -> bool:
        """Ended, and not waited for."""
        return self.state == "Z"


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes: all that is mapped in, shared pages by their share, and what no other process has."""

    rss: int
    pss: int
    private: int


def process(pid: int) -> Process | None:
    """Parse `/proc/<pid>/stat`; None when there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except _VANISHED:
        return None
    # The name may hold anything, brackets too: the fields begin after the last one.
    fields = text.rpartition(")")[2].split()
    # proc(5), counted from the state, which is field 3: utime, stime, cutime and cstime are fields 14 to 17.
    ticks = [int(field) / _TICKS_PER_S for field in fields[11:15]]
    return Process(
        pid, fields[0], int(fields[2]), ticks[0] + ticks[1], ticks[2] + ticks[3], int(fields[17]), int(fields[19])
    )


def children(pid: int) -> list[Process]:
    """Return the processes whose parent is this one, zombies included."""
    found: list[int] = []
    # A child belongs to the thread that forked it: the list of the main thread alone would miss some.
    for thread in _threads(pid):
        with contextlib.suppress(*_VANISHED):
            found += map(int, (thread / "children").read_text().split())
    return [child for child in map(process, sorted(found)) if child is not None]


def _threads(pid: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except _VANISHED:
        return []


def command(pid: int) -> str:
    """The command line; empty for a zombie and for no process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except _VANISHED:
        return ""


def tree_cpu_s(root: int, without: frozenset[int] = frozenset()) -> float:
    """Processor seconds of a process, of all below it, and of all that ended and were waited for there.

    `without` are processes left out together with what is below them. Exact between two moments as long as every
    child that ends is waited for inside the tree.
    """
    own = process(root)
    if own is None:
        return 0.0
    # A child that ended meanwhile has moved its time into `reaped_cpu_s` of its parent, so workers that come and go are
    # counted once each.
    below = sum(tree_cpu_s(child.pid, without) for child in children(root) if child.pid not in without)
    return own.cpu_s + own.reaped_cpu_s + below


def memory(pid: int) -> Memory | None:
    """From `/proc/<pid>/smaps_rollup`; needs the rights of its owner, or root for one that is not dumpable."""
    fields: dict[str, int] = {}
    try:
        # The first line is a range of addresses; the figures are in KiB. Summed over all who share a page, PSS counts
        # it once and RSS once for each.
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
            name, _, rest = line.partition(":")
            fields[name] = int(rest.split()[0]) * 1024
    except _VANISHED:
        return None
    return Memory(fields["Rss"], fields["Pss"], fields["Private_Clean"] + fields["Private_Dirty"])


def descriptors(pid: int) -> int | None:
    """Return the number of open descriptors; None when there is no such process. Needs the same rights as `memory`."""
    try:
        return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
    except _VANISHED:
        return None

"""Reads CPU time, memory, descriptors and zombies of a process and its descendants from /proc."""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_VANISHED = (FileNotFoundError, ProcessLookupError)


@dataclass(frozen=True, slots=True)
class Process:
    """A process at one moment. `cpu_s` is its own, `reaped_cpu_s` that of its reaped children."""

    pid: int
    state: str
    group: int
    cpu_s: float
    reaped_cpu_s: float
    threads: int
    started_ticks: int

    @property
    def zombie(self) -> bool:
        """Whether it ended and was not reaped."""
        return self.state == "Z"


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes: resident, resident with shared pages divided by their users, and private."""

    rss: int
    pss: int
    private: int


def process(pid: int) -> Process | None:
    """Parses `/proc/<pid>/stat`; None if there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except _VANISHED:
        return None
    # The name may hold brackets, so the fields begin after the last one.
    fields = text.rpartition(")")[2].split()
    # The state is field 3 in proc(5). Fields 14 to 17 are utime, stime, cutime and cstime.
    ticks = [int(field) / _TICKS_PER_S for field in fields[11:15]]
    return Process(
        pid, fields[0], int(fields[2]), ticks[0] + ticks[1], ticks[2] + ticks[3], int(fields[17]), int(fields[19])
    )


def children(pid: int) -> list[Process]:
    """Returns the processes whose parent is this one, zombies included."""
    found: list[int] = []
    # A child belongs to the thread that forked it, so read the lists of all threads.
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
    """Returns the command line; empty for a zombie or no process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except _VANISHED:
        return ""


def tree_cpu_s(root: int, without: frozenset[int] = frozenset()) -> float:
    """Returns CPU seconds of a process and its descendants, reaped ones included.

    Omits `without` and their descendants. Exact between two moments if every child that ends is
    reaped inside the tree.
    """
    own = process(root)
    if own is None:
        return 0.0
    # A reaped child's time moves into its parent's `reaped_cpu_s`, so workers that end
    # are counted once.
    below = sum(tree_cpu_s(child.pid, without) for child in children(root) if child.pid not in without)
    return own.cpu_s + own.reaped_cpu_s + below


def memory(pid: int) -> Memory | None:
    """Reads `/proc/<pid>/smaps_rollup`; needs its owner's rights, or root if not dumpable."""
    fields: dict[str, int] = {}
    try:
        # The first line is a range of addresses; figures are in KiB. Over all sharers of a
        # page, the sum of PSS counts it once and that of RSS once for each.
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
            name, _, rest = line.partition(":")
            fields[name] = int(rest.split()[0]) * 1024
    except _VANISHED:
        return None
    return Memory(fields["Rss"], fields["Pss"], fields["Private_Clean"] + fields["Private_Dirty"])


def descriptors(pid: int) -> int | None:
    """Returns the number of open descriptors; None without the process. Rights as `memory`."""
    try:
        return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
    except _VANISHED:
        return None

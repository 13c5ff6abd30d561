"""Memory that the container may use, and its free part, from the kernel's counters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_KIB: Final = 1024


@dataclass(frozen=True, slots=True)
class Measured:
    """Bytes of memory that the container may use, and the free part of them."""

    total_bytes: int
    available_bytes: int


class ContainerMemory:
    """The tightest limit of machine and control groups. `root` contains `proc` and `sys`."""

    def __init__(self, root: Path = Path("/")) -> None:
        self._meminfo = root / "proc/meminfo"
        self._groups = _groups(root)

    def look(self) -> Measured:
        """Reads the kernel's counters. Raises OSError if the machine's cannot be read."""
        machine = _numbers(self._meminfo.read_text().replace(":", " "))
        found = [Measured(machine["MemTotal"] * _KIB, machine["MemAvailable"] * _KIB)]
        for group in self._groups:
            measured = group.look()
            if measured is not None:
                found.append(measured)
        # The kernel ends processes as soon as any limit is reached, so take the tightest.
        return Measured(min(each.total_bytes for each in found), min(each.available_bytes for each in found))


class _Group:
    """A control group; versions 1 and 2 name its files differently."""

    def __init__(self, folder: Path, limit: str, usage: str, reclaimable: str) -> None:
        self.limit = folder / limit
        self._usage = folder / usage
        self._statistics = folder / "memory.stat"
        self._reclaimable = reclaimable

    def look(self) -> Measured | None:
        """Measures the group; None if it has no limit, or is gone.

        Cached files do not count as used, since the kernel can drop them.
        """
        try:
            limit = self.limit.read_text().strip()
            # Version 2 writes this for no limit. Version 1 has a number above any real limit.
            if limit == "max":
                return None
            used_bytes = int(self._usage.read_text())
            cached_bytes = _numbers(self._statistics.read_text()).get(self._reclaimable, 0)
        except (OSError, ValueError):
            return None
        return Measured(int(limit), max(int(limit) - max(used_bytes - cached_bytes, 0), 0))


def _groups(root: Path) -> Sequence[_Group]:
    """Returns the groups with a limit for this process, from its own to the mount's root.

    In a container the path may be the outside one; the mount's root is then the own group.
    """
    found: list[_Group] = []
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []  # a kernel without control groups
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            for mount in ("sys/fs/cgroup", "sys/fs/cgroup/unified"):
                found += [
                    _Group(folder, "memory.max", "memory.current", "inactive_file")
                    for folder in _upwards(root / mount, path)
                ]
        elif "memory" in controllers.split(","):
            found += [
                _Group(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
                for folder in _upwards(root / "sys/fs/cgroup/memory", path)
            ]
    return [group for group in found if group.limit.exists()]


def _upwards(mount: Path, path: str) -> Sequence[Path]:
    folder = mount / path.strip("/")
    return [folder, *(parent for parent in folder.parents if parent.is_relative_to(mount))]


def _numbers(text: str) -> Mapping[str, int]:
    """Parses lines of a name and a number, and ignores units."""
    return {parts[0]: int(parts[1]) for parts in map(str.split, text.splitlines()) if len(parts) > 1}

"""What this container may use, and what is left of it: its control groups (v2 and v1), and the machine."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from node.engine.admission.headroom import Measured

_KIB: Final = 1024


class Memory(Protocol):
    """Where memory is measured."""

    def look(self) -> Measured:
        """As it is now."""
        ...


class ContainerMemory:
    """The tightest of the machine and of every control group above this process. `root` holds `proc` and `sys`."""

    def __init__(self, root: Path = Path("/")) -> None:
        self._meminfo = root / "proc/meminfo"
        self._groups = _groups(root)

    def look(self) -> Measured:
        """Read the kernel's counters. Raises OSError when the machine's cannot be read."""
        found = [_of_machine(self._meminfo.read_text())]
        for group in self._groups:
            measured = group.look()
            if measured is not None:
                found.append(measured)
        return Measured(min(each.total_bytes for each in found), min(each.available_bytes for each in found))


class _Group:
    """One control group: the names of its files differ between the versions."""

    def __init__(self, folder: Path, limit: str, usage: str, reclaimable: str) -> None:
        self.limit = folder / limit
        self._usage = folder / usage
        self._statistics = folder / "memory.stat"
        self._reclaimable = reclaimable

    def look(self) -> Measured | None:
        """None where it sets no limit, or is gone. Cached files do not count as used: the kernel gives them up."""
        try:
            limit = self.limit.read_text().strip()
            if limit == "max":
                return None
            used_bytes = int(self._usage.read_text())
            cached_bytes = _numbers(self._statistics.read_text()).get(self._reclaimable, 0)
        except (OSError, ValueError):
            return None
        return Measured(int(limit), max(int(limit) - max(used_bytes - cached_bytes, 0), 0))


def _groups(root: Path) -> Sequence[_Group]:
    """Every group with a limit of this process, from its own up to the mount's root.

    In a container the path may be told from outside it: then the mount's root is the container's own group.
    """
    found: list[_Group] = []
    for line in (root / "proc/self/cgroup").read_text().splitlines():
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


def _of_machine(meminfo: str) -> Measured:
    values = _numbers(meminfo.replace(":", " "))
    return Measured(values["MemTotal"] * _KIB, values["MemAvailable"] * _KIB)


def _numbers(text: str) -> Mapping[str, int]:
    """Lines of a name and a number, whatever unit follows."""
    return {parts[0]: int(parts[1]) for parts in map(str.split, text.splitlines()) if len(parts) > 1}

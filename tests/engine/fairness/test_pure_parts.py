"""What is told of waiting, whether there is memory, and who goes when there is not."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.engine.admission.gate import Headroom, RetryAfter
from node.engine.admission.guard import Held, largest
from node.engine.admission.memory import ContainerMemory, Measured
from node.settings.execution import ActionSettings

MIB = 1024 * 1024


def test_retry_after_grows_with_the_queue_and_falls_with_the_pace() -> None:
    slow, quick = RetryAfter(0.0, 60), RetryAfter(0.0, 60)
    for number in range(1, 11):
        slow.started(number * 0.5)
        quick.started(number * 0.01)
    assert slow.seconds(3, 5.0) == 2
    assert slow.seconds(20, 5.0) == 10
    assert quick.seconds(20, 0.1) == 1
    assert slow.seconds(1_000_000, 5.0) == 60


def test_while_nothing_starts_one_is_told_to_wait_longer_and_longer() -> None:
    retry_after = RetryAfter(0.0, 60)
    retry_after.started(0.1)
    told = [retry_after.seconds(4, now) for now in (0.2, 5.0, 20.0, 40.0)]
    assert told == sorted(told)
    assert told[0] == 1
    assert told[-1] == 60


@given(st.lists(st.floats(0, 1000), max_size=50), st.integers(0, 10_000), st.floats(0, 2000))
def test_retry_after_is_within_its_bounds(starts: list[float], waiting: int, now: float) -> None:
    retry_after = RetryAfter(0.0, 30)
    for start in sorted(starts):
        retry_after.started(start)
    assert 1 <= retry_after.seconds(waiting, now) <= 30


def test_memory_is_kept_free_for_the_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.admission.gate.START_BYTES", MIB)
    monkeypatch.setattr("node.engine.admission.gate.RESERVE_PERCENT", 0)
    headroom = Headroom(ActionSettings(action_memory_reserve_bytes=100 * MIB))
    assert headroom.for_one_more()
    assert headroom.measured(Measured(1000 * MIB, 102 * MIB), 0) == 0
    for expected in (True, True, False, False):
        assert headroom.for_one_more() is expected
        headroom.started()
    assert headroom.measured(Measured(1000 * MIB, 50 * MIB), 0) == 0
    assert not headroom.for_one_more()
    assert headroom.measured(Measured(1000 * MIB, 30 * MIB), 0) == 20 * MIB
    headroom.measured(Measured(1000 * MIB, 102 * MIB), 0, beginning=1)
    assert headroom.for_one_more()
    headroom.measured(Measured(1000 * MIB, 102 * MIB), 0, beginning=2)
    assert not headroom.for_one_more()


def test_the_larger_reserve_counts() -> None:
    headroom = Headroom(ActionSettings(action_memory_reserve_bytes=100 * MIB))
    assert headroom.reserve_bytes(Measured(10_000 * MIB, 0)) == 1000 * MIB
    assert headroom.reserve_bytes(Measured(500 * MIB, 0)) == 100 * MIB


def test_of_the_account_that_holds_most_the_largest_goes() -> None:
    many_small = [Held(index, 1, 5 * MIB, index) for index in range(10)]
    one_larger = [Held(100, 2, 40 * MIB, 0.0), Held(101, 2, MIB, 50.0)]
    assert largest([*many_small, *one_larger]).index == 9
    assert largest([*many_small[:5], *one_larger]).index == 100


def tree(root: Path, cgroup: str, files: dict[str, str]) -> ContainerMemory:
    meminfo = {"proc/meminfo": "MemTotal: 8000 kB\nMemFree: 10 kB\nMemAvailable: 6000 kB\n", "proc/self/cgroup": cgroup}
    for name, text in (meminfo | files).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return ContainerMemory(root)


V2 = {"memory.max": "4096000\n", "memory.current": "3000000\n", "memory.stat": "anon 5\ninactive_file 1000000\n"}
V1 = {
    "memory.limit_in_bytes": "4096000\n",
    "memory.usage_in_bytes": "3000000\n",
    "memory.stat": "inactive_file 5\ntotal_inactive_file 1000000\n",
}
LEFT = Measured(4_096_000, 2_096_000)
MACHINE = Measured(8_192_000, 6_144_000)


def under(folder: str, files: dict[str, str]) -> dict[str, str]:
    return {f"sys/fs/cgroup/{folder}{name}": text for name, text in files.items()}


def test_a_machine_without_groups(tmp_path: Path) -> None:
    assert tree(tmp_path, "", {}).look() == MACHINE


def test_version_two_seen_from_inside_a_container(tmp_path: Path) -> None:
    assert tree(tmp_path, "0::/\n", under("", V2)).look() == LEFT


def test_version_two_with_a_path_that_only_the_host_knows(tmp_path: Path) -> None:
    assert tree(tmp_path, "0::/../other/scope\n", under("", V2)).look() == LEFT


def test_version_two_with_the_limit_above(tmp_path: Path) -> None:
    own = under("a/b/", V2 | {"memory.max": "max\n"})
    assert tree(tmp_path, "0::/a/b\n", own | under("a/", V2)).look() == LEFT


def test_version_one(tmp_path: Path) -> None:
    cgroup = "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n"
    assert tree(tmp_path, cgroup, under("memory/docker/abc/", V1)).look() == LEFT
    unlimited = V1 | {"memory.limit_in_bytes": str(2**63 - 4096)}
    assert tree(tmp_path, cgroup, under("memory/docker/abc/", unlimited)).look() == MACHINE


def test_this_machine() -> None:
    memory = ContainerMemory().look()
    assert 0 < memory.available_bytes <= memory.total_bytes


def test_without_control_groups_the_machine_counts(tmp_path: Path) -> None:
    tree(tmp_path, "", {})
    (tmp_path / "proc/self/cgroup").unlink()
    assert ContainerMemory(tmp_path).look() == MACHINE

"""What the benchmarks read from /proc, against processes of the test's own."""

import mmap
import os
import subprocess
import sys

from benchmarks.processes import children, command, descriptors, memory, process, tree_cpu_s

BUSY_S = 0.3
TICKS_S = 0.05  # the kernel rounds each figure down to a hundredth
MEBIBYTE = 1024 * 1024


def _busy() -> str:
    return f"import time; end = time.process_time() + {BUSY_S}\nwhile time.process_time() < end: pass"


def test_a_child_that_nobody_waited_for_is_a_zombie_until_somebody_does() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert [child.pid for child in children(os.getpid()) if child.zombie] == [pid]
    assert command(pid) == ""
    os.waitpid(pid, 0)
    assert process(pid) is None
    assert pid not in [child.pid for child in children(os.getpid())]


def test_the_time_of_a_tree_holds_that_of_children_running_and_gone() -> None:
    before = tree_cpu_s(os.getpid())
    subprocess.run([sys.executable, "-c", _busy()], check=True)
    assert tree_cpu_s(os.getpid()) - before >= BUSY_S - TICKS_S
    source = f"import sys\n{_busy()}\nprint('done', flush=True)\nsys.stdin.read()"
    before = tree_cpu_s(os.getpid())
    with subprocess.Popen([sys.executable, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"done\n"
        assert tree_cpu_s(os.getpid()) - before >= BUSY_S - TICKS_S
        assert tree_cpu_s(os.getpid(), without=frozenset({running.pid})) - before < BUSY_S
        running.communicate()


def test_memory_and_descriptors_are_seen_to_grow() -> None:
    before, held = memory(os.getpid()), descriptors(os.getpid())
    # Mapped anew: a worker that has run thousands of tests would fill memory that it was given long ago.
    kept = mmap.mmap(-1, 32 * MEBIBYTE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    kept.write(os.urandom(MEBIBYTE) * 32)
    files = [os.dup(0) for _ in range(5)]
    after = memory(os.getpid())
    assert before is not None
    assert after is not None
    assert after.private - before.private >= 30 * MEBIBYTE
    assert after.pss - before.pss >= 30 * MEBIBYTE
    assert held is not None
    assert descriptors(os.getpid()) == held + len(files)
    for each in files:
        os.close(each)
    kept.close()


def test_a_process_that_is_gone_is_nothing() -> None:
    pid = subprocess.Popen([sys.executable, "-c", ""])
    pid.wait()
    assert (process(pid.pid), memory(pid.pid), descriptors(pid.pid)) == (None, None, None)
    assert (children(pid.pid), command(pid.pid), tree_cpu_s(pid.pid)) == ([], "", 0.0)

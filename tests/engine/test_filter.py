"""An engine that was taken over: from inside a real child every way out ends the process, or finds nothing."""

import mmap
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from node.engine.worker import kernel
from tests.engine.bare import BareWorker, bare_zygote, start_frame
from tests.engine.hosts import LIMITS

HERE = Path(__file__).parent
DATA_BYTES = 256 << 20
CPU_S = 30
ANONYMOUS = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
GROWS_DOWN = 0x100

ATTEMPTS = {
    "open a file": "open('/etc/passwd')",
    "open a file the newest way": "syscall(437, -100, b'/etc/passwd', bytes(24), 24)",
    "list a directory": "os.listdir('/')",
    "look at a file": "os.stat('/etc/passwd')",
    "make a directory": "os.mkdir('/tmp/escaped')",
    "change the root": "os.chroot('/')",
    "make a socket": "socket.socket()",
    "make two sockets": "socket.socketpair()",
    "pass a descriptor": "syscall(46, 0, 0, 0)",
    "take a descriptor": "syscall(47, 0, 0, 0)",
    "fork": "os.fork()",
    "fork the oldest way": "syscall(57)",
    "fork the newest way": "syscall(435, bytes(64), 64)",
    "start a thread": "_thread.start_new_thread(print, ())",
    "execute": "os.execv('/bin/true', ['true'])",
    "execute a descriptor": "syscall(322, 0, b'', 0, 0, 0x1000)",
    "kill the node": "os.kill(os.getppid(), 9)",
    "kill itself by a thread's number": "syscall(234, 1, 1, 9)",
    "kill by descriptor": "syscall(424, 0, 9, 0, 0)",
    "ask who its parent is": "os.getppid()",
    "read another descriptor": "os.read(1, 1)",
    "write another descriptor": "os.write(2, b'x')",
    "read at a place of another": "syscall(17, 1, 0, 0, 0)",
    "write from many": "syscall(20, 0, 0, 0)",
    "duplicate a descriptor": "os.dup(0)",
    "close a descriptor": "os.close(2)",
    "control a descriptor": "syscall(72, 0, 0)",
    "control a device": "syscall(16, 0, 0x5401, 0)",
    "splice": "syscall(275, 0, 0, 1, 0, 1, 0)",
    "a pipe": "os.pipe()",
    "memory as a file": "os.memfd_create('x')",
    "shared memory": "syscall(29, 0, 4096, 0o1666)",
    "a message queue": "syscall(68, 0, 0)",
    "trace": "libc.ptrace(0, 0, 0, 0)",
    "read another process": "libc.process_vm_readv(1, 0, 0, 0, 0, 0)",
    "executable memory": "mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)",
    "memory made executable": "syscall(10, 0, 4096, 5)",
    "memory made executable by key": "syscall(329, 0, 4096, 5, -1)",
    "io_uring": "syscall(425, 1, 0)",
    "asynchronous input": "syscall(206, 1, 0)",
    "another user": "os.setuid(0)",
    "capabilities": "syscall(126, 0, 0)",
    "raise its limits": "resource.setrlimit(resource.RLIMIT_CPU, (99, 99))",
    "raise another's limits": "syscall(302, 0, 0, 0, 0)",
    "change its priority": "os.nice(-5)",
    "handle a signal": "syscall(13, 24, 0, 0, 8)",
    "block a signal": "syscall(14, 0, bytes(8), 0, 8)",
    "become dumpable": "libc.prctl(4, 1, 0, 0, 0)",
    "outlive the node": "libc.prctl(1, 0, 0, 0, 0)",
    "another filter": "syscall(317, 1, 0, 0)",
    "an x32 call": "syscall(0x40000000 + 39)",
    "a 32-bit personality": "libc.personality(8)",
    "segments of its own": "syscall(154, 0, 0, 0)",
    "the kernel's keys": "syscall(250, 0, 0, 0, 0, 0)",
    "a new namespace": "libc.unshare(0x10000000)",
    "another's namespace": "syscall(308, 0, 0)",
    "a mount": "syscall(165, b'x', b'/', b'tmpfs', 0, 0)",
    "a mount the newest way": "syscall(430, b'tmpfs', 0)",
    "programs for the kernel": "syscall(321, 0, 0, 0)",
    "counters of the processor": "syscall(298, 0, 0, -1, -1, 0)",
    "faults of its own": "syscall(323, 0)",
    "a timer": "syscall(222, 0, 0, 0)",
    "a watch on files": "syscall(253)",
    "the clock": "time.clock_settime(0, 0)",
    "the host's name": "socket.sethostname('x')",
    "a module": "syscall(175, 0, 0, 0)",
    "the end of the machine": "syscall(169, 0, 0, 0, 0)",
    "the kernel's log": "syscall(103, 3, 0, 0)",
    "wake who waits in another process": "syscall(202, area(1), 1, 1)",
    "shared anonymous memory": "libc.mmap(None, 4096, 3, 0x21, -1, 0)",
    "a shared view of a file": "libc.mmap(None, 4096, 3, 1, 1, 0)",
    "memory that grows by itself": "libc.mmap(None, 4096, 3, 0x122, -1, 0)",
    "written memory made read-only": "syscall(10, area(1), 4096, 1)",
}
"""`area(n)` is the address of n fresh pages."""
NEEDED = {
    "randomness": "os.urandom(8)",
    "memory": "bytearray(50 << 20)",
    "the time": "time.time()",
    "its own channel": "os.write(0, b'')",
    "pages before they are written": "assert syscall(28, ctypes.c_void_p(area(4)), 4 * 4096, 23) == 0",
    "pages before they are read": "assert syscall(28, ctypes.c_void_p(area(4)), 4 * 4096, 22) == 0",
    "the number of its faults": "assert resource.getrusage(resource.RUSAGE_THREAD).ru_minflt > 0",
    "its ticker": "while len(ticks) < 3: time.monotonic()",
    "to wait": "import select; poll = select.poll(); poll.register(0, 1); poll.poll(1)",
}
FILL = f"""
libc.mremap.restype = ctypes.c_void_p
libc.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]

def area(pages):
    return libc.mmap(None, pages * 4096, 3, {ANONYMOUS}, -1, 0)
def filled(pages):
    at = area(pages)
    if at == 2**64 - 1:
        raise MemoryError
    ctypes.memset(at, 1, pages * 4096)
    return at
STACK = ctypes.c_void_p.in_dll(libc, '__libc_stack_end').value & ~4095
def stack_of(size):
    # The lowest page of the stack that there is, which nothing uses.
    for page in range(STACK - 4096 * 80, STACK - 4096 * 8, 4096):
        at = libc.mremap(page, 4096, size, 1)
        if at != 2**64 - 1:
            return at
    raise MemoryError
"""
EVASIONS = {
    "as it is": "filled(2560)",
    "hidden after it was written": "syscall(10, filled(2560), 2560 * 4096, 0)",
    "by brk": "libc.sbrk.restype = ctypes.c_void_p; at = libc.sbrk(10 << 20); assert at != 2**64 - 1; ctypes.memset(at, 1, 10 << 20)",
    "had before it was written": "at = area(2560); assert syscall(28, ctypes.c_void_p(at), 2560 * 4096, 23) == 0",
    "moved away": "libc.mremap(filled(2560), 2560 * 4096, 2560 * 4096, 1)",
    "the stack, moved and made larger": "ctypes.memset(stack_of(10 << 20), 1, 10 << 20)",
}
"""Ways to write ten megabytes that must all count."""


@contextmanager
def prisoner(kind: str = "jailed", cpu_s: int = CPU_S) -> Iterator[BareWorker]:
    """A worker that runs the Python it is sent."""
    numbers = map(str, (DATA_BYTES, cpu_s, os.getpid()))
    command = [sys.executable, "-I", "-S", str(HERE / "prisoner.py"), kind, *numbers, str(HERE.parents[1])]
    with bare_zygote(LIMITS, command) as zygote, zygote.fork() as worker:
        yield worker


def ending(worker: BareWorker, code: str) -> tuple[str | None, signal.Signals | None]:
    """What Python code says of its error, if it ends by one, and the signal that ended its process."""
    worker.socket.sendall(f"{FILL}\n{code}".encode())
    try:
        kind, text = start_frame(worker.socket)
        assert kind == "E"
    except EOFError:
        return None, worker.end_signal()
    return text, worker.end_signal()


def has_landlock() -> bool:
    try:
        return kernel.call(444, 0, 0, 1) > 0
    except OSError:
        return False


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_the_filter_kills(attempt: str) -> None:
    with prisoner() as worker:
        assert ending(worker, ATTEMPTS[attempt]) == (None, signal.SIGSYS)


@pytest.mark.parametrize("need", NEEDED)
def test_what_a_worker_needs_is_allowed(need: str) -> None:
    with prisoner() as worker:
        assert ending(worker, NEEDED[need]) == (None, None)


def test_the_filter_holds_in_the_second_thread() -> None:
    # The ticker calls what `append` is by then, in its own thread.
    with prisoner() as worker:
        assert ending(worker, "tick = lambda: os.getppid()\nticker._tick = tick\nwhile True: pass") == (
            None,
            signal.SIGSYS,
        )


@pytest.mark.parametrize("way", EVASIONS)
def test_written_memory_is_bounded_whatever_is_done_to_it(way: str) -> None:
    """The limit stops a process that was taken over where no memory of a control group does."""
    with prisoner() as worker:
        said, ended = ending(worker, f"for _ in range({4 * DATA_BYTES // (10 << 20)}): {EVASIONS[way]}")
        assert ended is None
        assert said is not None
        assert said.startswith(("MemoryError", "AssertionError"))


@pytest.mark.parametrize("advice", [8, 9, 12, 14, 15, 20, 21, 25, 100, 102])
def test_no_advice_on_memory_but_to_give_it_back_and_to_have_it(advice: int) -> None:
    """Pages merged with another process' tell what those hold; files that are written out slow every worker down."""
    code = (
        f"at = filled(1); assert syscall(28, ctypes.c_void_p(at), 4096, {advice}) == -1 and ctypes.get_errno() == 1\n"
        "assert syscall(28, ctypes.c_void_p(at), 4096, 4) == 0 and ctypes.string_at(at, 4096) == bytes(4096)"
    )
    with prisoner() as worker:
        assert ending(worker, code) == (None, None)


def test_pages_that_are_only_read_cost_the_kernel_little() -> None:
    """Each 2 MiB of them takes a page of the kernel's, which no limit of data counts."""
    with prisoner() as worker:
        said, _ = ending(
            worker, "assert libc.mmap(None, 1 << 40, 1, 0x4022, -1, 0) == 2**64 - 1, 'mapped'; raise OSError"
        )
        assert said == "OSError: "


def test_what_snapshots_are_mapped_from_cannot_be_written() -> None:
    for way in ("os.write(1, b'x')", "os.pwrite(1, b'x', 0)", "os.ftruncate(1, 0)", "os.open('/proc/self/fd/1', 2)"):
        with prisoner() as worker:
            assert ending(worker, way) == (None, signal.SIGSYS)


@pytest.mark.parametrize(("code", "end"), [("b80c000000cd80c3", signal.SIGSYS), ("b814000000c3", None)])
def test_a_32_bit_call_is_killed(code: str, end: signal.Signals | None) -> None:
    # `int 0x80` with eax = 12, which is `brk` of the filter's list to 64 bits and `chdir` to 32; then without the call.
    # The page is made executable while there is no filter yet.
    with prisoner("plain") as worker:
        said = ending(
            worker,
            f"page = mmap.mmap(-1, 4096, prot=7); page.write(bytes.fromhex('{code}'))\n"
            "address = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
            "sandbox.enter()\n"
            "ctypes.CFUNCTYPE(ctypes.c_int)(address)()",
        )
        assert said == (None, end)


def test_what_calls_back_into_python_cannot_be_written() -> None:
    with prisoner() as worker:
        assert ending(worker, "ctypes.memset(entry & ~4095, 0xCC, 4096)") == (None, signal.SIGSEGV)
    with prisoner() as worker:
        assert ending(worker, "assert calls_back() == 7") == (None, None)


@pytest.mark.skipif(not has_landlock(), reason="this kernel has no landlock")
@pytest.mark.parametrize(
    "attempt", ["open('/etc/passwd')", "os.listdir('/')", "os.mkdir('/tmp/escaped')", "os.execv('/bin/true', ['true'])"]
)
def test_landlock_denies_files_even_without_the_filter(attempt: str) -> None:
    with prisoner("landlocked") as worker:
        assert "PermissionError" in (ending(worker, attempt)[0] or "")


@pytest.mark.parametrize(
    "attempt",
    [
        "socket.socket().connect(('127.0.0.1', 9))",
        "os.setuid(0)",
        "assert libc.unshare(0x10000000) == 0",
        # Another user's; in a container the first process may be this user's own.
        pytest.param("os.kill(1, 0)", marks=pytest.mark.needs_root),
        "bytearray(1 << 30)",
    ],
)
def test_the_zygote_gave_up_what_it_could_for_its_workers(attempt: str) -> None:
    with prisoner("confined") as worker:
        assert ending(worker, attempt)[0] is not None


def test_processor_time_ends() -> None:
    with prisoner(cpu_s=1) as worker:
        said = ending(worker, "while True: pass")
        assert said == (None, signal.SIGXCPU), "it looks as if the machine's memory had run out"

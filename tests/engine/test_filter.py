"""An engine that was taken over: from inside a real child every way out ends the process, or finds nothing."""

import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from node.engine.child import kernel
from node.engine.child_process import ChildProcess
from node.engine.frames import Kind
from node.engine.limits import EngineLimits
from node.engine.spawn import Spawner
from node.engine.zygote_process import zygote_command
from tests.engine.hosts import LIMITS

HERE = Path(__file__).parent

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
}
NEEDED = {
    "randomness": "os.urandom(8)",
    "memory": "bytearray(50 << 20)",
    "the time": "time.time()",
    "its own channel": "os.write(0, b'')",
}


@asynccontextmanager
async def prisoner(kind: str = "jailed", limits: EngineLimits = LIMITS) -> AsyncIterator[ChildProcess]:
    """A child that runs the Python it is sent."""

    def command(limits: EngineLimits) -> Sequence[str]:
        numbers = zygote_command(limits)[-5:]
        return [sys.executable, "-I", "-S", str(HERE / "prisoner.py"), kind, *numbers, str(HERE.parents[1])]

    spawner = Spawner(limits, command)
    child = await spawner.spawn()
    try:
        yield child
    finally:
        await child.close()
        await spawner.close()


def has_landlock() -> bool:
    try:
        return kernel.call(444, 0, 0, 1) > 0
    except OSError:
        return False


async def answer(child: ChildProcess) -> str | None:
    frame = await child.receive()
    assert frame is None or frame.kind is Kind.ERROR
    return frame.body.decode() if frame else None


@pytest.mark.parametrize("attempt", ATTEMPTS)
async def test_the_filter_kills(attempt: str) -> None:
    async with prisoner() as child:
        await child.send("J", ATTEMPTS[attempt])
        assert await answer(child) is None
        assert await child.exit_signal() == signal.SIGSYS


@pytest.mark.parametrize("need", NEEDED)
async def test_what_an_action_needs_is_allowed(need: str) -> None:
    async with prisoner() as child:
        await child.send("J", NEEDED[need])
        assert await answer(child) is None
        assert await child.exit_signal() is None


@pytest.mark.parametrize(("code", "end"), [("b80c000000cd80c3", signal.SIGSYS), ("b814000000c3", None)])
async def test_a_32_bit_call_is_killed(code: str, end: signal.Signals | None) -> None:
    # `int 0x80` with eax = 12, which is `brk` of the filter's list to 64 bits and `chdir` to 32; then without the call.
    # The page is made executable while there is no filter yet.
    async with prisoner("plain") as child:
        await child.send(
            "J",
            f"page = mmap.mmap(-1, 4096, prot=7); page.write(bytes.fromhex('{code}'))\n"
            "import sys, ctypes\n"
            "address = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
            "from node.engine.child.sandbox import Sandbox\n"
            "Sandbox(5, os.getppid()).enter()\n"
            "ctypes.CFUNCTYPE(ctypes.c_int)(address)()",
        )
        assert await answer(child) is None
        assert await child.exit_signal() == end


@pytest.mark.skipif(not has_landlock(), reason="this kernel has no landlock")
@pytest.mark.parametrize(
    "attempt", ["open('/etc/passwd')", "os.listdir('/')", "os.mkdir('/tmp/escaped')", "os.execv('/bin/true', ['true'])"]
)
async def test_landlock_denies_files_even_without_the_filter(attempt: str) -> None:
    async with prisoner("landlocked") as child:
        await child.send("J", attempt)
        assert "PermissionError" in (await answer(child) or "")


@pytest.mark.parametrize(
    "attempt",
    [
        "socket.socket().connect(('127.0.0.1', 9))",
        "os.setuid(0)",
        "libc.unshare(0x10000000) == 0 or os.kill(1, 0)",
        "bytearray(1 << 30)",
    ],
)
async def test_the_zygote_gave_up_what_it_could_for_its_children(attempt: str) -> None:
    async with prisoner("confined") as child:
        await child.send("J", attempt)
        assert await answer(child) is not None


async def test_processor_time_ends() -> None:
    limits = EngineLimits(action_timeout_s=-1.0)
    async with prisoner(limits=limits) as child:
        await child.send("J", "while True: pass")
        assert await child.exit_signal() == signal.SIGXCPU, "it looks as if the machine's memory had run out"

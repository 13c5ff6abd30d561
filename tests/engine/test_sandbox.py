"""The process an action runs in: what it has, what it may not do, and that nothing stays behind."""

import asyncio
import os
import secrets
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from node.engine.port import StopReason
from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import LIMITS, EchoHost, never, run
from tests.engine.processes import children, descriptors, status, until

ROOT = Path(__file__).parents[2]

ATTEMPTS = {
    "open a file": "open('/etc/passwd')",
    "list a directory": "os.listdir('/')",
    "make a socket": "socket.socket()",
    "fork": "os.fork()",
    "start a thread": "_thread.start_new_thread(print, ())",
    "execute": "os.execv('/bin/true', ['true'])",
    "kill the parent": "os.kill(os.getppid(), 9)",
    "read another descriptor": "os.read(1, 1)",
    "write another descriptor": "os.write(2, b'x')",
    "duplicate a descriptor": "os.dup(0)",
    "trace": "libc.ptrace(0, 0, 0, 0)",
    "read another process": "libc.process_vm_readv(os.getppid(), 0, 0, 0, 0, 0)",
    "executable memory": "mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)",
    "io_uring": "libc.syscall(425, 1, 0)",
    "another user": "os.setuid(0)",
    "raise its limits": "resource.setrlimit(resource.RLIMIT_CPU, (99, 99))",
    "an x32 call": "libc.syscall(0x40000000 + 39)",
    "a 32-bit personality": "libc.personality(8)",
    "the kernel's keys": "libc.syscall(250, 0, 0, 0, 0, 0)",
    "a new namespace": "libc.unshare(0x10000000)",
}
LOCK_IN = """
import os, socket, _thread, mmap, resource, ctypes, sys
sys.path.insert(0, sys.argv[1])
from node.engine.child import sandbox
libc = ctypes.CDLL(None)
sandbox.enter(5, 1 << 30, os.getppid())
try:
    {attempt}
except BaseException as error:
    os.write(0, type(error).__name__.encode())
    os._exit(1)
os._exit(0)
"""


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_the_filter_kills(attempt: str) -> None:
    script = LOCK_IN.format(attempt=ATTEMPTS[attempt])
    done = subprocess.run([sys.executable, "-I", "-c", script, str(ROOT)], stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == -signal.SIGSYS


def test_what_an_action_needs_is_allowed() -> None:
    needed = "os.urandom(8); bytearray(50 << 20); __import__('time').time(); os.write(0, b'x')"
    script = LOCK_IN.format(attempt=needed)
    done = subprocess.run([sys.executable, "-I", "-c", script, str(ROOT)], stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0


async def test_a_child_has_no_environment_and_one_descriptor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVC_TEST_SECRET", "in the parent alone")
    inheritable = os.open("/etc/hostname", os.O_RDONLY)
    os.set_inheritable(inheritable, True)
    try:
        async with ProcessEngine(LIMITS):
            [child] = children()
            assert Path(f"/proc/{child}/environ").read_bytes() == b""
            held = descriptors(child)
            assert held.pop(0).startswith("socket:")
            assert held == {1: "/dev/null", 2: "/dev/null"}
    finally:
        os.close(inheritable)


async def test_a_child_has_given_everything_up() -> None:
    async with ProcessEngine(LIMITS):
        [child] = children()
        seen = status(child)
        assert seen["Seccomp"] == "2"
        assert seen["NoNewPrivs"] == "1"
        assert seen["Threads"] == "1"
        assert int(seen["CapEff"], 16) == 0 or os.geteuid() != 0
        assert os.getsid(child) == child
        limits = Path(f"/proc/{child}/limits").read_text()
        assert "Max file size             0" in limits
        assert "Max core file size        0" in limits
        assert "Max processes             0" in limits


async def test_the_parents_memory_is_not_in_the_child() -> None:
    secret = secrets.token_bytes(32)
    async with ProcessEngine(LIMITS):
        [child] = children()
        maps = Path(f"/proc/{child}/maps").read_text().splitlines()
        memory = os.open(f"/proc/{child}/mem", os.O_RDONLY)
        try:
            for line in maps:
                span, rights = line.split()[:2]
                start, end = (int(part, 16) for part in span.split("-"))
                if rights.startswith("rw") and "[v" not in line:
                    assert secret not in os.pread(memory, end - start, start)
        finally:
            os.close(memory)
    assert len(secret) == 32


async def test_nothing_is_left_behind() -> None:
    async with ProcessEngine(LIMITS) as engine:
        await run(engine, "function main() { return 1; }")
    before = descriptors()
    async with ProcessEngine(replace(LIMITS, action_timeout_s=0.2, idle_children=2)) as engine:
        codes = [
            "function main() { return 1; }",
            "function main() { for (;;); }",
            "x x",
            "function main() { throw 1; }",
        ]
        await asyncio.gather(*(run(engine, code) for code in codes * 2))
    assert children() == []
    assert descriptors() == before


async def test_each_action_has_a_process_of_its_own() -> None:
    async with ProcessEngine(LIMITS) as engine:
        code = "function main() { const seen = globalThis.mark; globalThis.mark = 1; return seen === undefined; }"
        for _ in range(3):
            assert (await run(engine, code)).response is True


async def test_cancelling_kills_the_child() -> None:
    async with ProcessEngine(replace(LIMITS, idle_children=0)) as engine:
        host = EchoHost()
        code = "async function main() { await Svc.Actions.getPrivateKey({}); for (;;); }"
        running = asyncio.create_task(run(engine, code, host=host))
        await until(lambda: bool(host.calls))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert children() == []


async def test_cancelling_who_waits_for_a_child_leaves_none() -> None:
    async with ProcessEngine(replace(LIMITS, idle_children=0)) as engine:
        running = asyncio.create_task(run(engine, "function main() {}"))
        await until(lambda: bool(children()))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await until(lambda: children() == [])


async def test_stopping_ends_with_the_reason_and_the_logs_so_far() -> None:
    async with ProcessEngine(LIMITS) as engine:
        stop = never()
        code = "function main() { console.log('one'); console.log('two'); for (;;); }"
        running = asyncio.create_task(run(engine, code, stop=stop))
        asyncio.get_running_loop().call_later(0.3, stop.set_result, StopReason.OUT_OF_FUNDS)
        outcome = await running
        assert outcome.error is not None
        assert outcome.error.name == "ActionOutOfFunds"
        assert outcome.logs == "one\ntwo"
        assert 300 <= outcome.duration_ms < 1000


async def test_an_idle_child_that_died_is_not_used() -> None:
    async with ProcessEngine(LIMITS) as engine:
        [idle] = children()
        os.kill(idle, signal.SIGKILL)
        await until(lambda: idle not in children())
        assert (await run(engine, "function main() { return 1; }")).response == 1


async def test_children_die_with_the_node() -> None:
    script = (
        "import asyncio, sys; sys.path.insert(0, sys.argv[1])\n"
        "from node.engine.process_engine import ProcessEngine\n"
        "from node.engine.port import ActionJob\n"
        "from tests.engine.hosts import LIMITS, EchoHost\n"
        "from tests.engine.processes import children\n"
        "async def main():\n"
        "    async with ProcessEngine(LIMITS) as engine:\n"
        "        job = ActionJob('function main() { for (;;); }', {}, {})\n"
        "        started = asyncio.Event()\n"
        "        run = asyncio.create_task(engine.run(job, EchoHost(), asyncio.Future(), started.set))\n"
        "        await started.wait()\n"
        "        print(*children(), flush=True)\n"
        "        await run\n"
        "asyncio.run(main())\n"
    )
    node = await asyncio.create_subprocess_exec(sys.executable, "-c", script, str(ROOT), stdout=subprocess.PIPE)
    assert node.stdout is not None
    pids = [int(pid) for pid in (await node.stdout.readline()).split()]
    assert pids
    node.kill()
    await node.wait()
    await until(lambda: not any(Path(f"/proc/{pid}").exists() and status(pid)["State"][0] != "Z" for pid in pids))

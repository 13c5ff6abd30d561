"""The process an action runs in: what it has, what it may not do, and that nothing stays behind."""

import asyncio
import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from node.engine.port import StopReason
from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import LIMITS, EchoHost, never, run
from tests.engine.processes import action_processes, children, descriptors, status, until, zygotes
from tests.support.settings import changed

ROOT = Path(__file__).parents[2]


SNAPSHOTS = ["ethers.cwasm", "ethers6.cwasm", "plain.cwasm"]


def field(path: str, name: str) -> str:
    """A field of a file of /proc."""
    return next(line.split()[1] for line in Path(path).read_text().splitlines() if line.startswith(f"{name}:"))


def memory_holds(pid: int, secret: bytes) -> bool:
    """Whether anything the process may read or write has these bytes in it."""
    memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
    try:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            span, rights = line.split()[:2]
            start, end = (int(part, 16) for part in span.split("-"))
            if rights.startswith("r") and "[v" not in line and secret in os.pread(memory, end - start, start):
                return True
    finally:
        os.close(memory)
    return False


@pytest.mark.needs_root
async def test_a_process_has_no_environment_and_one_descriptor_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVC_TEST_SECRET", "in the parent alone")
    inheritable = os.open("/etc/hostname", os.O_RDONLY)
    os.set_inheritable(inheritable, True)
    try:
        async with ProcessEngine(LIMITS):
            for process in children():
                assert Path(f"/proc/{process}/environ").read_bytes() == b""
                held = descriptors(process)
                assert held.pop(0).startswith("socket:")
                assert (held.pop(1), held.pop(2)) == ("/dev/null", "/dev/null")
                # What instances are mapped from, and nothing that can be written.
                assert sorted(Path(path).name for path in held.values()) == SNAPSHOTS
                for number in held:
                    assert int(field(f"/proc/{process}/fdinfo/{number}", "flags"), 8) & os.O_ACCMODE == os.O_RDONLY
                for line in Path(f"/proc/{process}/maps").read_text().splitlines():
                    # A table of the C library's is shared, which none can write to.
                    assert line.split()[1] == "r--s" or line.split()[1][3] == "p"
    finally:
        os.close(inheritable)


async def test_a_child_has_given_everything_up() -> None:
    async with ProcessEngine(LIMITS):
        [child], [zygote] = action_processes(), zygotes()
        seen = status(child)
        assert seen["Seccomp"] == "2"
        limits = Path(f"/proc/{child}/limits").read_text()
        assert "Max processes             0" in limits
        assert "Max open files            3" in limits
        for process in (child, zygote):
            seen = status(process)
            assert seen["NoNewPrivs"] == "1"
            # A huge page would be written in places without the page faults that the restoring of memory counts.
            assert seen["THP_enabled"] == "0"
            # A worker has its ticker beside.
            assert seen["Threads"] == ("2" if process == child else "1")
            assert int(seen["CapEff"], 16) == int(seen["CapPrm"], 16) == int(seen["CapInh"], 16) == 0
            assert os.getpgid(process) == zygote
            limits = Path(f"/proc/{process}/limits").read_text()
            assert "Max file size             0" in limits
            assert "Max core file size        0" in limits


@pytest.mark.needs_root
async def test_what_is_reported_is_so() -> None:
    names = {"net": "net", "mount": "mnt", "ipc": "ipc", "uts": "uts", "user": "user"}
    async with ProcessEngine(LIMITS) as engine:
        [child] = action_processes()
        for name, entry in names.items():
            own = Path(f"/proc/{child}/ns/{entry}").readlink() != Path(f"/proc/self/ns/{entry}").readlink()
            assert own == (name in engine.isolation)


async def test_none_may_be_read_by_others_of_its_user() -> None:
    async with ProcessEngine(LIMITS):
        for process in children():
            # Files of /proc/PID belong to root when the process is not dumpable, whoever it runs as.
            assert Path(f"/proc/{process}/mem").stat().st_uid == 0
            assert os.geteuid() != 0 or int(status(process)["Uid"].split()[0]) != 0


def test_the_zygote_hides_its_memory_itself_where_no_change_of_user_does_it() -> None:
    # Whoever drops root, or enters a user namespace, is not dumpable any more by that alone.
    script = (
        "import ctypes, os, sys; sys.path.insert(0, sys.argv[1])\n"
        "from node.engine.worker import kernel\n"
        "from node.engine.zygote import confinement\n"
        "confinement._own_namespaces = list\n"
        "confinement._drop_capabilities = lambda: None\n"
        "before = kernel.call(157, 3)\n"
        "confinement.confine(1 << 33, os.getppid())\n"
        "print(before, kernel.call(157, 3))\n"
    )
    told = subprocess.run([sys.executable, "-c", script, str(ROOT)], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["1", "0"]


@pytest.mark.needs_root
async def test_the_nodes_memory_is_in_no_zygote_and_no_child() -> None:
    secret = secrets.token_bytes(32)
    kept = b"kept: " + secret
    assert memory_holds(os.getpid(), kept)
    async with ProcessEngine(LIMITS) as engine:
        await run(engine, "function main() { return 1; }")
        await until(lambda: bool(action_processes()))
        processes = children()
        assert len(processes) >= 2
        for process in processes:
            assert not memory_holds(process, secret)


@pytest.mark.needs_root
async def test_what_an_action_was_given_is_not_in_the_zygote_and_its_siblings() -> None:
    secret = secrets.token_hex(32)
    async with ProcessEngine(LIMITS) as engine:
        host = EchoHost()
        code = "async function main({ s }) { const t = s + '!'; await Svc.Actions.getPrivateKey({}); for (;;); }"
        running = asyncio.create_task(run(engine, code, {"s": secret}, host))
        await until(lambda: bool(host.calls))
        await run(engine, "function main() { return 1; }")
        holders = [process for process in children() if memory_holds(process, secret.encode())]
        running.cancel()
        await asyncio.wait([running])
        assert len(holders) == 1
        assert not set(holders) & set(zygotes())


async def test_nothing_is_left_behind() -> None:
    async with ProcessEngine(LIMITS) as engine:
        await run(engine, "function main() { return 1; }")
    before = descriptors()
    async with ProcessEngine(changed(LIMITS, action_timeout_s=0.2, action_spare_workers=2)) as engine:
        codes = [
            "function main() { return 1; }",
            "function main() { for (;;); }",
            "x x",
            "function main() { throw 1; }",
        ]
        await asyncio.gather(*(run(engine, code) for code in codes * 2))
    assert children() == []
    assert descriptors() == before


async def test_each_action_has_an_instance_of_its_own() -> None:
    async with ProcessEngine(LIMITS) as engine:
        code = "function main() { const seen = globalThis.mark; globalThis.mark = 1; return seen === undefined; }"
        for _ in range(3):
            assert (await run(engine, code)).response is True


async def test_cancelling_ends_the_action() -> None:
    async with ProcessEngine(changed(LIMITS, action_spare_workers=0)) as engine:
        host = EchoHost()
        code = "async function main() { await Svc.Actions.getPrivateKey({}); for (;;); }"
        running = asyncio.create_task(run(engine, code, host=host))
        await until(lambda: bool(host.calls))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert engine.running == 0
        # Its worker goes on to serve: the action in it has ended.
        assert (await run(engine, "function main() { return 1; }")).response == 1


async def test_cancelling_who_waits_for_a_child_leaves_none() -> None:
    async with ProcessEngine(changed(LIMITS, action_spare_workers=0)) as engine:
        running = asyncio.create_task(run(engine, "function main() {}"))
        await until(lambda: bool(action_processes()))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await until(lambda: action_processes() == [])


async def test_stopping_ends_with_the_reason_and_the_logs_so_far() -> None:
    async with ProcessEngine(LIMITS) as engine:
        stop, host = never(), EchoHost()
        code = "function main() { console.log('one'); console.log('two'); Svc.Actions.getPrivateKey({}); for (;;); }"
        running = asyncio.create_task(run(engine, code, host=host, stop=stop))
        await until(lambda: bool(host.calls))
        stop.set_result(StopReason.OUT_OF_FUNDS)
        outcome = await running
        assert outcome.error is not None
        assert outcome.error.name == "ActionOutOfFunds"
        assert outcome.logs == "one\ntwo"
        assert 0 < outcome.duration_ms < LIMITS.action_timeout_s * 1000


async def test_an_idle_child_that_died_is_not_used() -> None:
    async with ProcessEngine(LIMITS) as engine:
        [idle] = action_processes()
        os.kill(idle, signal.SIGKILL)
        await until(lambda: idle not in children())
        assert (await run(engine, "function main() { return 1; }")).response == 1


async def test_children_die_with_the_node() -> None:
    script = (
        "import asyncio, sys; sys.path.insert(0, sys.argv[1])\n"
        "from node.engine.process_engine import ProcessEngine\n"
        "from tests.engine.hosts import LIMITS, EchoHost, job_of\n"
        "from tests.engine.processes import children\n"
        "async def main():\n"
        "    async with ProcessEngine(LIMITS) as engine:\n"
        "        job = job_of('function main() { for (;;); }')\n"
        "        started = asyncio.Event()\n"
        "        run = asyncio.create_task(engine.run(job, EchoHost(), asyncio.Future(), started.set))\n"
        "        await started.wait()\n"
        "        print(*children(), file=sys.stderr, flush=True)\n"
        "        await run\n"
        "asyncio.run(main())\n"
    )
    node = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, str(ROOT), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert node.stderr is not None
    pids = [int(pid) for pid in (await node.stderr.readline()).split()]
    assert len(pids) >= 2
    node.kill()
    await node.wait()
    await until(lambda: not any(Path(f"/proc/{pid}").exists() and status(pid)["State"][0] != "Z" for pid in pids))

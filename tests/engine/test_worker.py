"""A worker and its fibers: ends on request, neighbours that are not disturbed, memory that nobody sees again."""

import hashlib
import hmac
import json
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from eth_utils.crypto import keccak
from pydantic import JsonValue

from node.engine.admission.priority import lower, restore
from node.engine.protocol import FIBERS_MAX, WAITING_CALL_BYTES
from tests.engine.bare import BareWorker, BareZygote, bare_zygote
from tests.engine.hosts import LIMITS
from tests.engine.processes import status
from tests.support.settings import changed

MIB = 1 << 20
GRACE_S = 10.0
"""For a busy machine."""
ENDLESS = {
    "a loop": "for (;;);",
    "microtasks": "const again = () => Promise.resolve().then(again); return again();",
    "a regular expression": "/^(a+)+$/.test('a'.repeat(60) + 'b');",
    "integers": "let x = 3n; for (;;) x = x * x % (1n << 20000n);",
    "a sort": "for (;;) Array.from({ length: 1e5 }, (_, i) => -i).sort((a, b) => a - b);",
    "logs": "for (;;) console.log('x'.repeat(1000));",
    "a long derivation": "return derive(100000000, 256);",
    "a long key": "for (;;) derive(1, 8 * 100000);",
    "timers": "setInterval(() => 1, 0); return new Promise(() => 1);",
    "a hash of much": "const bytes = new Uint8Array(15 << 20); for (;;) ethers.utils.keccak256(bytes);",
    "an encryption of much": "for (;;) await encrypt(new Uint8Array(15 << 20));",
    "memory, caught": "const kept = []; for (;;) { try { kept.push(new Uint8Array(1 << 20)); } catch { kept.pop(); } }",
}
DERIVE = """const derive = async (iterations, bits) => {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(8), 'PBKDF2', false, ['deriveBits']);
  return crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt: new Uint8Array(8), iterations }, key, bits);
};
const encrypt = async (bytes) => {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(32), 'AES-GCM', false, ['encrypt']);
  return crypto.subtle.encrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, key, bytes);
};"""


@pytest.fixture(scope="module")
def zygote() -> Iterator[BareZygote]:
    with bare_zygote(LIMITS) as zygote:
        yield zygote


def program(endless: str) -> str:
    return f"{DERIVE}\nasync function main({{ go }}) {{ if (go) {{ {endless} }} return 'done'; }}"


@pytest.mark.parametrize("endless", ENDLESS)
def test_what_never_ends_is_ended_and_disturbs_no_neighbour(zygote: BareZygote, endless: str) -> None:
    with zygote.fork() as worker:
        worker.bind(program(ENDLESS[endless]))
        fibers = [worker.begin({"go": True}) for _ in range(3)]
        for _ in range(3):
            began = time.monotonic()
            assert worker.run({"go": False}) == "done"
            assert time.monotonic() - began < GRACE_S
        began = time.monotonic()
        for fiber in fibers:
            worker.send("K", fiber)
        for fiber in fibers:
            assert worker.ending(fiber)[0] == "K"
        assert time.monotonic() - began < GRACE_S
        assert worker.run({"go": False}) == "done"


def test_an_end_is_confirmed_for_a_fiber_that_is_none(zygote: BareZygote) -> None:
    with zygote.fork() as worker:
        worker.bind("function main() { return 1; }")
        worker.send("K", 77)
        assert worker.ending(77) == ("K", b"")
        assert worker.run() == 1


def test_a_trap_of_one_fiber_ends_no_other(zygote: BareZygote) -> None:
    with zygote.fork() as worker:
        worker.bind(
            "async function main({ n }) { if (n) { const a = []; for (;;) a.push(new Array(1e4).fill(n)); } return new Promise(() => setTimeout(() => 1, 1e6)); }"
        )
        waiting = worker.begin({"n": 0})
        assert worker.ending(worker.begin({"n": 1})) == ("M", b"")
        worker.send("K", waiting)
        assert worker.ending(waiting)[0] == "K"


def test_all_fibers_at_once(zygote: BareZygote) -> None:
    with zygote.fork() as worker:
        worker.bind("async function main({ n }) { await new Promise((done) => setTimeout(done, 20)); return n; }")
        fibers = [worker.begin({"n": n}) for n in range(FIBERS_MAX)]
        answers = {}
        for _ in fibers:
            kind, fiber, body = worker.receive()
            assert kind == "D"
            answers[fiber] = json.loads(body)
        assert [answers[fiber] for fiber in fibers] == list(range(FIBERS_MAX))


def test_the_largest_fiber_is_shed(zygote: BareZygote) -> None:
    with zygote.fork() as worker:
        worker.bind(
            "async function main({ n }) { globalThis.kept = new Uint8Array(n << 20).fill(1); console.log('ready'); return new Promise(() => setTimeout(() => 1, 1e6)); }"
        )
        fibers = [worker.begin({"n": n}) for n in (1, 40, 2)]
        for _ in fibers:
            assert worker.receive()[0] == "L"
        worker.send("S", 0)
        assert worker.receive() == ("S", fibers[1], b"")
        worker.send("S", 0)
        assert worker.receive() == ("S", fibers[2], b"")
        for fiber in fibers:
            worker.send("K", fiber)
            assert worker.ending(fiber)[0] == "K"
        # With nothing to end it says nothing.
        worker.send("S", 0)
        worker.send("K", 1)
        assert worker.receive()[:2] == ("K", 1)


def test_calls_wait_in_the_worker_until_there_is_room(zygote: BareZygote) -> None:
    count, size = 12, MIB
    with zygote.fork() as worker:
        worker.bind(
            f"async function main() {{ const all = []; for (let n = 0; n < {count}; n += 1)"
            f" all.push(fetch('http://h/', {{ method: 'POST', body: 'x'.repeat({size}) }}).then(() => n, () => n));"
            " return (await Promise.all(all)).length; }"
        )
        fiber = worker.begin()
        calls: list[int] = []
        while len(calls) < count:
            held = 0
            while True:
                kind, of, body = worker.receive()
                assert (kind, of) == ("C", fiber)
                calls.append(json.loads(body)[0])
                held += len(body)
                assert held <= WAITING_CALL_BYTES
                if held + 2 * size > WAITING_CALL_BYTES or len(calls) == count:
                    break
            for call in calls[-4:]:
                worker.send("A", fiber, json.dumps([call, False, {"name": "Error", "message": "no"}]).encode())
        assert worker.ending(fiber) == ("D", str(count).encode())
        assert len(set(calls)) == count


def test_a_job_and_an_answer_longer_than_the_buffer_for_texts(zygote: BareZygote) -> None:
    with zygote.fork() as worker:
        worker.bind(
            "async function main({ text }) { const r = await Svc.Actions.getPrivateKey({}); return [text.length, r.length]; }"
        )
        fiber = worker.begin({"text": "é" * MIB})
        kind, _, body = worker.receive()
        assert kind == "C"
        worker.send("A", fiber, json.dumps([json.loads(body)[0], True, "✓" * MIB]).encode())
        assert worker.ending(fiber) == ("D", json.dumps([MIB, MIB]).replace(" ", "").encode())


def test_a_text_that_memory_has_no_room_for_is_a_lack_of_memory() -> None:
    with bare_zygote(changed(LIMITS, action_memory_bytes=8 * MIB)) as zygote, zygote.fork() as worker:
        worker.bind("function main({ text }) { return text ? text.length : 0; }")
        assert worker.ending(worker.begin({"text": "x" * (16 * MIB)})) == ("M", b"")
        assert worker.run({}) == 0


@pytest.mark.parametrize("grown", [0, 50])
def test_a_run_sees_nothing_of_the_one_before(zygote: BareZygote, grown: int) -> None:
    code = """let count = 0;
    function main({ grown }) {
      count += 1;
      const kept = []; for (let n = 0; n < grown; n += 1) kept.push(new Uint8Array(1 << 20).fill(9));
      const seen = [count, globalThis.mark, Array.prototype.mark, new Uint8Array(4 << 20).some((byte) => byte !== 0)];
      globalThis.mark = 1; Array.prototype.mark = 1;
      return seen;
    }"""
    with zygote.fork() as worker:
        worker.bind(code)
        for _ in range(3):
            assert worker.run({"grown": grown}) == [1, None, None, False]


def holders(pid: int, secret: bytes) -> list[str]:
    """The mappings of a process that have these bytes in them."""
    found = []
    memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
    try:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            span, rights = line.split()[:2]
            start, end = (int(part, 16) for part in span.split("-"))
            if rights.startswith("r") and "[v" not in line and secret in os.pread(memory, end - start, start):
                found.append(line)
    finally:
        os.close(memory)
    return found


MAKE = """async function main({ half, wait }) {
  // Neither the worker's interpreter nor the node ever sees the whole: it is in the instance alone.
  const whole = half + half.split('').reverse().join('');
  const bytes = new Uint8Array(whole.length); for (let n = 0; n < whole.length; n += 1) bytes[n] = whole.charCodeAt(n);
  globalThis.kept = [whole, bytes];
  if (wait) { console.log('ready'); await new Promise((done) => setTimeout(done, 1e6)); }
  return whole.length;
}"""


@pytest.mark.needs_root
@pytest.mark.parametrize("ending", ["ends", "is ended"])
def test_what_an_ended_action_held_is_nowhere_in_the_worker(zygote: BareZygote, ending: str) -> None:
    half = secrets.token_hex(16)
    whole = (half + half[::-1]).encode()
    with zygote.fork() as worker:
        worker.bind(MAKE)
        fiber = worker.begin({"half": half, "wait": True})
        assert worker.receive()[0] == "L"
        # It is found where it is, or the search would show nothing.
        assert holders(worker.pid, whole)
        worker.send("K", fiber)
        assert worker.ending(fiber)[0] == "K"
        if ending == "ends":
            assert worker.run({"half": half}) == len(whole)
        until_quiet(worker)
        assert holders(worker.pid, whole) == []


def until_quiet(worker: BareWorker) -> None:
    """Wait until it has given memory back, which it does once nothing has run for a moment: it then waits for ever."""
    deadline = time.monotonic() + GRACE_S
    while time.monotonic() < deadline:
        before = status(worker.pid)["voluntary_ctxt_switches"]
        time.sleep(0.3)
        if status(worker.pid)["voluntary_ctxt_switches"] == before:
            return
    raise AssertionError("the worker never rests")


def test_a_timer_that_comes_due_is_no_time_to_give_memory_back(zygote: BareZygote) -> None:
    """Each page that is given back is faulted in again by the next run, which costs it more than it does itself."""
    code = "async function main() { await new Promise((done) => setTimeout(done, 1)); }"
    with zygote.fork() as worker:
        worker.bind(code)
        # The first ones teach the worker which pages the program writes.
        for _ in range(6):
            worker.run()
        # The best of five rounds counts, since a worker that waits 50 ms for the next run gives memory back.
        rounds = []
        for _ in range(5):
            before = faults(worker.pid)
            for _ in range(5):
                worker.run()
            rounds.append(faults(worker.pid) - before)
        assert min(rounds) < 100, rounds


@pytest.mark.needs_root
def test_a_worker_with_a_sleeping_action_has_little_memory_of_its_own(zygote: BareZygote) -> None:
    """At most an eighth of the resident pages is its own; a sixteenth is usual. The rest is shared with the zygote."""
    with zygote.fork() as worker:
        worker.bind("async function main() { await new Promise((done) => setTimeout(done, 1e6)); }")
        worker.begin()
        until_quiet(worker)
        lines = Path(f"/proc/{worker.pid}/smaps_rollup").read_text().splitlines()[1:]
        kib = {line.split()[0]: int(line.split()[1]) for line in lines}
        assert kib["Private_Clean:"] + kib["Private_Dirty:"] < kib["Rss:"] / 8, kib


def faults(pid: int) -> int:
    """Pages that a process had to be given so far."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[7])


@pytest.mark.parametrize("library", ["plain", "ethers", "ethers6"])
def test_a_sleeping_action_gives_back_what_it_has_not_changed_and_goes_on(zygote: BareZygote, library: str) -> None:
    name = "ethers" if library == "plain" else library
    use = "" if library == "plain" else f"await new {name}.Wallet('0x' + '11'.repeat(32)).signMessage('one');"
    code = (
        f"async function main() {{ {use} const kept = new Uint8Array(100000).fill(7); const before = 'x'.repeat(1000);"
        " await Svc.Actions.getPrivateKey({});"
        f" {use} return [before.length, kept.every((byte) => byte === 7), globalThis.{name}.Wallet.name.length > 0]; }}"
    )
    with zygote.fork() as worker:
        worker.bind(code)
        fibers = [worker.begin() for _ in range(4)]
        calls = [worker.receive() for _ in fibers]
        until_quiet(worker)
        for kind, fiber, body in calls:
            assert kind == "C"
            worker.send("A", fiber, json.dumps([json.loads(body)[0], True, 1]).encode())
        for _ in fibers:
            kind, _, body = worker.receive()
            assert (kind, json.loads(body)) == ("D", [1000, True, True])


@pytest.mark.exhaustive
def test_the_node_may_stop_reading(zygote: BareZygote) -> None:
    """Output that nobody takes is bounded by nothing running any more; memory does not grow meanwhile."""
    with zygote.fork() as worker:
        worker.bind("function main() { for (;;) console.log('x'.repeat(50000)); }")
        fiber = worker.begin()
        time.sleep(1)
        first = int(status(worker.pid)["VmRSS"].split()[0])
        time.sleep(1)
        assert int(status(worker.pid)["VmRSS"].split()[0]) < first + 2_000
        worker.send("K", fiber)
        assert worker.ending(fiber)[0] == "K"


def test_the_lowest_priority_is_that_of_all_threads(zygote: BareZygote) -> None:
    """A worker that was taken over would otherwise go on in the other one, beside everybody's actions."""
    with zygote.fork() as worker:
        lower(worker.pid)
        threads = [int(thread.name) for thread in Path(f"/proc/{worker.pid}/task").iterdir()]
        assert len(threads) == 2
        assert {os.sched_getscheduler(thread) for thread in threads} == {os.SCHED_IDLE}
        if restore(worker.pid):
            assert {os.sched_getscheduler(thread) for thread in threads} == {os.SCHED_OTHER}


@pytest.mark.needs_root
def test_nothing_that_can_be_written_is_code_or_shared(zygote: BareZygote) -> None:
    with zygote.fork() as worker:
        worker.bind("function main() { return 1; }")
        assert worker.run() == 1
        rights = {line.split()[1] for line in Path(f"/proc/{worker.pid}/maps").read_text().splitlines()}
        assert {right for right in rights if "w" in right} <= {"rw-p", "-w-p"}


@pytest.mark.parametrize("name", ["Max stack size", "Max address space"])
def test_what_the_limit_of_data_does_not_count_is_limited(zygote: BareZygote, name: str) -> None:
    with zygote.fork() as worker:
        [line] = [line for line in Path(f"/proc/{worker.pid}/limits").read_text().splitlines() if name in line]
        soft, hard = line.split()[3:5]
        assert int(soft) == int(hard) < 128 << 30


def test_written_memory_of_a_real_worker_is_limited(zygote: BareZygote) -> None:
    with zygote.fork() as worker:
        limits = Path(f"/proc/{worker.pid}/limits").read_text()
        [line] = [line for line in limits.splitlines() if line.startswith("Max data size")]
        assert int(line.split()[3]) == int(line.split()[4]) < 2 * FIBERS_MAX * LIMITS.action_memory_bytes
        assert (
            int(status(worker.pid)["VmData"].split()[0]) * 1024
            < int(line.split()[3]) - FIBERS_MAX * LIMITS.action_memory_bytes
        )


def test_hashes_of_more_than_is_read_at_once(zygote: BareZygote) -> None:
    sizes = (100_000, 262_143, 262_144, 3_000_001)
    code = """async function main({ sizes }) {
      const all = [];
      for (const size of sizes) {
        const data = new Uint8Array(size).map((_, at) => at % 251);
        const key = await crypto.subtle.importKey('raw', new Uint8Array(3), { name: 'HMAC', hash: 'SHA-512' }, false, ['sign']);
        const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
        const ecdsa = { name: 'ECDSA', hash: 'SHA-384' };
        const signature = await crypto.subtle.sign(ecdsa, pair.privateKey, data);
        all.push([
          new Uint8Array(await crypto.subtle.digest('SHA-256', data)).toHex(),
          new Uint8Array(await crypto.subtle.sign('HMAC', key, data)).toHex(),
          ethers.utils.keccak256(data),
          await crypto.subtle.verify(ecdsa, pair.publicKey, signature, data),
        ]);
      }
      return all;
    }"""
    with zygote.fork() as worker:
        worker.bind(code)
        found = worker.run({"sizes": [*sizes]})
    expected: list[JsonValue] = []
    for size in sizes:
        data = bytes(at % 251 for at in range(size))
        mac = hmac.new(bytes(3), data, "sha512").hexdigest()
        expected.append([hashlib.sha256(data).hexdigest(), mac, "0x" + keccak(data).hex(), True])
    assert found == expected

"""No stranger's bytes make a verification late or hold the caller's event loop, whatever their form.

Times are of the processor. Work that has no bound of its own is done by a process, which ends at the deadline.
"""

import asyncio
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest
from aiohttp import web

from svc_verifier.bundle import LIMIT_BYTES, dump_bundle, load_bundle
from svc_verifier.check import CATALOGUE, Check, Report, Status, Verdict
from svc_verifier.compose.host_input import decides
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.procedure import verify
from svc_verifier.session import attested_session, look
from svc_verifier.worker import LENGTH_BYTES, Worker, judge_now
from svc_verifier.worker_process import MEMORY_BYTES, PROCESSOR_S
from tests.support import lies, rpc_proxy
from tests.support.attested.look import Look, development_trust
from tests.support.attested.td import OTHER_SEED, Td, development_options
from tests.support.hostile_looks import HOST_BYTES, MEMBERS, SERVICE, app_compose, running
from tests.support.hostile_shapes import SHAPES
from tests.support.instances import ALLOWING, App, Instance, running_app
from tests.support.loop_meter import beside, metered_loop
from tests.support.node import REPOSITORY

JUDGED_S: Final = 3.0
"""Processor time of all checks over a look with one hostile member; the slowest takes a third of it on a busy machine."""

STEP_S: Final = 0.1
"""Processor time of the thread of the caller's event loop between two turns of another task."""

OTHER_APP: Final = bytes.fromhex("0bad" * 10)


def of(report: Report, name: str) -> Check:
    return next(check for check in report.checks if check.id == name)


def judged_s(text: str) -> float:
    """Processor time of all checks of a node that runs this app-compose."""
    material, trust = running(text)
    started_s = time.process_time()
    verify(material, trust)
    return time.process_time() - started_s


def lines(start: str, line: str) -> str:
    """A compose file of as many numbered lines as it may have characters for."""
    return start + "".join(line.format(number) for number in range((130_000 - len(start)) // (len(line) + 4)))


LONG: Final = {
    "brackets": app_compose(f"{SERVICE}x-a: " + "[" * 5_000),
    "braces": app_compose(f"{SERVICE}x-a: " + "{a: " * 5_000),
    "sequences in a line": app_compose(f"{SERVICE}x-a:\n  " + "- " * 60_000),
    "8,000 unknown members": app_compose(**{f"unknown{number}": 0 for number in range(8_000)}),
    "60,000 unknown members": app_compose(**{f"u{number}": 0 for number in range(60_000)}),
    "a name of 250 kB": app_compose(allowed_envs=["RPCURL" * 41_666 + "\n!"]),
    "names that end late": app_compose(allowed_envs=["a_PROXY" * 35_000 + "\n!"]),
    "one text as thousands of images": app_compose(
        lines(f"x-a: &a {'A' * 60_000}\nservices:\n", "  s{}: {{image: *a}}\n")
    ),
    "one text as thousands of keys": app_compose(lines(f"x-a: &a {'A' * 60_000}\nservices:\n", "  s{}: {{*a : 1}}\n")),
    "a long name before thousands of keys": app_compose(
        lines(f"services:\n  ? {'s' * 60_000}\n  :\n", "      k{}: 1\n")
    ),
    "configs": app_compose(lines(f"{SERVICE}configs:\n", "  c{}: {{file: /a/b}}\n")),
    "volumes": app_compose(lines(f"{SERVICE}    volumes:\n", "      - /a{}:/b\n")),
    "services": app_compose(lines("services:\n", "  s{}: {{image: x}}\n")),
    "scripts": app_compose(init_script=["a"] * 150_000),
}
"""App-composes, each of them a way to be slow that a general shape does not meet."""


FOUND: Final = ("brackets", "8,000 unknown members", "a name of 250 kB", "configs")
"""Those by which a verification was once made to last for seconds."""


@pytest.mark.parametrize("name", FOUND)
def test_no_app_compose_takes_long(name: str) -> None:
    assert judged_s(LONG[name]) < JUDGED_S


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [name for name in LONG if name not in FOUND])
def test_no_other_app_compose_takes_long(name: str) -> None:
    assert judged_s(LONG[name]) < JUDGED_S


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("member", MEMBERS)
@pytest.mark.exhaustive
def test_no_member_takes_long_in_any_shape(member: str, shape: str) -> None:
    material, trust = MEMBERS[member].place(SHAPES[shape](MEMBERS[member].size))
    started_s = time.process_time()
    report = verify(material, trust)
    assert time.process_time() - started_s < JUDGED_S
    assert len(json.dumps([check.why + str(check.evidence) for check in report.checks])) < 2_000_000


def test_a_name_too_long_to_be_judged_decides() -> None:
    assert decides("A" * 257)
    assert not decides("A" * 256)


def test_the_code_of_a_wrong_app_is_not_audited() -> None:
    report = verify(Look(td=Td(options=development_options(app_id=OTHER_APP))).material(), development_trust())
    assert report.verdict is Verdict.REJECTED
    assert [check.id for check in report.causes] == ["identity.app-id"]
    for name in (name for name in CATALOGUE if name.startswith("code.")):
        check = of(report, name)
        assert (check.status, check.depends_on) == (Status.UNKNOWN, "identity.app-id")


@dataclass
class Hostile(Instance):
    """An instance whose answers to these paths are these bytes."""

    bodies: dict[str, bytes] = field(default_factory=dict)

    def _response(self, request: web.BaseRequest) -> web.Response:
        body = self.bodies.get(request.path)
        return super()._response(request) if body is None else web.Response(body=body)


HOST: Final = Hostile("a")


@pytest.fixture(scope="module")
def served() -> Iterator[App]:
    """A node and its chain in another thread, so that this one's loop does the verifier's work alone."""
    with beside(lambda: running_app(HOST)) as running_one:
        yield running_one


@pytest.fixture
def app(served: App) -> App:
    """As it is when nobody has changed what is answered."""
    HOST.bodies = {}
    served.tell_chain(ALLOWING)
    return served


def looked(app: App) -> tuple[Report, float]:
    """The report of a look, and the longest that it held the loop."""

    async def metered() -> tuple[Report, float]:
        async with metered_loop() as meter:
            return (await look(app.address, app.trust, app.sources())).report, meter.longest_s

    return asyncio.run(metered())


def answering(method: str, result: str) -> rpc_proxy.Behaviour:
    """A provider that answers one method with this JSON, be it any."""

    async def behaviour(
        request: web.Request, asked: dict[str, object], forward: rpc_proxy.Forward
    ) -> web.StreamResponse:
        if asked["method"] != method:
            return await lies.per_call(ALLOWING)(request, asked, forward)
        text = f'{{"jsonrpc":"2.0","id":{asked["id"]},"result":{result}}}'
        return web.Response(body=text.encode(errors="surrogatepass"))

    return behaviour


def test_the_loop_is_not_held_by_an_honest_node(app: App) -> None:
    report, longest_s = looked(app)
    assert report.verdict is Verdict.ACCEPTED
    assert longest_s < STEP_S


PATHS: Final = {
    "/attestation": HOST_BYTES,
    "/info": HOST_BYTES,
    "/evidences/sha256sum.txt": 65_000,
    "/evidences/quote.json": HOST_BYTES,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("path", PATHS)
def test_the_loop_is_held_by_no_answer_of_a_host(app: App, path: str, shape: str) -> None:
    HOST.bodies = {path: SHAPES[shape](PATHS[path]).encode(errors="surrogatepass")}
    report, longest_s = looked(app)
    assert report.verdict is not Verdict.ACCEPTED
    assert longest_s < STEP_S


METHODS: Final = ("eth_getBlockByNumber", "eth_getCode", "eth_call", "eth_getLogs", "eth_chainId", "eth_getStorageAt")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("method", METHODS)
def test_the_loop_is_held_by_no_answer_of_an_endpoint(app: App, method: str, shape: str) -> None:
    app.chain.behaviour = answering(method, SHAPES[shape](1_040_000))
    _, longest_s = looked(app)
    assert longest_s < STEP_S


@pytest.mark.parametrize("method", ["eth_getCode", "eth_call"])
def test_the_loop_is_held_by_no_long_code(app: App, method: str) -> None:
    app.chain.behaviour = answering(method, f'"0x{"60" * 520_000}"')
    report, longest_s = looked(app)
    assert longest_s < STEP_S
    assert of(report, "governance.endpoints").status is not Status.PASSED


def test_the_loop_is_held_by_no_events_of_one_block(app: App) -> None:
    event = {"address": "0x" + "11" * 20, "topics": ["0x" + "22" * 32], "data": "0x" + "60" * 200, "blockNumber": "0x1"}
    app.chain.behaviour = answering("eth_getLogs", json.dumps([event] * 2_000))
    _, longest_s = looked(app)
    assert longest_s < STEP_S


def test_the_loop_is_not_held_by_a_session_that_is_refused(app: App) -> None:
    """The app-compose is a slow one, and measured: a session reads it as a look does."""
    HOST.bodies = {"/info": json.dumps(Td(options=development_options(app_compose=LONG["configs"])).info()).encode()}

    async def longest_s() -> float:
        async with metered_loop() as meter:
            with pytest.raises(VerifierError):
                async with attested_session(app.origin, app.trust, app.sources()):
                    raise AssertionError("there is a session")
            return meter.longest_s

    assert asyncio.run(longest_s()) < STEP_S


def processes() -> set[int]:
    """The processes that this one has started and that still run."""
    return set(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))


def test_at_the_deadline_the_work_ends_and_the_verdict_is_undecided() -> None:
    before = processes()
    report = judge_now(Look().material(), development_trust(), timeout_s=0.001)
    assert report.verdict is Verdict.UNDECIDED
    assert [check.id for check in report.causes] == ["hardware.quote"]
    assert "in time" in report.causes[0].why
    assert processes() <= before


async def test_work_that_is_under_way_is_ended() -> None:
    """The process is at work when the time is over, and not just starting."""
    material, trust = running(LONG["configs"])
    before = processes()
    async with Worker() as worker:
        await worker.usable_collateral("{}")
        started_s = time.process_time()
        report = await worker.judge(material, trust, asyncio.get_running_loop().time() + 0.05)
        assert report.verdict is Verdict.UNDECIDED
        assert of(report, "identity.app-id").depends_on == "hardware.quote"
    assert time.process_time() - started_s < STEP_S, "this process waits, and does nothing else"
    assert processes() <= before


def test_what_is_judged_by_the_process_is_what_the_procedure_says() -> None:
    for seen in (Look(), Look(td=Td(seed=OTHER_SEED)), Look(no_evidence=True), Look(replayed=True)):
        material, trust = seen.material(), development_trust()
        assert judge_now(material, trust) == verify(material, trust)


async def test_a_call_that_is_cancelled_leaves_no_answer_for_the_next_one() -> None:
    material, trust = Look().material(), development_trust()
    async with Worker() as worker:
        await worker.usable_collateral('{"first":1}')
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await worker.usable_collateral('{"second":2}')
        assert await worker.usable_collateral('{"third":3}') == '{"third": 3}'
        report = await worker.judge(material, trust, asyncio.get_running_loop().time() + 60)
    assert report.verdict is Verdict.ACCEPTED


async def test_the_process_has_limits_of_memory_and_processor_time() -> None:
    """They hold whatever bound a parser lacks, and where nobody is left to end it."""
    before = processes()
    async with Worker() as worker:
        await worker.usable_collateral("{}")
        (process,) = processes() - before
        assert resource.prlimit(process, resource.RLIMIT_AS) == (MEMORY_BYTES, MEMORY_BYTES)
        assert resource.prlimit(process, resource.RLIMIT_CPU) == (PROCESSOR_S, PROCESSOR_S)


async def test_what_a_library_prints_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    talkative = (
        "import os, sys; sys.path[:] = sys.argv[1:]; from svc_verifier import worker_process as w\n"
        "w.CALLS = {'usable_collateral': lambda text: (print('{}', flush=True), os.write(1, bytes(16)), text)[2]}\n"
        f"w.main({LENGTH_BYTES})"
    )
    monkeypatch.setattr("svc_verifier.worker.START", talkative)
    async with Worker() as worker, asyncio.timeout(60):
        assert [await worker.usable_collateral(each) for each in ("one", "two")] == ["one", "two"]


async def test_a_refused_input_is_refused_here_too() -> None:
    async with Worker() as worker:
        with pytest.raises(VerifierError) as refused:
            await worker.usable_collateral("[")
    assert refused.value.code is VerifierErrorCode.NOT_JSON


@pytest.mark.parametrize("interpreter", ["", "/nowhere/python", "/bin/true", "/bin/echo"])
def test_without_an_interpreter_nothing_is_decided(monkeypatch: pytest.MonkeyPatch, interpreter: str) -> None:
    monkeypatch.setattr(sys, "executable", interpreter)
    report = judge_now(Look().material(), development_trust(), timeout_s=20.0)
    assert report.verdict is Verdict.UNDECIDED
    assert report.causes[0].why.startswith("the process that judges ")


ROWS: Final = [
    {"id": name, "status": "passed", "evidence": {}, "why": "", "fix": "", "depends_on": ""} for name in CATALOGUE
]


@pytest.mark.parametrize(
    "answer",
    [
        b"\xff",
        b"[" * 100_000,
        [],
        {"error": [["unreachable"], "why"]},
        {"error": ["unreachable", ["why"]]},
        {"error": ["no such code", "why"]},
        {"value": ROWS[1:]},
        {"value": ROWS[::-1]},
        {"value": [*ROWS, ROWS[0]]},
        *({"value": [row | {name: [row[name]]} for row in ROWS]} for name in ROWS[0]),
        *({"value": [row | {name: None} for row in ROWS]} for name in ROWS[0]),
        {"value": [row | {"status": "PASSED"} for row in ROWS]},
        {"value": [row | {"evidence": {"a": 1}} for row in ROWS]},
    ],
    ids=lambda answer: str(answer)[:50],
)
def test_an_answer_in_another_form_decides_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: object
) -> None:
    """Whatever became of the process over a stranger's bytes, its answer is read as strictly as theirs."""
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    (tmp_path / "answer").write_bytes(len(body).to_bytes(8, "big") + body)
    program = tmp_path / "interpreter"
    program.write_text(f"#!/bin/sh\ncat {tmp_path}/answer\nexec sleep 60\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    report = judge_now(Look().material(), development_trust(), timeout_s=20.0)
    assert report.verdict is Verdict.UNDECIDED
    assert [check.id for check in report.checks] == list(CATALOGUE)


def test_a_program_needs_no_guard_of_its_main_module(tmp_path: Path) -> None:
    """As it would for a library that starts itself by `multiprocessing`; nor does its folder change what is loaded."""
    bundle, program = tmp_path / "bundle.json", tmp_path / "program.py"
    bundle.write_text(dump_bundle(Look().material()))
    program.write_text(
        "from pathlib import Path\nfrom svc_verifier.bundle import read_bundle\nfrom svc_verifier.worker import judge_now\n"
        "from tests.support.attested.look import development_trust\n"
        f"print(judge_now(read_bundle(Path({str(bundle)!r})), development_trust()).verdict)\n"
    )
    paths = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    ran = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, timeout=120, env=paths, check=True
    )
    assert ran.stdout == "accepted\n"


BUNDLE_S: Final = 3.0
BUNDLE_MIB: Final = 300
MEASURED: Final = """
import resource, sys
from svc_verifier.cli.group import main
try:
    main()
except SystemExit as ended:
    code = ended.code
own, other = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
print("COST", code, own.ru_utime + own.ru_stime + other.ru_utime + other.ru_stime, peak // 1024 + other.ru_maxrss // 1024)
"""


def replayed(path: Path) -> tuple[int, float, int]:
    """Exit code, seconds of processor and MiB of a replay, its process included."""
    command = [sys.executable, "-c", MEASURED, "replay", str(path), "--app-id", "0x" + "11" * 20]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    code, seconds, mebibytes = ran.stdout.rpartition("COST")[2].split()
    return int(code), float(seconds), int(mebibytes)


def filled(change: str) -> bytes:
    """A good bundle with as much in one place as it may hold."""
    document = json.loads(dump_bundle(Look().material()))
    match change:
        case "body":
            document["info"]["body"] = "W1tb" * 3_500_000
        case "code":
            document["endpoints"][0]["code"].append({"address": "00", "code": "60" * 7_000_000})
        case "host":
            document["host"] = "\U0001f600" * 1_200_000
        case "CAA":
            record = {"flags": 0, "tag": "issue", "value": ";" * 14_000_000}
            document["caa"] = {"name": "a", "authenticated": False, "records": [record]}
        case _:
            document["collateral"]["platforms"][0]["collateral"] = "[" * 14_000_000
    return json.dumps(document).encode()


@pytest.mark.parametrize("shape", SHAPES)
def test_no_bundle_costs_much(tmp_path: Path, shape: str) -> None:
    path = tmp_path / "bundle.json"
    path.write_bytes(SHAPES[shape](LIMIT_BYTES - 16).encode(errors="surrogatepass"))
    code, seconds, mebibytes = replayed(path)
    assert code == 30
    assert seconds < BUNDLE_S
    assert mebibytes < BUNDLE_MIB


@pytest.mark.parametrize("place", ["body", "code", "host", "CAA", "collateral"])
def test_no_bundle_that_is_read_costs_much(tmp_path: Path, place: str) -> None:
    path = tmp_path / "bundle.json"
    path.write_bytes(filled(place))
    code, seconds, mebibytes = replayed(path)
    assert code in {10, 20, 30}
    assert seconds < BUNDLE_S
    assert mebibytes < BUNDLE_MIB


def test_a_bundle_is_at_most_16_mib() -> None:
    good = dump_bundle(Look().material())
    assert load_bundle(good + " " * (LIMIT_BYTES - len(good))).host == "node.example"
    with pytest.raises(VerifierError, match="more than 16777216 bytes"):
        load_bundle(good + " " * (LIMIT_BYTES - len(good) + 1))

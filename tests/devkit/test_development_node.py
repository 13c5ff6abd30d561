"""`svc-devkit run` as a person at a terminal meets it: Ctrl-C at any time, a second start, taken ports, older data."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.account import new_account
from tests.e2e.conftest import client_of
from tests.support.node import REPOSITORY, NodeProcess, development_environment, running_node

COMMAND = (sys.executable, "-m", "devkit", "run")
END_TIMEOUT_S = 60.0


@pytest.fixture(autouse=True)
def as_at_a_terminal() -> Iterator[None]:
    """A test run in the background of a shell ignores SIGINT, and so would every process it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(process: "subprocess.Popen[str]") -> str:
    """What it says from Ctrl-C to its end; one that does not end is killed."""
    assert process.stdout is not None
    process.send_signal(signal.SIGINT)
    patience = threading.Timer(END_TIMEOUT_S, process.kill)
    patience.start()
    with process.stdout:
        said = process.stdout.read()
    process.wait(END_TIMEOUT_S)
    patience.cancel()
    return said


def refused_start(data: Path, settings: dict[str, str] | None = None) -> str:
    """What a start that must be refused says."""
    finished = subprocess.run(
        COMMAND,
        env=development_environment(data, settings or {}),
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=END_TIMEOUT_S,
        check=False,
    )
    assert finished.returncode == 2, finished.stdout + finished.stderr
    assert "Traceback" not in finished.stderr
    return finished.stderr


def descendants(pid: int) -> set[int]:
    children = {int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}
    return children.union(*(descendants(child) for child in children))


def is_gone(pid: int, deadline_s: float = 30.0) -> bool:
    """Whether the process ends in time; one that was adopted and not yet waited for has ended."""
    until = time.monotonic() + deadline_s
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        os.sched_yield()
    return False


def answer_of_action(api: str, key: str, body: str, answers: list[Any]) -> None:
    """Run an action and keep its answer."""
    sent = json.dumps({"code": f"async function main() {{ {body} }}"}).encode()
    headers = {"Content-Type": "application/json", "X-Api-Key": key}
    request = urllib.request.Request(f"{api}/svc_action", sent, headers)
    with urllib.request.urlopen(request, timeout=END_TIMEOUT_S) as response:
        answers.append(json.load(response))


@contextmanager
def taken_port() -> Iterator[int]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_ends_the_whole_group_and_leaves_no_process(tmp_path: Path, number: signal.Signals) -> None:
    with running_node(tmp_path) as node:
        started = descendants(node.process.pid)
        assert any("anvil" in Path(f"/proc/{pid}/cmdline").read_text() for pid in started)
        node.process.send_signal(number)
        assert node.process.wait(END_TIMEOUT_S) == 0
    assert all(is_gone(pid) for pid in started)
    assert node.log[-1] == "stopping"


@pytest.mark.exhaustive
def test_ctrl_c_does_not_wait_for_an_action_to_end(tmp_path: Path) -> None:
    settings = {"SVC_HTTP_SHUTDOWN_TIMEOUT_S": "0.5", "SVC_EGRESS_ALLOW_LOOPBACK": "1"}
    with running_node(tmp_path, settings) as node, socket.create_server(("127.0.0.1", 0)) as silent:
        account = new_account(client_of(node))
        answers: list[Any] = []
        body = f"console.log('so far'); await fetch('http://127.0.0.1:{silent.getsockname()[1]}/');"
        caller = threading.Thread(target=answer_of_action, args=(node.api, account.key, body, answers))
        caller.start()
        silent.settimeout(END_TIMEOUT_S)
        # What it logged is with the node once its fetch has come, which is never answered.
        with silent.accept()[0]:
            node.process.send_signal(signal.SIGINT)
            assert node.process.wait(END_TIMEOUT_S) == 0
        caller.join(END_TIMEOUT_S)
    assert [(answer["error"]["name"], answer["logs"]) for answer in answers] == [("ActionNodeStopping", "so far")]
    (line,) = [line for line in node.log if "result=ActionNodeStopping" in line]
    assert "charged_cents=1" in line
    assert "status=200" in line


@pytest.mark.exhaustive
def test_an_interrupted_start_says_nothing_and_leaves_no_process(tmp_path: Path) -> None:
    for moment in ("chain ", "INSECURE "):
        process = subprocess.Popen(
            COMMAND,
            env=development_environment(tmp_path, {}),
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert process.stdout is not None
        seen = []
        for line in process.stdout:
            seen.append(line)
            if moment in line:
                break
        started = descendants(process.pid)
        said = "".join(seen) + interrupted(process)
        assert process.returncode == 0, said
        assert "Traceback" not in said
        assert all(is_gone(pid) for pid in started)


def test_ctrl_c_before_anything_is_there_prints_no_traceback(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "devkit", "run"],
        env=development_environment(tmp_path, {}),
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    while "node.errors" not in (line := process.stdout.readline()):
        assert line, "node.errors was never imported"
    said = interrupted(process)
    assert process.returncode in {0, -signal.SIGINT}
    assert "Traceback" not in said


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[NodeProcess, Path]]:
    data = tmp_path_factory.mktemp("data")
    with running_node(data) as running:
        yield running, data


@pytest.mark.exhaustive
def test_a_second_node_on_the_same_data_is_refused_at_once(node: tuple[NodeProcess, Path]) -> None:
    assert f"data_dir: another node is using {node[1]}" in refused_start(node[1])


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("variable", "named"),
    [
        ("SVC_HTTP_PORT", "http_host, http_port"),
        ("SVC_HTTPS_PORT", "https_host, https_port"),
        ("SVC_METRICS_PORT", "metrics_host, metrics_port"),
        ("SVC_DEV_CHAIN_PORT", "dev_chain_port"),
    ],
)
def test_a_taken_port_is_refused_by_its_setting(tmp_path: Path, variable: str, named: str) -> None:
    with taken_port() as port:
        said = refused_start(tmp_path, {variable: str(port)})
    assert said.startswith(f"svc-devkit will not start: {named}: ")
    assert str(port) in said
    assert "address already in use" in said.lower()
    assert len(said.splitlines()) == 1


@pytest.mark.exhaustive
def test_data_of_another_contract_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    with running_node(tmp_path):
        pass
    record = tmp_path / "contract.json"
    older = json.loads(record.read_text()) | {"creation_code_sha256": "0" * 64}
    record.write_text(json.dumps(older))
    said = refused_start(tmp_path)
    assert f"data_dir: {tmp_path} was made with another version" in said
    assert json.loads(record.read_text()) == older

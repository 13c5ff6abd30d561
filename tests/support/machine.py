"""What a dstack machine does with a measured file, without hardware and containers: obtain keys, start the node in it.

The node is this tree's `svc-node serve` with the settings of the file. Only where things are differs (`_here`): ports,
folders and the socket, which docker compose would map; the hosts of its endpoints, which resolve to the local chain;
who signs its certificate; how long a start waits for payers that nobody has paid yet; and the budget of gas, which is dear on
the local chain.
"""

import json
import os
import queue
import subprocess
import sys
import threading
import tomllib
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from compose.measured import inlined_settings, read_measured
from svc_verifier.chain.abi import selector
from tests.support.node import REPOSITORY
from tests.support.serving import FREE_WEI_PER_HOUR, toml

READY_TIMEOUT_S = 120
ALLOWED = (1).to_bytes(32)


@dataclass(frozen=True)
class Platform:
    """Where machines of one app run: its contract on a chain, and the folder that is its key service's.

    `hosts` are the local addresses of the names that files give endpoints.
    """

    key_service: Path
    app_id: str
    chain: str
    hosts: Mapping[str, str]

    @property
    def root(self) -> Path:
        """The certificate that quotes of its machines lead to."""
        return self.key_service / "root.pem"


@dataclass(frozen=True)
class Machine:
    """A running one: `origin` is its HTTPS, `url` its HTTP address."""

    origin: str
    url: str


class KeysRefusedError(Exception):
    """The contract does not allow the file."""


def ask(url: str, method: str, *parameters: Any) -> Any:
    """One JSON-RPC request."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=READY_TIMEOUT_S) as response:
        answer = json.loads(response.read())
    assert "error" not in answer, answer
    return answer["result"]


@contextmanager
def simulator(key_service: Path, socket: Path, *arguments: str) -> Iterator[Mapping[str, str]]:
    """The guest agent of a machine; what it announces, by the first word."""
    command = [
        sys.executable,
        "-m",
        "devkit",
        "tee-simulator",
        "--directory",
        str(key_service),
        "--socket",
        str(socket),
    ]
    with _process([*command, *arguments]) as lines:
        announced: dict[str, str] = {}
        for line in lines:
            name, _, value = line.partition(" ")
            announced[name] = value
            if name == "ready":
                yield announced
                return
    raise AssertionError("the guest agent did not get ready")


@contextmanager
def machine(platform: Platform, file: Path, directory: Path) -> Iterator[Machine]:
    """Run what `file` says, with its disk in `directory`, until the context ends.

    Raises KeysRefusedError where the contract does not allow it.
    """
    measured = read_measured(file.read_bytes())
    call = {"to": platform.app_id, "data": f"0x{(selector('allowedComposeHashes(bytes32)') + measured.hash).hex()}"}
    if bytes.fromhex(ask(platform.chain, "eth_call", call, "latest")[2:]) != ALLOWED:
        raise KeysRefusedError(measured.hash.hex())
    directory.mkdir(exist_ok=True)
    socket = platform.key_service / f"{directory.name}.sock"
    settings = tomllib.loads(inlined_settings(measured).text)
    told = toml({**settings, **_here(settings, platform, socket, directory)})
    with ExitStack() as stack:
        arguments = ("--app-id", platform.app_id, "--app-compose", str(file))
        stack.enter_context(simulator(platform.key_service, socket, *arguments))
        yield stack.enter_context(_node(told))


def _here(settings: Mapping[str, Any], platform: Platform, socket: Path, directory: Path) -> dict[str, object]:
    return {
        "data_dir": str(directory / "data"),
        "guest_agent": str(socket),
        "http_host": "127.0.0.1",
        "https_host": "127.0.0.1",
        "http_port": 0,
        "https_port": 0,
        "metrics_port": 0,
        "rpc_endpoints": [platform.hosts[url] for url in settings["rpc_endpoints"]],
        "domain": "localhost",
        "certificate_mode": "self-signed",
        "chain_max_head_age_s": 0,
        "free_writes_per_hour_wei": FREE_WEI_PER_HOUR,
        "payer_rebalance_interval_s": 1,
        "attestation_nonces_per_minute_per_address": 1000,
    }


@contextmanager
def _node(settings: str) -> Iterator[Machine]:
    with _process([sys.executable, "-m", "node", "serve", "--config-text", settings]) as lines:
        for line in lines:
            if line.startswith("{") and (entry := json.loads(line))["event"] == "ready":
                yield Machine(entry["https"].replace("127.0.0.1", "localhost"), entry["api"])
                return
    raise AssertionError("the node did not get ready")


@contextmanager
def _process(command: list[str]) -> Iterator[Iterator[str]]:
    """Its lines as they come; it must end cleanly when it is told to."""
    process = subprocess.Popen(
        command,
        cwd=REPOSITORY,
        env={name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
        | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    lines: queue.Queue[str | None] = queue.Queue()
    printed: list[str] = []
    collector = threading.Thread(target=_collect, args=(process.stdout, lines, printed), daemon=True)
    collector.start()
    try:
        yield iter(lambda: lines.get(timeout=READY_TIMEOUT_S), None)
    finally:
        process.terminate()
        try:
            status = process.wait(READY_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        collector.join(READY_TIMEOUT_S)
        process.stdout.close()
    assert status == 0, "\n".join(printed[-40:])


def _collect(stream: IO[str], lines: "queue.Queue[str | None]", printed: list[str]) -> None:
    for line in stream:
        printed.append(line.rstrip("\n"))
        lines.put(printed[-1])
    lines.put(None)

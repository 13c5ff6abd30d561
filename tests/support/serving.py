"""`svc-node serve` as an operator runs it, on a chain, a contract and a guest agent that a development node lends."""

import asyncio
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from attest.guest_agent import GuestAgent
from devkit.deployed_contract import OWNER_CHANGE_DELAY_S
from node.keyring.enclave import obtain_root
from tests.support.client import Client
from tests.support.node import REPOSITORY, NodeProcess

READY_TIMEOUT_S = 120
FREE_WEI_PER_HOUR = 10**21
"""Gas of the local chain costs some gwei, hundreds of times what the default is made for."""


def unchecked(url: str, key: str | None = None) -> Client:
    """A client of the node at this address whose answers are not compared with the OpenAPI document."""
    return Client(f"{url}/core/v1", lambda _method, _path, _answer: None, key)


def toml(settings: Mapping[str, object]) -> str:
    """A configuration file."""
    lines = []
    for name, value in settings.items():
        items = ", ".join(f'"{each}"' for each in value) if isinstance(value, list) else ""
        shown = f"[{items}]" if isinstance(value, list) else f'"{value}"' if isinstance(value, str) else str(value)
        lines.append(f"{name} = {shown.lower() if isinstance(value, bool) else shown}")
    return "\n".join(lines) + "\n"


def lent_platform(node: NodeProcess, data_directory: Path) -> dict[str, object]:
    """The settings of a second node beside this development node, whose data lie in `data_directory`."""
    chain = unchecked(node.url).get("get_node_chain_config").ok()
    socket = data_directory / "tee-simulator" / "dstack.sock"
    return {
        "http_port": 0,
        "metrics_port": 0,
        "chain_id": chain["chain_id"],
        "chain_name": "test",
        "chain_testnet": True,
        "contract_address": chain["contract_address"],
        "min_owner_change_delay_s": OWNER_CHANGE_DELAY_S,
        "rpc_endpoints": [node.log_value("chain")],
        "chain_max_head_age_s": 86_400.0,  # its chain makes a block when there is a transaction, and none besides
        "guest_agent": str(socket),
        "kms_root_public_key": asyncio.run(_kms_key(socket)),
        "billing": "off",
        "free_writes_per_hour_wei": FREE_WEI_PER_HOUR,
    }


async def _kms_key(socket: Path) -> str:
    async with GuestAgent(str(socket)) as agent:
        return (await obtain_root(agent)).kms_public_key.hex()


def configured(directory: Path, settings: Mapping[str, object]) -> Path:
    """A configuration file in `directory`, where the node's data will be as well."""
    config = directory / "node.toml"
    config.write_text(toml({"data_dir": str(directory / "data")} | dict(settings)))
    return config


def environment(secrets: Mapping[str, str]) -> dict[str, str]:
    """This process's, with these secrets and none of its own."""
    return {name: value for name, value in os.environ.items() if not name.startswith("SVC_")} | dict(secrets)


def start(
    directory: Path,
    settings: Mapping[str, object],
    secrets: Mapping[str, str],
    constants: Mapping[str, object] | None = None,
) -> "subprocess.Popen[str]":
    """Run `svc-node serve` with its configuration and data in `directory`; its log goes to the process's stdout.

    `constants` are other values of module constants, by dotted name.
    """
    program = ["tests.support.with_constants", json.dumps(constants), "node"] if constants else ["node"]
    return subprocess.Popen(
        [sys.executable, "-m", *program, "serve", "--config", str(configured(directory, settings))],
        cwd=REPOSITORY,
        env=environment(secrets),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@contextmanager
def serving(
    directory: Path,
    settings: Mapping[str, object],
    secrets: Mapping[str, str] | None = None,
    constants: Mapping[str, object] | None = None,
) -> Iterator[str]:
    """A serving node's address, with `secrets` in its environment; it must stop cleanly in the end."""
    with serving_process(directory, settings, secrets, constants) as (url, _):
        yield url


@contextmanager
def serving_process(
    directory: Path,
    settings: Mapping[str, object],
    secrets: Mapping[str, str] | None = None,
    constants: Mapping[str, object] | None = None,
) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """The same, and its process; it must stop cleanly in the end unless it was killed."""
    process = start(directory, settings, secrets or {}, constants)
    lines: list[str] = []
    ready: queue.Queue[str | None] = queue.Queue()
    collector = threading.Thread(target=collect, args=(process, lines, ready), daemon=True)
    collector.start()
    try:
        url = ready.get(timeout=READY_TIMEOUT_S)
        if url is None:
            raise AssertionError("".join(lines))
        yield url, process
    finally:
        process.terminate()
        process.wait(READY_TIMEOUT_S)
        collector.join(READY_TIMEOUT_S)
        assert process.stdout is not None
        process.stdout.close()
    assert process.returncode in (0, -signal.SIGKILL), "".join(lines[-40:])


def collect(process: "subprocess.Popen[str]", lines: list[str], ready: "queue.Queue[str | None]") -> None:
    """Keep every line the process prints; tell the API's address once it is ready, and None at the end."""
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line)
        if line.startswith("{") and (entry := json.loads(line))["event"] == "ready":
            ready.put(entry["api"])
    ready.put(None)

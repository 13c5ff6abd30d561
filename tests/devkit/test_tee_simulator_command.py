"""`svc-devkit tee-simulator` as a person starts it."""

import asyncio
import contextlib
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from attest.errors import AttestError, AttestErrorCode
from attest.guest_agent import GuestAgent
from attest.key_chain import kms_root_public_key
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.event_log import parse_event_log
from svc_verifier.formats.quote import parse_quote
from tests.support.node import REPOSITORY

pytestmark = pytest.mark.exhaustive

COMMAND = (sys.executable, "-m", "devkit", "tee-simulator")
APP_ID = "0x" + "ab" * 20


@pytest.fixture
def directory() -> Iterator[Path]:
    """A short path: that of a socket may not exceed 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="svc") as made:
        yield Path(made) / "tee"


@contextlib.contextmanager
def simulator(directory: Path, *arguments: str) -> Iterator[dict[str, str]]:
    """What it announces, by the first word; it must end cleanly."""
    process = subprocess.Popen(
        [*COMMAND, "--directory", str(directory), *arguments],
        cwd=REPOSITORY,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    announced: queue.Queue[dict[str, str]] = queue.Queue()
    threading.Thread(target=_collect, args=(process.stdout, announced), daemon=True).start()
    try:
        lines = announced.get(timeout=60)
        assert "ready" in lines, lines
        yield lines
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def _collect(stream: IO[str], announced: "queue.Queue[dict[str, str]]") -> None:
    lines: dict[str, str] = {}
    for line in stream:
        name, _, value = line.rstrip().partition(" ")
        lines[name] = value
        if name == "ready":
            break
    announced.put(lines)


def test_it_announces_what_it_is_and_serves_it(directory: Path) -> None:
    with simulator(directory, "--app-id", APP_ID) as announced:

        async def ask() -> tuple[bytes, bytes, bytes]:
            async with GuestAgent(announced["ready"]) as agent:
                info, key = await agent.info(), await agent.get_key("p", "q")
                return info.app_id, info.compose_hash, kms_root_public_key(key, "q", info.app_id)

        app_id, compose_hash, root_key = asyncio.run(ask())
        assert announced["INSECURE:"].startswith("TEE simulator, for development only")
        assert announced["app-id"] == APP_ID == f"0x{app_id.hex()}"
        assert announced["compose-hash"] == f"0x{compose_hash.hex()}"
        assert announced["kms-root-public-key"] == root_key.hex()
        assert Path(announced["root"]) == directory / "root.pem"
        assert "BEGIN CERTIFICATE" in Path(announced["root"]).read_text()
        assert "tcb_info" in Path(announced["collateral"]).read_text()
    assert not Path(announced["ready"]).exists()


def test_it_can_be_told_to_be_wrong(directory: Path, tmp_path: Path) -> None:
    compose = tmp_path / "compose.json"
    compose.write_text('{"name": "mine"}')
    told = ("--events", "swapped-payload", "--debug", "--fail", "error", "--method", "Version")
    socket = directory.parent / "other.sock"
    with simulator(directory, *told, "--app-compose", str(compose), "--socket", str(socket)) as announced:
        assert announced["ready"] == str(socket)

        async def ask() -> tuple[str, bytes, str]:
            async with GuestAgent(announced["ready"]) as agent:
                with pytest.raises(AttestError) as refused:
                    await agent.version()
                assert refused.value.code is AttestErrorCode.REFUSED
                quote, info = await agent.get_quote(bytes(64)), await agent.info()
                return quote.event_log, quote.quote, info.tcb_info.app_compose

        event_log, quote, app_compose = asyncio.run(ask())
    assert app_compose == '{"name": "mine"}'
    assert parse_quote(quote).report.td_attributes[0] == 1
    with pytest.raises(VerifierError) as refused:
        parse_event_log(event_log)
    assert refused.value.code is VerifierErrorCode.DIGEST_MISMATCH


@pytest.mark.parametrize(
    "arguments",
    [
        ("--app-id", "0x12"),
        ("--app-id", "z" * 40),
        ("--events", "surprising"),
        ("--tcb-status", "fine"),
        ("--event-version", "3"),
        ("--latency-ms", "-1"),
        ("--method", "Attest"),
        ("--app-compose", "/nonexistent"),
    ],
)
def test_what_it_cannot_be_is_refused(directory: Path, arguments: tuple[str, str]) -> None:
    finished = subprocess.run(
        [*COMMAND, "--directory", str(directory), *arguments],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert finished.returncode == 2
    assert arguments[0] in finished.stderr
    assert "Traceback" not in finished.stderr


def test_a_damaged_seed_is_refused_in_one_line(directory: Path) -> None:
    directory.mkdir(mode=0o700)
    seed = directory / "insecure-root-seed"
    seed.write_text("00")
    seed.chmod(0o600)
    finished = subprocess.run(
        [*COMMAND, "--directory", str(directory)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert finished.returncode == 2
    assert finished.stderr.startswith(f"svc-devkit tee-simulator will not start: {seed} does not hold")
    assert len(finished.stderr.splitlines()) == 1

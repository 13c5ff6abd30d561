"""Runs the local chain, which is anvil from npm as a child process on loopback."""

import asyncio
import contextlib
import re
import shutil
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devkit.chain_state import last_state, write_state
from node.errors import StartupRefusedError

REPOSITORY: Final = Path(__file__).resolve().parents[1]
LISTENING: Final = re.compile(r"Listening on 127\.0\.0\.1:(\d+)")
START_TIMEOUT_S: Final = 30.0
STOP_TIMEOUT_S: Final = 20.0

FUNDED_KEYS: Final = (
    "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
    "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
    "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
)
"""Published development keys of anvil, each with 10,000 ether on a fresh local chain."""


@dataclass(frozen=True, slots=True)
class LocalChain:
    """A running anvil and its address."""

    url: str
    port: int
    process: asyncio.subprocess.Process


@dataclass(frozen=True, slots=True)
class LocalChainOptions:
    """Port 0 takes a free one; `block_time_s` None mines at once; a named file keeps the state.

    anvil inherits `lock_file_descriptor`, whose lock so outlasts a killed node.
    """

    port: int = 0
    chain_id: int = 31337
    block_time_s: float | None = None
    state_file: Path | None = None
    lock_file_descriptor: int | None = None


def anvil_binary() -> Path:
    """Returns the path of npm's anvil. Raises StartupRefusedError when it is missing."""
    binary = REPOSITORY / "node_modules" / "@foundry-rs" / "anvil-linux-amd64" / "bin" / "anvil"
    if not binary.is_file():
        raise StartupRefusedError(
            "anvil", f"the local chain is not installed ({binary}): run `make setup`, on Linux and x86-64."
        )
    return binary


def _command(options: LocalChainOptions) -> list[str]:
    # With setpriv (Linux) the kernel stops anvil, cleanly, when the node is killed.
    setpriv = shutil.which("setpriv")
    command = [setpriv, "--pdeathsig", "TERM", "--"] if setpriv else []
    return [*command, str(anvil_binary()), *_arguments(options)]


def _arguments(options: LocalChainOptions) -> list[str]:
    # Loopback alone, since anvil signs for any caller and its keys are published.
    arguments = ["--host", "127.0.0.1", "--port", str(options.port), "--chain-id", str(options.chain_id)]
    arguments += ["--accounts", str(len(FUNDED_KEYS)), "--color", "never"]
    if options.block_time_s is not None:
        arguments += ["--block-time", str(options.block_time_s)]
    if options.state_file is not None:
        # Written each second, so that a kill loses little; without the state of every block, which
        # would be huge (ADR 0007).
        arguments += ["--state", str(options.state_file), "--state-interval", "1"]
    return arguments


async def _listening_port(process: asyncio.subprocess.Process, asked: int) -> int:
    assert process.stdout is not None  # noqa: S101 - asked for with PIPE below
    seen = b""
    while line := await process.stdout.readline():
        seen += line
        if found := LISTENING.search(line.decode(errors="replace")):
            return int(found.group(1))
    said = seen.decode(errors="replace")[-400:].strip()
    raise StartupRefusedError("dev_chain_port", f"anvil did not start on port {asked}: {said}")


async def _drain(process: asyncio.subprocess.Process) -> None:
    assert process.stdout is not None  # noqa: S101 - asked for with PIPE below
    # anvil logs every call. A pipe that is not read fills up and would stop it during a write.
    while await process.stdout.read(65536):
        pass


@contextlib.asynccontextmanager
async def local_chain(options: LocalChainOptions) -> AsyncIterator[LocalChain]:
    """Run anvil until the context ends. On a clean end its state is written once more.

    Raises StartupRefusedError when it is missing or does not start (port taken, for example).
    """
    process = await asyncio.create_subprocess_exec(
        *_command(options),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        # Ctrl-C in a terminal reaches the whole process group, but anvil must outlive the node's
        # shutdown, which finishes writes and reads its state.
        start_new_session=True,
        pass_fds=[] if options.lock_file_descriptor is None else [options.lock_file_descriptor],
    )
    drain: asyncio.Task[None] | None = None
    state: bytes | None = None
    try:
        try:
            port = await asyncio.wait_for(_listening_port(process, options.port), START_TIMEOUT_S)
        except TimeoutError:
            raise StartupRefusedError("anvil", f"said nothing for {START_TIMEOUT_S:.0f} s.") from None
        drain = asyncio.create_task(_drain(process))
        url = f"http://127.0.0.1:{port}"
        yield LocalChain(url=url, port=port, process=process)
        # After anvil's end the port may be another process's.
        if options.state_file is not None and process.returncode is None:
            state = await last_state(url)
    finally:
        if process.returncode is None:
            await _stop(process)
        if drain is not None:
            await drain
        if state is not None and options.state_file is not None:
            # After its end, since anvil writes the file itself when it stops.
            write_state(options.state_file, state)


async def _stop(process: asyncio.subprocess.Process) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        await asyncio.wait_for(process.wait(), STOP_TIMEOUT_S)
    except TimeoutError:
        process.kill()
        await process.wait()

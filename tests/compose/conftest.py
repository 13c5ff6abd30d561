"""A local chain with the governance contracts, and the command as a process beside it."""

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from devkit.local_chain import FUNDED_KEYS, LocalChainOptions, local_chain
from node.keyring.signing_key import key_from_hex
from tests.support.contract import REPOSITORY, Rpc
from tests.support.governance import Deployed, deploy

OWNER_KEY, STRANGER_KEY = FUNDED_KEYS[0], FUNDED_KEYS[1]
OWNER = key_from_hex(OWNER_KEY).address
DELAY_S = 3_600
CHAIN_ID = 31337
RUN_S = 300
"""Of a command on a machine that does much else: ends what hangs, and judges nobody's speed."""
FIRST = bytes(range(32))


@dataclass(frozen=True)
class Ran:
    """How a run of `svc-compose` ended."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs `svc-compose` with arguments in a directory of its own; `stdin` is its standard input."""

    def run_with(*arguments: str, stdin: str = "") -> Ran:
        ran = subprocess.run(
            [sys.executable, "-m", "compose", *arguments],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=RUN_S,
            check=False,
        )
        assert "Traceback" not in ran.stderr
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    return run_with


def documented_members(command: str) -> list[str]:
    """What docs/compose.md says a command's JSON holds, in order."""
    page = (REPOSITORY / "docs" / "compose.md").read_text()
    (row,) = re.findall(rf"^\| (?:`\w+`, )?`{command}`(?:, `\w+`)? \| (.*) \|$", page, re.MULTILINE)
    outer = re.sub(r"\([^)]*\)|: .*", "", row)
    return re.findall(r"`(\w+)`", outer)


@dataclass(frozen=True)
class World:
    """`app` waits before an approval counts; `plain` has no delay."""

    rpc: Rpc
    url: str
    app: Deployed
    plain: Deployed

    async def later(self, seconds: int) -> None:
        await self.rpc.ask("evm_increaseTime", seconds)
        await self.rpc.ask("evm_mine")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chain() -> AsyncIterator[World]:
    async with local_chain(LocalChainOptions()) as local, aiohttp.ClientSession() as session:
        rpc = Rpc(session, local.url)
        await rpc.ask("anvil_autoImpersonateAccount", True)
        kms = await deploy(rpc, "DstackKms", OWNER, OWNER, b"\x02" + bytes(32), b"\x30" + bytes(90), bytes(32))
        apps = [await deploy(rpc, "DstackApp", OWNER, OWNER, kms.address, FIRST, delay) for delay in (DELAY_S, 0)]
        yield World(rpc, local.url, *apps)


@pytest_asyncio.fixture(loop_scope="module")
async def world(chain: World) -> AsyncIterator[World]:
    """The deployment as it was, whatever tests before did."""
    snapshot = await chain.rpc.ask("evm_snapshot")
    yield chain
    assert await chain.rpc.ask("evm_revert", snapshot)

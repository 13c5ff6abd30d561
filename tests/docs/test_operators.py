"""docs/operators.md followed literally: first deployment, upgrade with two machines side by side, rollback.

Building an image takes minutes and has tests of its own (tests/image): the digests here are of no image. Machines are
those of `tests.support.machine`: the node of this tree, with the settings of the file that was measured.
"""

import asyncio
import json
import ssl
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from devkit.local_chain import FUNDED_KEYS, LocalChainOptions, local_chain
from devkit.tee_simulator.authorities import certificate_authorities
from devkit.tee_simulator.key_service import kms_root_key
from devkit.tee_simulator.os_image import OS_IMAGE_HASH
from devkit.tee_simulator.seed import load_or_create_seed
from node.keyring.signing_key import key_from_hex
from svc_verifier.chain.abi import selector
from svc_verifier.chain.contracts import CONFIRMATIONS
from tests.docs.operator import Operator, names_of_blocks
from tests.support.contract import Rpc
from tests.support.governance import deploy
from tests.support.machine import KeysRefusedError, Machine, Platform, machine

pytestmark = pytest.mark.exhaustive

OWNER_KEY = FUNDED_KEYS[0]
OWNER = key_from_hex(OWNER_KEY).address
DELAY_S = 60
HOST = "https://node.example"
ENDPOINTS = ("https://one.example", "https://two.example", "https://three.example")


class Walk:
    """One operator, the chain, and the machines of the app."""

    def __init__(self, rpc: Rpc, platform: Platform, operator: Operator) -> None:
        self.rpc = rpc
        self.platform = platform
        self.operator = operator
        self._machines = ExitStack()

    async def follows(self, *names: str) -> str:
        """The blocks, one after the other; what the last one printed."""
        printed = ""
        for name in names:
            await self.rpc.ask("anvil_mine", hex(CONFIRMATIONS + 1))
            printed = await asyncio.to_thread(self.operator.follows, name)
        return printed

    def builds(self, digit: str) -> None:
        """`make image`, of a commit whose digest is this."""
        out = self.operator.folder / "image" / "out"
        out.mkdir(parents=True, exist_ok=True)
        (out / "digest").write_text(f"sha256:{digit * 64}\n")

    async def waits(self) -> None:
        """Until an announced approval is due."""
        await self.rpc.ask("evm_increaseTime", DELAY_S)
        await self.rpc.ask("evm_mine")

    async def deploys(self, file: str, disk: str) -> tuple[Machine, ExitStack]:
        """A machine of this file; closing the stack stops it."""
        stack = self._machines.enter_context(ExitStack())
        running = await asyncio.to_thread(
            stack.enter_context,
            machine(self.platform, self.operator.folder / file, self.operator.folder / disk),
        )
        return running, stack

    async def stops(self, stack: ExitStack) -> None:
        await asyncio.to_thread(stack.close)

    async def is_well(self, at: Machine) -> bool:
        """Whether nothing is wrong with it, and its payers can pay."""
        health = await asyncio.to_thread(_get, f"{at.origin}/health")
        return bool(health["status"] == "ok")

    async def payers(self, at: Machine) -> set[str]:
        """Those that the contract names."""
        return set(await asyncio.to_thread(_get, f"{at.origin}/core/v1/get_api_payers"))

    async def again(self) -> str:
        """The whole answer of the walk's action, run once more with the keys of its first account: a signature."""
        script = f"STATE=$PWD/walk.keys examples/walk.sh again {HOST}"
        ran = await asyncio.to_thread(self.operator.runs, script)
        return next(line for line in ran.splitlines() if '"signature"' in line).split('"duration_ms"')[0]

    async def close(self) -> None:
        await asyncio.to_thread(self._machines.close)


_ANYBODY = ssl.create_default_context()
_ANYBODY.check_hostname = False
_ANYBODY.verify_mode = ssl.CERT_NONE


def _get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=30, context=_ANYBODY) as response:
        return json.loads(response.read())


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Look again and again, for a minute at most."""
    deadline = time.monotonic() + 60
    while not await holds():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.2)


@pytest.fixture
def key_service() -> Iterator[Path]:
    """A short path: sockets lie there."""
    with tempfile.TemporaryDirectory(prefix="svc") as directory:
        yield Path(directory)


@pytest_asyncio.fixture
async def walk(tmp_path: Path, key_service: Path) -> AsyncIterator[Walk]:
    async with local_chain(LocalChainOptions()) as local, aiohttp.ClientSession() as session:
        rpc = Rpc(session, local.url)
        await rpc.ask("anvil_autoImpersonateAccount", True)
        seed = load_or_create_seed(key_service)
        root, authority = kms_root_key(seed), certificate_authorities(seed).kms_ca.public_key_der
        kms = await deploy(rpc, "DstackKms", OWNER, OWNER, root, authority, OS_IMAGE_HASH)
        app = await deploy(rpc, "DstackApp", OWNER, OWNER, kms.address, bytes(32), DELAY_S)
        elsewhere = local.url.replace("127.0.0.1", "localhost")
        hosts = dict(zip(ENDPOINTS, (local.url, elsewhere, f"{local.url}/?third"), strict=True))
        platform = Platform(key_service, app.address, local.url, hosts)
        operator = Operator(tmp_path, HOST, hosts, platform.root)
        operator.sets(
            dict(zip(("RPC_1", "RPC_2", "RPC_3"), ENDPOINTS, strict=True))
            | {"HOST": HOST, "CHAIN_ID": "31337", "CHAIN_NAME": "local", "REGISTRY": "registry.example"}
            | {"APP_ID": app.address, "OWNER": OWNER, "KMS_ROOT_KEY": root.hex(), "KMS_CA_KEY": authority.hex()}
        )
        for name in ("deployer.key", "owner.key"):
            (tmp_path / name).write_text(OWNER_KEY + "\n")
            (tmp_path / name).chmod(0o600)
        walk = Walk(rpc, platform, operator)
        yield walk
        await walk.close()


async def names_and_pays(walk: Walk, admin_payer: str) -> None:
    """What the page says in words: the owner names the payer, somebody sends it gas."""
    data = selector("setAdminApiPayerAccount(address)") + bytes(12) + bytes.fromhex(admin_payer[2:])
    call = {"from": OWNER, "to": walk.operator.variable("CONTRACT"), "data": f"0x{data.hex()}"}
    gas = {"from": OWNER, "to": admin_payer, "value": hex(10**19)}
    for transaction in (call, gas):
        assert (await walk.rpc.ask("eth_sendTransactionSync", transaction))["status"] == "0x1"


async def first_deployment(walk: Walk) -> tuple[Machine, ExitStack]:
    """The page's first part."""
    walk.builds("a")
    await walk.follows("contract", "render", "announce", "pending")
    with pytest.raises(KeysRefusedError):
        await walk.deploys("app-compose.json", "too-early")
    await walk.waits()
    await walk.follows("add")
    old, disk = await walk.deploys("app-compose.json", "old")
    walk.operator.meets(old.origin)
    await walk.follows("verify")
    seen = await walk.follows("payer")
    await names_and_pays(walk, seen.split()[-1])
    await until(lambda: walk.is_well(old))
    await walk.follows("healthy", "accepted", "use")
    return old, disk


async def upgrade(walk: Walk, old: Machine) -> tuple[Machine, ExitStack]:
    """Until only the new one is allowed; closing the stack stops its machine."""
    walk.builds("b")
    await walk.follows("upgrade-render", "upgrade-announce", "upgrade-seen")
    await walk.waits()
    await walk.follows("upgrade-add")
    payers = await walk.payers(old)
    new, disk = await walk.deploys("app-compose.json", "new")
    await until(lambda: walk.is_well(new))
    for each in (old, new, old):
        walk.operator.meets(each.origin)
        await walk.follows("both")
    both = await walk.payers(new)
    assert payers < both
    assert len(both) == 2 * len(payers)
    await walk.follows("revoke")
    walk.operator.meets(old.origin)
    await walk.follows("refused")
    walk.operator.meets(new.origin)
    await walk.follows("both")
    return new, disk


@pytest.mark.timeout(600)
async def test_a_deployment_an_upgrade_and_a_rollback(walk: Walk) -> None:
    old, disk_of_old = await first_deployment(walk)
    signed = await walk.again()
    new, disk_of_new = await upgrade(walk, old)
    await walk.stops(disk_of_old)
    assert await walk.again() == signed
    with pytest.raises(KeysRefusedError):
        await walk.deploys("app-compose.before.json", "old")
    payers = await walk.payers(new)
    await walk.follows("rollback")
    await walk.waits()
    await walk.follows("rollback-add", "refused")
    await walk.stops(disk_of_new)
    back, _ = await walk.deploys("app-compose.before.json", "new")  # in place: the disk of the other
    walk.operator.meets(back.origin)
    await until(lambda: walk.is_well(back))
    assert await walk.payers(back) == payers
    await walk.follows("both")
    assert await walk.again() == signed
    assert set(walk.operator.followed) | {"names"} == set(names_of_blocks())

"""The governance stand-ins: dstack's interface, and approvals that wait where everybody can see them."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from eth_utils.crypto import keccak

from devkit.governance.deployment import GovernanceTerms, deployed_governance
from devkit.local_chain import FUNDED_KEYS, LocalChainOptions, local_chain
from node.chain.rpc import JsonRpc
from node.errors import StartupRefusedError
from node.keyring.signing_key import key_from_hex
from tests.support.contract import REPOSITORY, Revert, Rpc, address_of, signature
from tests.support.governance import ARTIFACT_FILE, CONTRACTS, Deployed, deploy

pytestmark = pytest.mark.asyncio(loop_scope="module")

OWNER, STRANGER, ZERO = address_of("owner"), address_of("stranger"), "0x" + "00" * 20
FIRST, SECOND, THIRD = (hashlib.sha256(name).digest() for name in (b"first", b"second", b"third"))
IMAGE, DEVICE = hashlib.sha256(b"image").digest(), hashlib.sha256(b"device").digest()
K256, CA = b"\x02" + bytes(32), b"\x30" + bytes(90)
DELAY_S = 3600
DEPLOYER = key_from_hex(FUNDED_KEYS[0]).address

SELECTORS = {
    "DstackApp": {
        "allowedComposeHashes": "2f6622e5",
        "allowAnyDevice": "3440a16a",
        "allowedDeviceIds": "bf8b211b",
        "requireTcbUpToDate": "0aa58c83",
        "owner": "8da5cb5b",
        "pendingOwner": "e30c3978",
        "version": "54fd4d50",
        "isAppAllowed": "1e079198",
        "supportsInterface": "01ffc9a7",
        "addComposeHash": "dfc77223",
        "removeComposeHash": "67b3f22c",
    },
    "DstackKms": {
        "allowedOsImages": "9a4e1d18",
        "kmsAllowedAggregatedMrs": "f6fe4f40",
        "kmsAllowedDeviceIds": "13eb9770",
        "registeredApps": "a6c4cce9",
        "kmsInfo": "09177063",
        "gatewayAppId": "95f51931",
        "appImplementation": "25a992da",
        "isAppAllowed": "1e079198",
    },
}
"""Names of functions of dstack's own contracts."""


@dataclass(frozen=True)
class World:
    rpc: Rpc
    app: Deployed
    kms: Deployed

    async def is_allowed(self, **changed: Any) -> tuple[bool, str]:
        """What the key service is told of a machine that booted, with what is given changed."""
        boot = {
            "app": self.app.address,
            "compose": FIRST,
            "instance": ZERO,
            "device": DEVICE,
            "aggregated": bytes(32),
            "system": bytes(32),
            "image": IMAGE,
            "tcb": "UpToDate",
            "advisories": [],
        }
        answer: tuple[bool, str] = await self.kms.call("isAppAllowed", tuple((boot | changed).values()))
        return answer

    async def later(self, seconds: int) -> None:
        await self.rpc.ask("evm_increaseTime", seconds)
        await self.rpc.ask("evm_mine")

    async def now(self) -> int:
        return int((await self.rpc.ask("eth_getBlockByNumber", "latest", False))["timestamp"], 16)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def deployed() -> AsyncIterator[World]:
    async with local_chain(LocalChainOptions()) as chain, aiohttp.ClientSession() as session:
        rpc = Rpc(session, chain.url)
        await rpc.ask("anvil_autoImpersonateAccount", True)
        for address in (OWNER, STRANGER):
            await rpc.ask("anvil_setBalance", address, hex(10**24))
        kms = await deploy(rpc, "DstackKms", OWNER, OWNER, K256, CA, IMAGE)
        yield World(rpc, await deploy(rpc, "DstackApp", OWNER, OWNER, kms.address, FIRST, DELAY_S), kms)


@pytest_asyncio.fixture(loop_scope="module")
async def world(deployed: World) -> AsyncIterator[World]:
    """The deployment as it was, whatever tests before did."""
    snapshot = await deployed.rpc.ask("evm_snapshot")
    yield deployed
    assert await deployed.rpc.ask("evm_revert", snapshot)


@pytest.mark.parametrize("name", SELECTORS)
async def test_the_interface_is_dstacks(name: str) -> None:
    found = {
        entry["name"]: keccak(signature(entry).encode())[:4].hex()
        for entry in CONTRACTS[name]["abi"]
        if entry["type"] == "function"
    }
    assert SELECTORS[name].items() <= found.items()


async def test_the_events_verifiers_look_for_are_dstacks() -> None:
    topics = {
        entry["name"]: keccak(signature(entry).encode())[:4].hex()
        for entry in CONTRACTS["DstackApp"]["abi"]
        if entry["type"] == "event"
    }
    assert (topics["ComposeHashAdded"], topics["ComposeHashRemoved"]) == ("fecb3430", "755b79bd")
    assert topics["OwnershipTransferred"] == "8be0079c"


async def test_it_begins_with_what_it_was_told(world: World) -> None:
    assert await world.app.call("allowedComposeHashes", FIRST) is True
    assert await world.app.call("allowedComposeHashes", SECOND) is False
    assert await world.app.call("approvalDelay") == DELAY_S
    assert await world.app.call("pendingComposeHashes") == []
    assert await world.app.call("version") == 2
    assert await world.app.call("owner") == OWNER
    for interface in ("1e079198", "01ffc9a7"):
        assert await world.app.call("supportsInterface", bytes.fromhex(interface)) is True
    assert await world.app.call("supportsInterface", bytes.fromhex("ffffffff")) is False
    assert await world.kms.call("kmsInfo") == (K256, CA, b"", b"")
    assert await world.kms.call("registeredApps", world.app.address) is True
    assert await world.kms.call("allowedOsImages", IMAGE) is True
    assert await world.is_allowed() == (True, "")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"app": STRANGER}, "App not registered"),
        ({"image": DEVICE}, "OS image is not allowed"),
        ({"compose": SECOND}, "Compose hash not allowed"),
        ({"tcb": "OutOfDate"}, "TCB status is not up to date"),
        ({"tcb": ""}, "TCB status is not up to date"),
    ],
)
async def test_what_is_not_approved_gets_no_keys(world: World, changed: dict[str, Any], reason: str) -> None:
    assert await world.is_allowed(**changed) == (False, reason)


async def test_an_app_without_a_contract_gets_no_keys(world: World) -> None:
    await world.kms.send(STRANGER, "registerApp", STRANGER)
    assert await world.is_allowed(app=STRANGER) == (False, "App contract not found")


async def test_devices_and_patches_are_the_owners_to_decide(world: World) -> None:
    await world.app.send(OWNER, "setAllowAnyDevice", False)
    assert await world.is_allowed() == (False, "Device not allowed")
    await world.app.send(OWNER, "addDevice", DEVICE)
    assert await world.is_allowed() == (True, "")
    await world.app.send(OWNER, "removeDevice", DEVICE)
    assert await world.is_allowed() == (False, "Device not allowed")
    await world.app.send(OWNER, "setAllowAnyDevice", True)
    await world.app.send(OWNER, "setRequireTcbUpToDate", False)
    assert await world.is_allowed(tcb="OutOfDate") == (True, "")


async def test_an_approval_waits_in_sight_and_counts_only_then(world: World) -> None:
    ((name, (scheduled, eta)),) = await world.app.send(OWNER, "scheduleComposeHash", SECOND)
    assert (name, scheduled) == ("ComposeHashScheduled", SECOND)
    assert eta == await world.now() + DELAY_S
    assert await world.app.call("pendingComposeHashes") == [{"composeHash": SECOND, "eta": eta}]
    assert await world.is_allowed(compose=SECOND) == (False, "Compose hash not allowed")
    await world.later(DELAY_S - 60)
    with pytest.raises(Revert) as early:
        await world.app.call("addComposeHash", SECOND, sender=OWNER)
    assert (early.value.name, early.value.arguments) == ("ComposeHashNotDue", (SECOND, eta))
    await world.later(60)
    assert await world.app.send(OWNER, "addComposeHash", SECOND) == [("ComposeHashAdded", (SECOND,))]
    assert await world.app.call("pendingComposeHashes") == []
    assert await world.is_allowed(compose=SECOND) == (True, "")
    assert await world.is_allowed() == (True, "")


async def test_a_removal_counts_at_once_and_coming_back_waits_again(world: World) -> None:
    assert await world.app.send(OWNER, "removeComposeHash", FIRST) == [("ComposeHashRemoved", (FIRST,))]
    assert await world.is_allowed() == (False, "Compose hash not allowed")
    with pytest.raises(Revert, match="ComposeHashNotScheduled"):
        await world.app.call("addComposeHash", FIRST, sender=OWNER)
    await world.app.send(OWNER, "scheduleComposeHash", FIRST)


async def test_what_was_announced_can_be_taken_back(world: World) -> None:
    etas = {}
    for each in (SECOND, THIRD):
        ((_, (_, etas[each])),) = await world.app.send(OWNER, "scheduleComposeHash", each)
    assert await world.app.send(OWNER, "cancelComposeHash", SECOND) == [("ComposeHashCancelled", (SECOND,))]
    assert await world.app.call("pendingComposeHashes") == [{"composeHash": THIRD, "eta": etas[THIRD]}]
    await world.later(2 * DELAY_S)
    with pytest.raises(Revert, match="ComposeHashNotScheduled"):
        await world.app.call("addComposeHash", SECOND, sender=OWNER)
    await world.app.send(OWNER, "addComposeHash", THIRD)


@pytest.mark.parametrize(
    ("function", "composed", "error"),
    [
        ("scheduleComposeHash", FIRST, "ComposeHashAlreadyAllowed"),
        ("addComposeHash", FIRST, "ComposeHashAlreadyAllowed"),
        ("scheduleComposeHash", SECOND, "ComposeHashAlreadyScheduled"),
        ("cancelComposeHash", THIRD, "ComposeHashNotScheduled"),
        ("addComposeHash", THIRD, "ComposeHashNotScheduled"),
    ],
)
async def test_what_makes_no_sense_is_refused_by_name(world: World, function: str, composed: bytes, error: str) -> None:
    await world.app.send(OWNER, "scheduleComposeHash", SECOND)
    with pytest.raises(Revert) as refused:
        await world.app.call(function, composed, sender=OWNER)
    assert (refused.value.name, refused.value.arguments) == (error, (composed,))


async def test_only_so_many_wait_that_one_call_reads_them(world: World) -> None:
    for index in range(64):
        await world.app.send(OWNER, "scheduleComposeHash", hashlib.sha256(bytes([index])).digest())
    with pytest.raises(Revert, match="TooManyPending"):
        await world.app.call("scheduleComposeHash", THIRD, sender=OWNER)
    assert len(await world.app.call("pendingComposeHashes")) == 64


async def test_without_a_delay_an_approval_counts_at_once(world: World) -> None:
    app = await deploy(world.rpc, "DstackApp", OWNER, OWNER, world.kms.address, bytes(32), 0)
    assert await app.call("allowedComposeHashes", bytes(32)) is False
    await app.send(OWNER, "addComposeHash", SECOND)
    assert await world.is_allowed(app=app.address, compose=SECOND) == (True, "")


async def test_a_delay_of_more_than_a_year_is_refused(world: World) -> None:
    with pytest.raises(Revert, match="DelayTooLong"):
        await deploy(world.rpc, "DstackApp", OWNER, OWNER, world.kms.address, FIRST, 366 * 86_400)


async def test_strangers_change_nothing(world: World) -> None:
    """Every function that changes something is the owner's, but registering an app."""
    for contract in (world.app, world.kms):
        for entry in CONTRACTS[contract.name]["abi"]:
            if entry["type"] != "function" or entry["stateMutability"] != "nonpayable":
                continue
            if entry["name"] in {"registerApp", "acceptOwnership"}:
                continue
            blank = {"bytes32": SECOND, "bool": True, "address": STRANGER}
            with pytest.raises(Revert) as refused:
                await contract.call(entry["name"], *(blank[each["type"]] for each in entry["inputs"]), sender=STRANGER)
            assert refused.value.name == "OwnableUnauthorizedAccount", entry["name"]
    with pytest.raises(Revert, match="InvalidApp"):
        await world.kms.call("registerApp", ZERO, sender=STRANGER)


TERMS = GovernanceTerms(kms_public_key=K256, kms_ca_public_key=CA, os_image_hash=IMAGE, compose_hash=FIRST)


@pytest.mark.parametrize("kept", ["nothing", "the key service", "everything"])
async def test_a_chain_that_lost_blocks_gets_the_contracts_back_at_their_addresses(tmp_path: Path, kept: str) -> None:
    """Every key of a node depends on the app's address."""
    record = tmp_path / "governance.json"
    async with local_chain(LocalChainOptions()) as chain, aiohttp.ClientSession() as session:
        rpc, raw = JsonRpc(session, (chain.url,)), Rpc(session, chain.url)
        snapshot = await raw.ask("evm_snapshot")
        first = await deployed_governance(rpc, record, TERMS)
        assert json.loads(record.read_text()) == asdict(first)
        height = await raw.ask("eth_blockNumber")
        if kept != "everything":
            await raw.ask("evm_revert", snapshot)
        if kept == "the key service":
            await raw.ask("anvil_autoImpersonateAccount", True)
            kms = await deploy(raw, "DstackKms", DEPLOYER, DEPLOYER, K256, CA, IMAGE)
            assert kms.address.lower() == first.kms.lower()
        assert await deployed_governance(rpc, record, TERMS) == first
        assert await raw.ask("eth_blockNumber") == height
        assert await Deployed(raw, "DstackKms", first.kms).call("registeredApps", first.app) is True


async def test_contracts_at_other_addresses_are_not_taken_behind_the_users_back(tmp_path: Path) -> None:
    record = tmp_path / "governance.json"
    async with local_chain(LocalChainOptions()) as chain, aiohttp.ClientSession() as session:
        rpc, raw = JsonRpc(session, (chain.url,)), Rpc(session, chain.url)
        snapshot = await raw.ask("evm_snapshot")
        first = await deployed_governance(rpc, record, TERMS)
        await raw.ask("evm_revert", snapshot)
        await raw.ask("anvil_setNonce", DEPLOYER, "0x7")
        with pytest.raises(StartupRefusedError, match="another version"):
            await deployed_governance(rpc, record, TERMS)
    assert json.loads(record.read_text()) == asdict(first)


@pytest.mark.exhaustive
@pytest.mark.timeout(300)
async def test_the_artifact_is_what_the_sources_give() -> None:
    process = await asyncio.create_subprocess_exec(
        str(REPOSITORY / ".venv" / "bin" / "node"),
        str(ARTIFACT_FILE.parent / "build.mjs"),
        "--check",
        cwd="/",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()

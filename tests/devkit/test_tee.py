"""The TEE of a development node: its app id is a contract that allows it, and both stay what they were."""

import asyncio
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import dcap_qvl
import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import load_pem_x509_certificate

from attest.guest_agent import GuestAgent
from attest.responses import Info, Quote
from devkit.local_chain import FUNDED_KEYS
from node.keyring.signing_key import key_from_hex
from svc_verifier.formats.event_log import boot_identity, parse_event_log, replay
from svc_verifier.formats.quote import parse_quote
from tests.devkit.test_development_node import refused_start
from tests.support.contract import Rpc
from tests.support.governance import Deployed
from tests.support.node import NodeProcess, running_node

DEVKIT = Path(sys.executable).with_name("svc-devkit")
OWNER = key_from_hex(FUNDED_KEYS[0]).address


def asked(data: Path) -> tuple[Info, Quote, str]:
    """What the node's guest agent says: who it is, a quote, and a key."""

    async def ask() -> tuple[Info, Quote, str]:
        async with GuestAgent(str(data / "tee-simulator" / "dstack.sock")) as agent:
            key = await agent.get_key("p", "q")
            return await agent.info(), await agent.get_quote(bytes(64)), key.key.get_secret_value().hex()

    return asyncio.run(ask())


def on_chain(node: NodeProcess, ask: Callable[[Deployed, Deployed], Awaitable[Any]]) -> Any:
    """What `ask` finds out of the app's contract and the key service's."""

    async def run() -> Any:
        async with aiohttp.ClientSession() as session:
            rpc = Rpc(session, node.log_value("chain"))
            line = next(line for line in node.log if line.startswith("tee-app-id "))
            app, kms = line.split()[1], line.rstrip(")").split()[-1]
            return await ask(Deployed(rpc, "DstackApp", app), Deployed(rpc, "DstackKms", kms))

    return asyncio.run(run())


@pytest.mark.exhaustive
def test_hardware_boot_compose_and_contract_are_of_one_mind(tmp_path: Path) -> None:
    with running_node(tmp_path) as node:
        info, quote, _ = asked(tmp_path)
        root_file = Path(node.log_value("tee-root"))
        root = load_pem_x509_certificate(root_file.read_bytes()).public_bytes(Encoding.DER)
        collateral = dcap_qvl.QuoteCollateralV3.from_json((root_file.parent / "collateral.json").read_text())
        status = dcap_qvl.verify_with_root_ca(quote.quote, collateral, root, int(time.time())).status
        events = parse_event_log(quote.event_log)
        identity = boot_identity(events)
        vm_config = json.loads(quote.vm_config)

        async def governance(app: Deployed, kms: Deployed) -> tuple[Any, ...]:
            image = bytes.fromhex(vm_config["os_image_hash"])
            boot = (app.address, identity.compose_hash, "0x" + identity.instance_id.hex(), bytes(32), bytes(32))
            return (
                app.address,
                await app.call("owner"),
                await app.call("allowedComposeHashes", identity.compose_hash),
                await kms.call("kmsInfo"),
                await kms.call("isAppAllowed", (*boot, bytes(32), image, status, [])),
                await app.call("approvalDelay"),
            )

        app_id, owner, allowed, kms_info, verdict, delay = on_chain(node, governance)
    assert status == "UpToDate"
    assert replay(events) == parse_quote(quote.quote).report.rtmrs
    assert identity.app_id == info.app_id == bytes.fromhex(app_id[2:])
    assert identity.compose_hash == hashlib.sha256(info.tcb_info.app_compose.encode()).digest()
    assert "DEVELOPMENT ONLY" in json.loads(info.tcb_info.app_compose)["docker_compose_file"]
    assert "@sha256:" in json.loads(info.tcb_info.app_compose)["docker_compose_file"]
    assert json.loads(identity.key_provider)["id"] == kms_info[1].hex()
    assert (owner, allowed, verdict, delay) == (OWNER, True, (True, ""), 60)


@pytest.mark.exhaustive
def test_a_second_start_finds_contract_root_and_keys_as_they_were(tmp_path: Path) -> None:
    seen = []
    for _ in range(2):
        with running_node(tmp_path) as node:
            info, _, key = asked(tmp_path)
            root = Path(node.log_value("tee-root")).read_text()
            seen.append((node.log_value("tee-app-id"), info.app_id, info.instance_id, key, root))
    assert seen[0] == seen[1]


@pytest.mark.exhaustive
def test_a_lost_chain_is_begun_anew_with_the_same_app_id_and_keys(tmp_path: Path) -> None:
    """As before there was a contract for it: keys must not change because a local chain's state was lost."""
    seen = []
    for _ in range(2):
        with running_node(tmp_path) as node:
            seen.append((node.log_value("tee-app-id"), asked(tmp_path)[2]))
        for state in tmp_path.glob("chain*.json"):
            state.unlink()
    assert seen[0] == seen[1]


@pytest.mark.exhaustive
def test_a_compose_file_nobody_approved_gets_no_keys_until_the_owner_approves_it(tmp_path: Path) -> None:
    compose_file = tmp_path / "tee-simulator" / "app-compose.json"
    with running_node(tmp_path):
        _, _, key = asked(tmp_path)
    first = compose_file.read_text()
    other = first.replace('"public_logs": false', '"public_logs": true')
    assert other != first
    compose_hash = hashlib.sha256(other.encode()).digest()
    compose_file.write_text(other)
    said = refused_start(tmp_path)
    assert f"does not allow the compose hash 0x{compose_hash.hex()}" in said
    compose_file.write_text(first)

    async def approve(app: Deployed, _kms: Deployed) -> None:
        await app.rpc.ask("anvil_autoImpersonateAccount", True)
        await app.send(OWNER, "scheduleComposeHash", compose_hash)
        assert [each["composeHash"] for each in await app.call("pendingComposeHashes")] == [compose_hash]
        await app.rpc.ask("evm_increaseTime", await app.call("approvalDelay"))
        await app.rpc.ask("evm_mine")
        await app.send(OWNER, "addComposeHash", compose_hash)

    with running_node(tmp_path) as node:
        on_chain(node, approve)
    compose_file.write_text(other)
    with running_node(tmp_path):
        info, _, same_key = asked(tmp_path)
    assert info.tcb_info.compose_hash == compose_hash
    assert same_key == key


def advised(said: str, data: Path) -> subprocess.CompletedProcess[str]:
    """Run the command that a refusal advises, in a shell and in another folder, as somebody who reads it does."""
    found = re.search(r"`([^`]+ approve-compose)`", said)
    assert found is not None, said
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    return subprocess.run(
        found[1], shell=True, cwd=data.parent, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.exhaustive
def test_the_advice_helps_after_the_owner_removed_the_hash_and_keys_stay(tmp_path: Path) -> None:
    data = tmp_path / "a b"
    data.mkdir()

    async def revoke(app: Deployed, _kms: Deployed) -> None:
        await app.rpc.ask("anvil_autoImpersonateAccount", True)
        own = hashlib.sha256((data / "tee-simulator" / "app-compose.json").read_bytes()).digest()
        await app.send(OWNER, "removeComposeHash", own)
        await app.send(OWNER, "scheduleComposeHash", own)

    with running_node(data) as node:
        _, _, key = asked(data)
        on_chain(node, revoke)
        while_it_runs = advised(f"`SVC_DATA_DIR='{data}' {DEVKIT} approve-compose`", data)
        assert while_it_runs.returncode == 2
        assert "another node is using" in while_it_runs.stderr
    said = refused_start(data)
    assert "does not allow the compose hash" in said
    for told in ("allows the compose hash 0x", "already"):
        approved = advised(said, data)
        assert approved.returncode == 0, approved.stderr
        assert told in approved.stdout
    with running_node(data):
        assert asked(data)[2] == key


@pytest.mark.exhaustive
def test_the_advice_of_a_directory_without_a_node_says_so(tmp_path: Path) -> None:
    said = advised(f"`SVC_DATA_DIR={tmp_path} {DEVKIT} approve-compose`", tmp_path)
    assert said.returncode == 2
    assert "is no data directory of a node that has run" in said.stderr


@pytest.mark.exhaustive
def test_data_from_before_there_was_a_governance_contract_is_refused_and_left_alone(tmp_path: Path) -> None:
    with running_node(tmp_path):
        pass
    (tmp_path / "governance.json").unlink()
    before = (tmp_path / "contract.json").read_text()
    assert f"data_dir: {tmp_path} was made with another version" in refused_start(tmp_path)
    assert (tmp_path / "contract.json").read_text() == before
    assert not (tmp_path / "governance.json").exists()


@pytest.mark.exhaustive
def test_data_of_another_governance_contract_is_refused_and_left_alone(tmp_path: Path) -> None:
    with running_node(tmp_path):
        pass
    record = tmp_path / "governance.json"
    older = json.loads(record.read_text()) | {"version": "0" * 64}
    record.write_text(json.dumps(older))
    assert f"data_dir: {tmp_path} was made with another version" in refused_start(tmp_path)
    assert json.loads(record.read_text()) == older

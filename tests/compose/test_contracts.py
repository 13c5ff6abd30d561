"""Naming the admin payer and reading the key service, on the real contracts."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import yaml

from compose.app_compose import AppOptions, app_compose_bytes
from compose.check import Accepted, check, is_refused
from compose.deployment import Deployment, read_settings
from compose.errors import ComposeError
from compose.measured import read_measured
from tests.compose.conftest import CHAIN_ID, OWNER, OWNER_KEY, STRANGER_KEY, Ran, Run, World
from tests.support import governance
from tests.support.contract import Contract, address_of, deploy
from tests.support.measured_files import IMAGE, SETTINGS, measured, node_alone

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(600)]

DELAY_S = 3_600
PAYER, OTHER, NOBODY = address_of("admin payer"), address_of("other"), "0x" + "00" * 20


@pytest_asyncio.fixture(loop_scope="module")
async def accounts(world: World) -> AsyncIterator[Contract]:
    """A fresh account contract without an admin payer."""
    yield await deploy(world.rpc, OWNER, OWNER, NOBODY, DELAY_S)


def naming(world: World, accounts: Contract, payer: str = PAYER) -> list[str]:
    at = ["--contract", accounts.address, "--chain-id", str(CHAIN_ID), "--rpc-url", world.url]
    return ["name-admin-payer", "--admin-payer", payer, *at]


async def ran(run: Run, *arguments: str) -> Ran:
    """In a thread, so that the chain's own connections go on."""
    return await asyncio.to_thread(run, *arguments)


async def answered(run: Run, code: int, *arguments: str) -> dict[str, Any]:
    outcome = await ran(run, *arguments, "--json")
    assert outcome.code == code, (outcome.out, outcome.err)
    document: dict[str, Any] = json.loads(outcome.out)
    return document


@pytest.fixture
def key(tmp_path: Path) -> list[str]:
    path = tmp_path / "owner.key"
    path.write_text(OWNER_KEY)
    return ["--key-file", str(path)]


@pytest.mark.exhaustive
async def test_the_first_naming_counts_at_once_and_naming_again_waits_and_is_applied(
    world: World, accounts: Contract, run: Run, key: list[str]
) -> None:
    at = naming(world, accounts)
    assert (await answered(run, 0, *at, *key))["function"] == "setAdminApiPayerAccount"
    assert (await accounts.call("adminApiPayerAccount")).lower() == PAYER.lower()
    assert (await answered(run, 0, *at, *key))["function"] is None
    assert (await answered(run, 0, *at, *key, "--again"))["transaction_hash"] is not None
    assert (await answered(run, 20, *at, *key))["waits"] is True
    await world.later(DELAY_S)
    assert (await answered(run, 0, *at, *key))["function"] == "applyOwnerChange"
    assert (await answered(run, 0, *at))["text"].startswith("it is the admin payer already")
    assert await accounts.call("adminApiPayerReplacements") == 0


@pytest.mark.exhaustive
async def test_another_admin_payer_is_refused_and_one_that_is_scheduled_can_be_taken_back(
    world: World, accounts: Contract, run: Run, key: list[str]
) -> None:
    at = naming(world, accounts)
    await answered(run, 0, *at, *key)
    refused = await ran(run, *naming(world, accounts, OTHER), *key)
    assert refused.code == 10
    assert "counted for good" in refused.err
    await accounts.send(OWNER, "setAdminApiPayerAccount", OTHER)
    refused = await ran(run, *at, *key)
    assert refused.code == 10
    assert "treat it as an attack" in refused.err
    assert (await answered(run, 0, *at, *key, "--cancel"))["function"] == "cancelOwnerChange"
    assert (await answered(run, 0, *at, *key, "--cancel"))["function"] is None


async def test_a_safe_gets_a_batch_with_the_call_that_is_printed(
    world: World, accounts: Contract, run: Run, tmp_path: Path
) -> None:
    at = naming(world, accounts)
    printed = await answered(run, 0, *at, "--safe-json", "batch.json", "--safe", OWNER)
    (transaction,) = json.loads((tmp_path / "batch.json").read_text())["transactions"]
    assert transaction["contractMethod"]["name"] == "setAdminApiPayerAccount"
    assert [each["type"] for each in transaction["contractMethod"]["inputs"]] == ["address"]
    assert transaction["contractInputsValues"]["account"].lower() == PAYER.lower()
    assert (transaction["to"], transaction["value"]) == (printed["contract"], "0")
    request = {"from": OWNER, "to": printed["contract"], "data": printed["data"]}
    assert (await world.rpc.ask("eth_sendTransactionSync", request))["status"] == "0x1"
    assert (await accounts.call("adminApiPayerAccount")).lower() == PAYER.lower()
    refused = await ran(run, *at, "--again", "--safe-json", "other.json", "--safe", OTHER)
    assert refused.code == 10
    assert not (tmp_path / "other.json").exists()


@pytest.mark.exhaustive
async def test_a_strangers_key_and_a_contract_of_another_kind_are_refused(
    world: World, accounts: Contract, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "stranger.key").write_text(STRANGER_KEY)
    refused = await ran(run, *naming(world, accounts), "--key-file", "stranger.key")
    assert (refused.code, "Nothing was sent" in refused.err) == (10, True)
    at = ["--chain-id", str(CHAIN_ID), "--rpc-url", world.url]
    for contract in (world.app.address, OTHER):
        assert (await ran(run, "name-admin-payer", "--admin-payer", PAYER, "--contract", contract, *at)).code == 10
    assert (await ran(run, *naming(world, accounts)[:-4], "--chain-id", "1", "--rpc-url", world.url)).code == 10


@pytest.mark.exhaustive
async def test_without_an_endpoint_the_call_is_printed(run: Run) -> None:
    contract = address_of("contract")
    at = ["name-admin-payer", "--contract", contract, "--admin-payer", PAYER, "--chain-id", "8453"]
    printed = await answered(run, 0, *at)
    assert printed["data"].endswith(PAYER[2:].lower())
    assert printed["owner"] is None
    for wrong in (["--again", "--cancel"], ["--key-file", "none"], ["--safe", OTHER]):
        assert (await ran(run, *at, *wrong)).code == 2


@pytest.mark.exhaustive
async def test_the_key_services_public_keys_are_those_of_its_contract(world: World, run: Run) -> None:
    root, authority = b"\x02" + bytes(range(32)), b"\x30" + bytes(90)
    service = await governance.deploy(world.rpc, "DstackKms", OWNER, OWNER, root, authority, bytes(32))
    at = ["--chain-id", str(CHAIN_ID), "--rpc-url", world.url]
    found = await answered(run, 0, "kms", "--contract", service.address, *at)
    assert found == {"kms_root_public_key": root.hex(), "key_provider_id": authority.hex()}
    assert (await ran(run, "kms", "--contract", OTHER, *at)).code == 10


def limited(limit: str) -> Deployment:
    return Deployment(image=node_alone().image, settings=read_settings(SETTINGS), memory_limit=limit, rotates_logs=True)


async def test_a_limit_and_rotation_are_rendered_and_accepted() -> None:
    file = read_measured(app_compose_bytes(limited("6g"), AppOptions("svc-node", "ab" * 91, True)))
    node = yaml.safe_load(file.app.docker_compose_file or "")["services"]["node"]
    assert node["mem_limit"] == "6g"
    assert node["logging"] == {"driver": "json-file", "options": {"max-size": "50m", "max-file": "5"}}
    assert not is_refused(check(file, Accepted(frozenset(), frozenset())))
    without = yaml.safe_load(measured(node_alone()).app.docker_compose_file or "")["services"]["node"]
    assert not {"mem_limit", "logging"} & set(without)


@pytest.mark.parametrize("limit", ["6", "0g", "512m", "6g\nprivileged: true", "$X", "6 g"])
async def test_a_limit_of_another_form_is_refused(limit: str) -> None:
    with pytest.raises(ComposeError, match="memory limit"):
        limited(limit)


async def test_the_options_of_render_are_those(run: Run, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text(SETTINGS)
    at = ["render", "--image", IMAGE, "--settings", "settings.toml", "--memory-limit", "6g", "--rotate-logs"]
    assert (await ran(run, *at)).code == 0
    text = json.loads((tmp_path / "app-compose.json").read_text())["docker_compose_file"]
    assert ("mem_limit: 6g" in text, "max-size" in text) == (True, True)

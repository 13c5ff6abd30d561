"""`svc-node serve` as an operator runs it, beside a development node that lends it chain, contract and guest agent."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from devkit.local_chain import FUNDED_KEYS
from tests.e2e.account import SIGNING_CODE, new_account
from tests.e2e.conftest import client_of
from tests.support.client import Client
from tests.support.node import REPOSITORY, NodeProcess, running_node
from tests.support.serving import READY_TIMEOUT_S, lent_platform, serving, start, toml, unchecked


@dataclass(frozen=True)
class Platform:
    """What `serve` is pointed at."""

    node: NodeProcess
    settings: Mapping[str, object]


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    data = tmp_path_factory.mktemp("p")
    with running_node(data) as node:
        yield Platform(node, lent_platform(node, data))


def refusal(directory: Path, settings: Mapping[str, object], environment: Mapping[str, str] | None = None) -> str:
    """What a start that must fail says."""
    process = start(directory, settings, environment or {})
    printed, _ = process.communicate(timeout=READY_TIMEOUT_S)
    assert process.returncode == 2, printed
    assert "Traceback" not in printed
    return printed


@pytest.mark.exhaustive
def test_a_second_node_serves_the_same_accounts_with_payers_of_its_own(platform: Platform, tmp_path: Path) -> None:
    account = new_account(client_of(platform.node))
    wallet = account.wallet()
    with serving(tmp_path, platform.settings) as url:
        here = unchecked(url, account.key)
        body = {"code": SIGNING_CODE, "js_params": {"wallet": wallet, "text": "hello"}}
        there = account.client.post("svc_action", body).ok()["response"]
        assert here.post("svc_action", body).ok()["response"] == there, "the same key, derived by both"
        here.post("create_wallet").ok()
        assert len(account.client.get("list_wallets").ok()) == 3
        health = here.get("health").ok()
        assert health["billing"] == "off"
        assert here.post("svc_action", body).ok()["charged_cents"] == 0
        assert len(here.get("get_api_payers").ok()) == 8


@pytest.mark.exhaustive
def test_a_node_on_a_simulator_says_so_though_it_was_told_to_believe_it(platform: Platform, tmp_path: Path) -> None:
    with serving(tmp_path, platform.settings) as url:
        node = unchecked(url, None)
        health = node.get("health").ok()
        assert health["attestation"]["tee"] == "simulator"
        simulator, delay = health["insecure"]
        assert "TEE simulator" in simulator
        assert "min_owner_change_delay_s = 60" in delay
        page = node.get("openapi.json").ok()["info"]["description"]
        assert "INSECURE" in page
        assert simulator in page


def test_a_development_node_says_what_it_is(platform: Platform) -> None:
    client = client_of(platform.node)
    page = Client(client.api, lambda _method, _path, _answer: None)
    assert "INSECURE" in page.get("openapi.json").ok()["info"]["description"]
    health = client.get("health").ok()
    assert any("TEE simulator" in line for line in health["insecure"])
    assert any("min_owner_change_delay_s = 60" in line for line in health["insecure"])
    contract = health["account_contract"]
    assert (contract["admin_payer"], contract["owner_change_delay_seconds"]) == ("own", 60)
    assert contract["scheduled_owner_change"] is None
    assert any("INSECURE" in line for line in platform.node.log)


@pytest.mark.exhaustive
def test_a_node_that_believes_a_chain_of_any_age_says_so(platform: Platform, tmp_path: Path) -> None:
    with serving(tmp_path, {**platform.settings, "chain_max_head_age_s": 0}) as url:
        node = unchecked(url, None)
        _, reason, _ = node.get("health").ok()["insecure"]
        assert "chain_max_head_age_s" in reason
        assert reason in node.get("openapi.json").ok()["info"]["description"]


OTHER_KMS_KEY = "02" + "ab" * 32
REFUSALS = (
    ("chain_id", {"chain_id": 1}),
    ("contract_address", {"contract_address": "0x" + "11" * 20}),
    ("contract_address", {"contract_address": ""}),
    ("contract_address", {"contract_address": "not an address"}),
    ("min_owner_change_delay_s", {"min_owner_change_delay_s": 86_400}),
    ("rpc_endpoints", {"rpc_endpoints": ["http://127.0.0.1:9"]}),
    ("rpc_endpoints", {"rpc_endpoints": ["nonsense"]}),
    ("kms_root_public_key", {"kms_root_public_key": OTHER_KMS_KEY}),
    ("kms_root_public_key", {"kms_root_public_key": ""}),
    ("guest agent", {"guest_agent": "/nonexistent.sock"}),
    ("http_port", {"http_host": "127.0.0.1", "http_port": 1 << 17}),
    ("http_host", {"http_host": "192.0.2.1"}),
)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("named", "wrong"), REFUSALS, ids=[f"{n}-{i}" for i, (n, _) in enumerate(REFUSALS)])
def test_what_is_missing_wrong_or_insecure_is_refused_by_name(
    platform: Platform, tmp_path: Path, named: str, wrong: Mapping[str, object]
) -> None:
    assert named in refusal(tmp_path, dict(platform.settings) | dict(wrong))


@pytest.mark.exhaustive
def test_a_forged_environment_is_refused(platform: Platform, tmp_path: Path) -> None:
    assert "SVC_CHAIN_ID" in refusal(tmp_path, platform.settings, {"SVC_CHAIN_ID": "1"})


@pytest.mark.exhaustive
def test_credentials_in_an_endpoint_are_not_printed(platform: Platform, tmp_path: Path) -> None:
    endpoint = "http://user:hush-hush@127.0.0.1:9/path-hush-hush?key=hush-hush"
    printed = refusal(tmp_path, dict(platform.settings) | {"rpc_endpoints": [endpoint]})
    assert "hush-hush" not in printed
    assert "rpc_endpoints" in printed


def command(*arguments: str, given: str = "") -> str:
    """Output of one `svc-node` command that must succeed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    finished = subprocess.run(
        [sys.executable, "-m", "node", *arguments],
        cwd=REPOSITORY,
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        timeout=READY_TIMEOUT_S,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


async def send_gas(chain: str, address: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "anvil_setBalance", "params": [address, hex(10 * 10**18)]}
    async with aiohttp.ClientSession() as session, session.post(chain, json=body) as response:
        assert "error" not in await response.json()


@pytest.mark.exhaustive
def test_an_operator_gets_from_nothing_to_ready_as_the_docs_say(platform: Platform, tmp_path: Path) -> None:
    chain = platform.node.log_value("chain")
    settings = dict(platform.settings)
    del settings["contract_address"]
    config = tmp_path / "node.toml"
    config.write_text(toml(settings))
    shown = command("payers", "--config", str(config))
    assert shown.startswith("admin payer 0x")
    admin_payer = shown.split()[2]
    owner = "0x" + "0A" * 20
    arguments = ("--rpc-url", chain, "--owner", owner, "--admin-payer", admin_payer, "--key-file", "-")
    contract = command("contract", "deploy", *arguments, given=FUNDED_KEYS[1] + "\n").strip()
    asyncio.run(send_gas(chain, admin_payer))
    with serving(tmp_path, settings | {"contract_address": contract}) as url:
        here = unchecked(url)
        account = new_account(here)
        assert [wallet["id"] for wallet in account.client.get("list_wallets").ok()] == ["0"]
        assert here.get("get_node_chain_config").ok()["contract_address"] == contract
        assert here.get("get_admin_api_payer").ok() == admin_payer
        assert len(here.get("get_api_payers").ok()) == 4

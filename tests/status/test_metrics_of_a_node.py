"""What a running node shows at /metrics of gas, certificate and platform: the same as chain and /health say."""

import asyncio
import json
import math
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.e2e.account import new_account
from tests.support.client import Client
from tests.support.contract import Rpc
from tests.support.governance import Deployed
from tests.support.node import NodeProcess, running_node
from tests.support.ports import free_port
from tests.support.scraping import Scrape
from tests.support.serving import lent_platform, serving, unchecked

ETHER = 10**18
WITHIN_S = 60.0
ANSWERS_WITHIN_S = 5.0
RPC_SECRET = "Bearer 5e12e7f0"
QUICK = {
    "SVC_PAYER_COUNT": "2",
    "SVC_PAYER_REBALANCE_INTERVAL_S": "0.2",
    "SVC_RPC_AUTHORIZATION": RPC_SECRET,
}
CONSTANTS = {
    "node.status.health.WATCH_INTERVAL_S": 0.2,
    "node.status.health.PROBE_MAX_AGE_S": 0.0,
    "attest.guest_agent.CALL_TIMEOUT_S": 1.0,
    "node.chain.foreign_contracts.COMPOSE_APPROVAL_INTERVAL_S": 0.2,
}
QUICK_SERVING: dict[str, object] = {
    "payer_count": 1,
    "payer_rebalance_interval_s": 0.2,
    "rpc_call_timeout_s": 2.0,
}


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    with running_node(tmp_path_factory.mktemp("node"), QUICK, constants=CONSTANTS) as running:
        yield running


@pytest.fixture
def client(node: NodeProcess) -> Client:
    return unchecked(node.url)


def metrics(node: NodeProcess) -> str:
    return node.log_value("metrics")


def scrape(node: NodeProcess) -> Scrape:
    return Scrape(metrics(node))


def until(url: str, holds: Callable[[Scrape], bool]) -> Scrape:
    """The first look at these metrics at which it holds."""
    deadline = time.monotonic() + WITHIN_S
    while not holds(seen := Scrape(url)):
        assert time.monotonic() < deadline, seen.text
    return seen


def ask_chain(node: NodeProcess, method: str, *parameters: object) -> Any:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}).encode()
    request = urllib.request.Request(node.log_value("chain"), body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.loads(response.read())["result"]


def balance(node: NodeProcess, address: str) -> float:
    return int(ask_chain(node, "eth_getBalance", address, "latest"), 16) / ETHER


@pytest.mark.exhaustive
def test_payers_are_those_of_the_contract_with_what_the_chain_says_they_hold(node: NodeProcess, client: Client) -> None:
    admin = client.get("get_admin_api_payer").ok()
    held = {payer: balance(node, payer) for payer in [admin, *client.get("get_api_payers").ok()]}
    seen = until(metrics(node), lambda each: each.by("payer", "svc_admin_payer_balance_ether") == {admin: held[admin]})
    del held[admin]
    assert seen.by("payer", "svc_payer_balance_ether") == held
    assert set(seen.by("payer", "svc_payer_registered").values()) == {1.0}
    assert set(seen.by("payer", "svc_payer_ready").values()) == {1.0}
    assert 0 <= seen.value("svc_payer_read_age_seconds") < WITHIN_S


@pytest.mark.exhaustive
def test_the_gauges_of_gas_say_what_health_says_when_it_runs_out_and_when_it_is_back(
    node: NodeProcess, client: Client
) -> None:
    admin, (first, second) = client.get("get_admin_api_payer").ok(), client.get("get_api_payers").ok()
    ask_chain(node, "anvil_setBalance", admin, hex(ETHER // 4))
    ask_chain(node, "anvil_setBalance", first, "0x1")
    seen = until(metrics(node), lambda each: each.value("svc_payer_funding_problem") == 1.0)
    assert seen.value("svc_payer_balance_ether", payer=first) < seen.value("svc_payer_low_balance_ether")
    assert seen.value("svc_admin_payer_balance_ether", payer=admin) < seen.value("svc_admin_payer_low_balance_ether")
    health = client.get("health").ok()
    assert health["chain"] == "degraded"
    assert admin in health["notes"]["chain"]
    until(metrics(node), lambda each: each.value("svc_component_status", component="chain", status="degraded") == 1.0)
    ask_chain(node, "anvil_setBalance", admin, hex(10 * ETHER))
    seen = until(metrics(node), lambda each: each.value("svc_payer_funding_problem") == 0.0)
    assert seen.by("payer", "svc_payer_balance_ether") == {first: 0.5, second: 0.5}
    until(metrics(node), lambda each: each.value("svc_component_status", component="chain", status="ok") == 1.0)


def test_certificate_and_guest_agent_are_those_of_health(node: NodeProcess, client: Client) -> None:
    seen, health = scrape(node), client.get("health").ok()
    not_after_s = seen.value("svc_certificate_not_after_timestamp_seconds")
    assert not_after_s == health["attestation"]["certificate_not_after"]
    assert seen.value("svc_certificate_not_before_timestamp_seconds") <= time.time() < not_after_s
    assert seen.value("svc_certificate_renewal_failing") == 0.0
    assert math.isnan(seen.value("svc_certificate_last_failure_timestamp_seconds"))
    assert seen.value("svc_guest_agent_reachable") == 1.0
    assert 0 <= seen.value("svc_guest_agent_answer_age_seconds") < WITHIN_S
    for component in ("action_runner", "chain", "billing", "tee"):
        assert seen.value("svc_component_status", component=component, status=health[component]) == 1.0


def test_a_compose_hash_that_the_owner_removes_degrades_health_until_it_is_allowed_again(
    node: NodeProcess, client: Client
) -> None:
    until(metrics(node), lambda each: each.value("svc_compose_hash_allowed") == 1.0)
    assert client.get("health").ok()["attestation"]["compose_hash_allowed"] is True
    own = bytes.fromhex(client.get("version").ok()["compose_hash"])

    async def as_owner(*calls: str) -> None:
        async with aiohttp.ClientSession() as session:
            app = Deployed(Rpc(session, node.log_value("chain")), "DstackApp", node.log_value("tee-app-id"))
            await app.rpc.ask("anvil_autoImpersonateAccount", True)
            for call in calls:
                await app.send(await app.call("owner"), call, own)
                await app.rpc.ask("evm_increaseTime", await app.call("approvalDelay"))
                await app.rpc.ask("evm_mine")

    asyncio.run(as_owner("removeComposeHash"))
    until(metrics(node), lambda each: each.value("svc_compose_hash_allowed") == 0.0)
    health = client.get("health").ok()
    assert (health["status"], health["tee"]) == ("degraded", "degraded")
    assert health["attestation"]["compose_hash_allowed"] is False
    assert f"no longer allows this node's compose hash 0x{own.hex()}" in health["notes"]["tee"]
    assert new_account(client).key, "what runs has its keys: it serves on"
    asyncio.run(as_owner("scheduleComposeHash", "addComposeHash"))
    until(metrics(node), lambda each: each.value("svc_compose_hash_allowed") == 1.0)
    until(metrics(node), lambda each: each.value("svc_component_status", component="tee", status="ok") == 1.0)


def test_the_name_of_the_instance_is_there_to_be_kept_and_no_secret_and_no_url(
    node: NodeProcess, client: Client
) -> None:
    account = new_account(client)
    seen = scrape(node)
    (instance,) = seen.by("id", "svc_instance_info")
    assert any(instance in line for line in node.log if " payers " in line), "the log names it too"
    assert not any(secret in seen.text for secret in ("://", RPC_SECRET, account.key))


@pytest.mark.exhaustive
def test_metrics_answer_while_nobody_else_does_and_say_so(tmp_path: Path) -> None:
    """A scrape that asked chain, guest agent or ledger would hang with them, and the alarms with it."""
    lender, own = tmp_path / "l", tmp_path / "o"
    own.mkdir()
    with running_node(lender) as node:
        port = free_port()
        settings = lent_platform(node, lender) | QUICK_SERVING | {"metrics_port": port}
        with serving(own, settings):
            url = f"http://127.0.0.1:{port}/metrics"
            before = until(url, lambda each: each.value("svc_guest_agent_reachable") == 1.0)
            with node.standing_still_with_chain():
                until(url, lambda each: each.value("svc_guest_agent_reachable") == 0.0)
                until(url, lambda each: each.value("svc_payer_funding_problem") == 1.0)
                until(url, lambda each: each.value("svc_guest_agent_answer_age_seconds") > 3.0)
                silent = until(
                    url, lambda each: each.value("svc_component_status", component="tee", status="down") == 1.0
                )
                payers = silent.by("payer", "svc_payer_balance_ether")
                assert payers == before.by("payer", "svc_payer_balance_ether"), "as they were read last"
                began = time.monotonic()
                Scrape(url)
                assert time.monotonic() - began < ANSWERS_WITHIN_S
            until(url, lambda each: each.value("svc_guest_agent_reachable") == 1.0)
            until(url, lambda each: each.value("svc_payer_funding_problem") == 0.0)

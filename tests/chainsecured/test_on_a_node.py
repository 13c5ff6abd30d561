"""ChainSecured over a node as it is run, `svc-devkit run`, with its default limits: nothing stands between but HTTP."""

import time
from collections.abc import Iterator

import pytest

from node.values import hash_of_text, u256_hex
from tests.e2e.account import SIGNING_CODE, TRIVIAL_CODE, new_account
from tests.e2e.conftest import client_of
from tests.support.chainsecured import ChainSecured, ChainWriter
from tests.support.client import Client
from tests.support.envelopes import Eoa
from tests.support.node import NodeProcess, running_node

DEFAULT_MINTS_PER_MINUTE = 30
CONVERT = "convert_to_chain_secured_account"


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    with running_node(tmp_path_factory.mktemp("node"), {"SVC_HTTP_MINTS_PER_MINUTE_PER_ADDRESS": "1000"}) as running:
        yield running


@pytest.fixture(scope="module")
def client(node: NodeProcess) -> Client:
    return client_of(node)


@pytest.fixture(scope="module")
def chain(node: NodeProcess, client: Client) -> ChainWriter:
    return ChainWriter(node.log_value("chain"), client.get("get_node_chain_config").ok()["contract_address"])


def now() -> int:
    return int(time.time())


@pytest.mark.exhaustive
def test_a_minted_and_attached_key_signs_with_a_minted_and_registered_wallet(
    node: NodeProcess, client: Client, chain: ChainWriter
) -> None:
    admin = Eoa.of("an admin of a running node")
    wallet = client.post("create_wallet_with_signature", admin.request("CreateWallet", now())).ok()
    account = ChainSecured.opened(chain, client, admin.address)
    account.write("registerWalletDerivation", wallet["wallet_address"], int(wallet["derivation_path"], 16), "first", "")
    key = client.post("add_usage_api_key_with_signature", admin.request("AddUsageApiKey", now())).ok()
    account.write("registerWalletDerivation", key["wallet_address"], int(key["derivation_path"], 16), "of the key", "")
    cid = client.post("get_svc_action_ipfs_id", SIGNING_CODE).ok()
    group = account.group([hash_of_text(cid)], [wallet["wallet_address"], key["wallet_address"]])
    usage = account.usage_key(key["usage_api_key"], execute=(group,))
    for address in (wallet["wallet_address"], key["wallet_address"]):
        run = usage.post("svc_action", {"code": SIGNING_CODE, "js_params": {"wallet": address, "text": "hello"}}).ok()
        assert run["has_error"] is False, run
        assert len(run["response"]) == 132
    header = {"X-Wallet-Auth": admin.header(now())}
    balance = client.send("GET", "billing/balance", None, header).ok()
    assert balance == usage.get("billing/balance").ok()
    log = node.log_up_to("/billing/balance")
    assert key["usage_api_key"] not in log
    assert header["X-Wallet-Auth"] not in log


@pytest.mark.exhaustive
def test_the_very_next_call_after_a_conversion_knows_of_it(client: Client) -> None:
    account, admin = new_account(client), Eoa.of("takes an account of a running node")
    wallet = account.wallet()
    _, hashed = account.action(SIGNING_CODE)
    group = account.group(cid_hashes_permitted=[hashed], pkp_ids_permitted=[wallet])
    usage = account.usage_key(execute_in_groups=[group])
    body = {"code": SIGNING_CODE, "js_params": {"wallet": wallet, "text": "hello"}}
    before = usage.post("svc_action", body).ok()["response"]
    assert account.client.post("svc_action", {"code": TRIVIAL_CODE}).ok()["response"] == "done"
    credit = account.client.get("billing/balance").ok()

    request = admin.request("ConvertAccount", now(), new_admin_wallet_address=admin.address)
    answer = account.client.post(CONVERT, request).ok()
    assert answer["api_key_hash"] == u256_hex(hash_of_text(account.key))

    refused = account.client.post("svc_action", {"code": TRIVIAL_CODE}).refused(403, "forbidden")
    assert refused["missing"] == "admin_wallet"
    assert account.client.get("billing/balance").ok() == credit
    assert usage.post("svc_action", body).ok()["response"] == before, "the same key signs before and after"
    account.client.post(CONVERT, request).refused(409, "conflict")
    usage.post(CONVERT, request).refused(409, "conflict")


@pytest.mark.exhaustive
def test_mints_and_new_accounts_share_one_budget_of_the_address(tmp_path_factory: pytest.TempPathFactory) -> None:
    with running_node(tmp_path_factory.mktemp("limited")) as running:
        client, admin = client_of(running), Eoa.of("mints a lot")
        statuses = []
        for number in range(DEFAULT_MINTS_PER_MINUTE + 5):
            path, kind = [("create_wallet", "CreateWallet"), ("add_usage_api_key", "AddUsageApiKey")][number % 2]
            statuses.append(client.post(f"{path}_with_signature", admin.request(kind, now())).status)
        # Refilled at one in two seconds meanwhile, so that a slow machine mints one or the other more.
        assert statuses[:DEFAULT_MINTS_PER_MINUTE] == [200] * DEFAULT_MINTS_PER_MINUTE
        assert 429 in statuses
        while client.post("create_wallet_with_signature", admin.request("CreateWallet", now())).status == 200:
            continue
        client.post("new_account", {"account_name": "x"}).refused(429, "too_many_requests")

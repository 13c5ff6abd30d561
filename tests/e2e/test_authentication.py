"""Authentication: every endpoint of the specification, without a key, with a garbage one, with a hash (spec 9)."""

import base64

import pytest

from tests.e2e.account import Account
from tests.support.client import Client

OPEN = (
    ("POST", "new_account"),
    ("GET", "get_node_chain_config"),
    ("GET", "get_account_contract_abi"),
    ("GET", "get_deposit_contract_abi"),
    ("GET", "get_api_payers"),
    ("GET", "get_admin_api_payer"),
    ("POST", "get_svc_action_ipfs_id"),
    ("GET", "billing/processor_config"),
    ("GET", "health"),
    ("GET", "version"),
    ("GET", "get_svc_action_client_config"),
)
CLOSED = (
    ("GET", "account_exists"),
    ("POST", "add_usage_api_key"),
    ("GET", "list_api_keys"),
    ("POST", "update_usage_api_key"),
    ("POST", "update_usage_api_key_metadata"),
    ("POST", "remove_usage_api_key"),
    ("POST", "create_wallet"),
    ("GET", "create_wallet"),
    ("GET", "list_wallets"),
    ("GET", "list_wallets_in_group"),
    ("POST", "add_group"),
    ("GET", "list_groups"),
    ("POST", "update_group"),
    ("POST", "remove_group"),
    ("POST", "add_pkp_to_group"),
    ("POST", "remove_pkp_from_group"),
    ("POST", "add_action"),
    ("POST", "add_action_to_group"),
    ("GET", "list_actions"),
    ("POST", "update_action_metadata"),
    ("POST", "delete_action"),
    ("POST", "remove_action_from_group"),
    ("POST", "svc_action"),
    ("GET", "billing/balance"),
    ("POST", "billing/create_payment_intent"),
    ("POST", "billing/confirm_payment"),
)
BODIES = {"new_account": {"account_name": "open"}, "get_svc_action_ipfs_id": "function main() {}"}
UNKNOWN_KEY = base64.b64encode(bytes(32)).decode()
GARBAGE = (
    "nonsense",
    "",
    "0x" + "ab" * 32,
    "A" * 43,
    "A" * 44,
    UNKNOWN_KEY + " x",
    UNKNOWN_KEY.replace("=", "=="),
    "%00",
    "x" * 5000,
)


def call(client: Client, method: str, path: str) -> int:
    if method == "GET":
        return client.get(path).status
    return client.post(path, BODIES.get(path)).status


@pytest.mark.parametrize(("method", "path"), OPEN)
def test_an_open_endpoint_ignores_keys(anonymous: Client, method: str, path: str) -> None:
    assert call(anonymous, method, path) == 200
    assert call(anonymous.with_key("nonsense"), method, path) == 200


@pytest.mark.parametrize(("method", "path"), CLOSED)
def test_a_closed_endpoint_wants_a_key_before_it_looks_at_anything_else(
    anonymous: Client, method: str, path: str
) -> None:
    assert call(anonymous, method, path) == 401
    assert anonymous.send(method, path, b"not json" if method == "POST" else None).status == 401


@pytest.mark.parametrize("garbage", GARBAGE)
def test_what_is_not_a_key_is_refused_everywhere(anonymous: Client, garbage: str) -> None:
    client = anonymous.with_key(garbage)
    for method, path in CLOSED:
        assert call(client, method, path) == 401, path


def test_an_unknown_key_is_refused_but_account_exists_says_false(anonymous: Client) -> None:
    client = anonymous.with_key(UNKNOWN_KEY)
    for method, path in CLOSED:
        if path != "account_exists":
            assert call(client, method, path) == 401, path
    assert client.get("account_exists").ok() is False


def test_the_hash_of_a_key_is_no_key(account: Account) -> None:
    key = account.usage_key()
    listed = account.client.get("list_api_keys").ok()
    for value in (listed[0]["api_key_hash"], listed[0]["api_key_hash"].removeprefix("0x")):
        key.with_key(value).get("list_wallets").refused(401, "unauthorized")


def test_bearer_and_header_are_equivalent_and_bearer_is_read_first(account: Account) -> None:
    anonymous = account.client.with_key(None)
    bearer = {"Authorization": f"Bearer {account.key}"}
    assert anonymous.send("GET", "account_exists", None, bearer).ok() is True
    both = bearer | {"X-Api-Key": "nonsense"}
    assert anonymous.send("GET", "account_exists", None, both).ok() is True
    swapped = {"Authorization": "Bearer nonsense", "X-Api-Key": account.key}
    anonymous.send("GET", "account_exists", None, swapped).refused(401, "unauthorized")


def test_every_usage_key_reads_but_account_data_stays_with_its_account(account: Account) -> None:
    key = account.usage_key()
    assert key.get("account_exists").ok() is True
    assert [w["id"] for w in key.get("list_wallets").ok()] == ["0"]
    assert key.get("list_groups").ok() == []
    assert key.get("list_actions").ok() == []
    assert key.get("billing/balance").ok() == account.client.get("billing/balance").ok()

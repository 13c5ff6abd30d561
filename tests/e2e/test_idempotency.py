"""Repeating a request with its Idempotency-Key does it once (spec 2.7)."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.e2e.account import Account, new_account
from tests.e2e.conftest import client_of
from tests.support.client import Client
from tests.support.node import running_node

KEY = "a-key-of-twenty-two-or-more"


@pytest.mark.exhaustive
def test_a_repeated_write_happens_once_and_costs_once(account: Account) -> None:
    before = account.client.get("billing/balance").ok()["credit_cents"]
    first = account.client.post("create_wallet", Idempotency_Key=KEY)
    again = account.client.post("create_wallet", Idempotency_Key=KEY)
    assert again.ok() == first.ok()
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(account.client.get("list_wallets").ok()) == 2
    assert account.client.get("billing/balance").ok()["credit_cents"] == before - 1


@pytest.mark.exhaustive
def test_the_same_key_with_another_body_is_a_conflict(account: Account) -> None:
    account.client.post("add_group", {"group_name": "one"}, Idempotency_Key=KEY).ok()
    account.client.post("add_group", {"group_name": "two"}, Idempotency_Key=KEY).refused(409, "conflict")
    assert [group["name"] for group in account.client.get("list_groups").ok()] == ["one"]


def test_twins_at_once_are_one_request(account: Account) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: account.client.post("create_wallet", Idempotency_Key=KEY).ok(), range(8)))
    assert len({answer["wallet_address"] for answer in answers}) == 1
    assert len(account.client.get("list_wallets").ok()) == 2


def test_another_accounts_same_key_is_another_request(account: Account, anonymous: Client) -> None:
    stranger = new_account(anonymous)
    mine = account.client.post("create_wallet", Idempotency_Key=KEY).ok()
    assert stranger.client.post("create_wallet", Idempotency_Key=KEY).ok() != mine


@pytest.mark.exhaustive
def test_a_one_time_secret_is_replayed_also_after_a_restart(tmp_path: Path) -> None:
    with running_node(tmp_path) as node:
        account = new_account(client_of(node))
        first = account.client.post("add_usage_api_key", {"name": "kept"}, Idempotency_Key=KEY).ok()
        node.kill()
    with running_node(tmp_path) as node:
        client = client_of(node).with_key(account.key)
        again = client.post("add_usage_api_key", {"name": "kept"}, Idempotency_Key=KEY)
        assert again.ok() == first
        assert again.headers["Idempotency-Replayed"] == "true"
        assert len(client.get("list_api_keys").ok()) == 1
        client.with_key(first["usage_api_key"]).get("list_wallets").ok()


def test_a_refusal_is_kept_too_but_not_a_missing_credential(account: Account) -> None:
    missing = account.client.post("remove_group", {"group_id": "1"}, Idempotency_Key=KEY)
    missing.refused(404, "not_found")
    account.group()
    again = account.client.post("remove_group", {"group_id": "1"}, Idempotency_Key=KEY)
    again.refused(404, "not_found")
    assert again.headers["Idempotency-Replayed"] == "true"


def test_a_malformed_key_is_refused(account: Account) -> None:
    for key in ("short", "x" * 256, "with a tab\tin it and long enough"):
        account.client.post("create_wallet", Idempotency_Key=key).refused(400, "bad_request")

"""Charged and free calls, down to the last cent (spec 10.1)."""

from pathlib import Path

import pytest

from tests.e2e.account import TRIVIAL_CODE, new_account
from tests.e2e.conftest import client_of
from tests.support.client import Client
from tests.support.node import running_node

STARTER_CENTS = 5


def credit(client: Client) -> int:
    balance = client.get("billing/balance").ok()
    assert balance["balance_cents"] == -balance["credit_cents"]
    assert balance["reserved_cents"] == 0
    return int(balance["credit_cents"])


@pytest.mark.exhaustive
def test_five_cents_buy_five_things_and_nothing_more(tmp_path: Path) -> None:
    with running_node(tmp_path, {"SVC_DEV_STARTER_CENTS": str(STARTER_CENTS)}) as node:
        account = new_account(client_of(node))
        client = account.client
        assert credit(client) == STARTER_CENTS
        account.wallet()
        assert credit(client) == 4
        answer = client.post("svc_action", {"code": TRIVIAL_CODE, "js_params": None}).ok()
        assert (answer["charged_cents"], credit(client)) == (1, 3)
        client.post("remove_group", {"group_id": "7"}).refused(404, "not_found")
        client.post("add_group", {"group_name": 7}).refused(400, "bad_request")
        group = account.group()
        assert credit(client) == 2
        client.post("add_pkp_to_group", {"group_id": group, "pkp_id": "0"}).ok()
        assert credit(client) == 1
        client.post("add_pkp_to_group", {"group_id": group, "pkp_id": "0"}).ok()
        assert credit(client) == 1, "adding what is there already is free"
        client.get("create_wallet").ok()
        assert credit(client) == 0
        details = client.post("create_wallet").refused(402, "payment_required")
        assert (details["needed_cents"], details["credit_cents"]) == (1, 0)
        client.post("svc_action", {"code": TRIVIAL_CODE, "js_params": None}).refused(402, "payment_required")
        assert len(client.get("list_wallets").ok()) == 3
        assert credit(client) == 0


@pytest.mark.exhaustive
def test_a_usage_key_stops_at_its_own_cap(tmp_path: Path) -> None:
    with running_node(tmp_path) as node:
        account = new_account(client_of(node))
        key = account.usage_key(execute_in_groups=[0], can_create_pkps=True, balance=2)
        key.post("create_wallet").ok()
        key.post("svc_action", {"code": TRIVIAL_CODE, "js_params": None}).ok()
        assert key.post("create_wallet").refused(402, "payment_required")["scope"] == "usage_key"
        account.wallet()

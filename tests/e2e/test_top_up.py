"""Buying credit with the local card processor as a developer does, and finding every cent of it again."""

import base64
import json
import os
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.account import TRIVIAL_CODE, Account, new_account
from tests.e2e.conftest import client_of
from tests.support.apt import require_curl
from tests.support.node import REPOSITORY, NodeProcess, running_node


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    settings = {"SVC_DEV_STARTER_CENTS": "0", "SVC_PROCESSOR_SWEEP_S": "1"}
    with running_node(tmp_path_factory.mktemp("data"), settings) as running:
        yield running


@pytest.fixture
def account(node: NodeProcess) -> Account:
    return new_account(client_of(node))


def as_browser(node: NodeProcess, account: Account, intent: Any, method: str = "pm_card_visa") -> Any:
    """What Stripe.js does in the customer's browser: confirm with the publishable key and the intent's secret."""
    key = account.client.get("billing/processor_config").ok()["publishable_key"]
    form = {"client_secret": intent["client_secret"], "payment_method": method}
    url = f"{node.log_value('processor')}/v1/payment_intents/{intent['payment_intent_id']}/confirm"
    headers = {"Authorization": "Basic " + base64.b64encode(f"{key}:".encode()).decode()}
    request = urllib.request.Request(url, urllib.parse.urlencode(form).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.loads(response.read())
    except urllib.error.HTTPError as error:
        with error:
            return json.loads(error.read())


def begun(account: Account, cents: int = 500) -> Any:
    return account.client.post("billing/create_payment_intent", {"amount_cents": cents}).ok()


def credit(account: Account) -> int:
    return int(account.client.get("billing/balance").ok()["credit_cents"])


@pytest.mark.exhaustive
def test_five_dollars_are_bought_spent_and_told(node: NodeProcess, account: Account) -> None:
    client = account.client
    client.post("svc_action", {"code": TRIVIAL_CODE, "js_params": None}).refused(402, "payment_required")
    intent = begun(account)
    paid = {"payment_intent_id": intent["payment_intent_id"]}
    client.post("billing/confirm_payment", paid).refused(409, "conflict")
    assert as_browser(node, account, intent)["status"] == "succeeded"
    assert client.post("billing/confirm_payment", paid).ok() == {
        "success": True,
        "credited_cents": 500,
        "balance_cents": -500,
    }
    client.post("svc_action", {"code": TRIVIAL_CODE, "js_params": None}).ok()
    account.wallet()
    assert client.post("billing/confirm_payment", paid).ok()["credited_cents"] == 500, "the same answer again"
    assert credit(account) == 498
    run, write = client.get("billing/usage").ok()
    assert (run["service"], run["charged_cents"], run["api_key_hash"]) == ("execution", 1, None)
    assert (write["service"], write["charged_cents"], write["operation"]) == ("write", 1, "registerWalletDerivation")
    assert run["request_id"] != write["request_id"]


@pytest.mark.exhaustive
def test_a_browser_that_is_closed_after_paying_is_credited(node: NodeProcess, account: Account) -> None:
    as_browser(node, account, begun(account, 1234))
    while credit(account) == 0:
        pass
    assert credit(account) == 1234


def test_a_card_that_is_declined_credits_nothing(node: NodeProcess, account: Account) -> None:
    intent = begun(account)
    assert as_browser(node, account, intent, "pm_card_chargeDeclined")["error"]["code"] == "card_declined"
    account.client.post("billing/confirm_payment", {"payment_intent_id": intent["payment_intent_id"]}).refused(
        409, "conflict"
    )
    assert credit(account) == 0


def test_somebody_elses_payment_is_nobodys(node: NodeProcess, account: Account) -> None:
    other = new_account(client_of(node))
    intent = begun(account)
    as_browser(node, account, intent)
    unknown = other.client.post("billing/confirm_payment", {"payment_intent_id": "pi_unknown"})
    theirs = other.client.post("billing/confirm_payment", {"payment_intent_id": intent["payment_intent_id"]})
    theirs.refused(404, "not_found")
    assert theirs.body["message"] == unknown.body["message"]
    assert credit(other) == 0


@pytest.mark.parametrize("cents", [499, 0, -500, "500", 500.0, True, 100_000_000])
def test_less_than_the_minimum_cannot_be_begun(account: Account, cents: object) -> None:
    account.client.post("billing/create_payment_intent", {"amount_cents": cents}).refused(400, "bad_request")


def example(node: NodeProcess, **environment: str) -> "subprocess.CompletedProcess[str]":
    """`examples/top_up.sh`, as a user runs it."""
    require_curl()
    return subprocess.run(
        ["bash", "examples/top_up.sh", node.url, node.log_value("processor")],
        cwd=REPOSITORY,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_the_example_buys_credit_and_spends_it(node: NodeProcess) -> None:
    ran = example(node)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count('"credited_cents":500') == 2
    assert '"credit_cents":499' in ran.stdout
    assert ",execution,1," in ran.stdout
    assert ran.stdout.endswith("== done\n")


def test_the_example_ends_at_a_card_that_is_declined(node: NodeProcess) -> None:
    ran = example(node, CARD="pm_card_chargeDeclined")
    assert ran.returncode != 0
    assert "credited_cents" not in ran.stdout


@pytest.mark.exhaustive
def test_credit_outlives_the_node(tmp_path: Path) -> None:
    settings = {"SVC_DEV_STARTER_CENTS": "0"}
    with running_node(tmp_path, settings) as node:
        account = new_account(client_of(node))
        intent = begun(account)
        as_browser(node, account, intent)
        account.client.post("billing/confirm_payment", {"payment_intent_id": intent["payment_intent_id"]}).ok()
        node.kill_with_chain()
    with running_node(tmp_path, settings) as again:
        client = client_of(again).with_key(account.client.key)
        assert client.get("billing/balance").ok()["credit_cents"] == 500

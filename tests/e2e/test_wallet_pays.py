"""An account that nobody has a key of is paid for like any other: by card with its wallet, and by anybody in tokens."""

import base64
import json
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.account import new_account
from tests.e2e.conftest import client_of
from tests.support.chainsecured import ChainSecured, ChainWriter
from tests.support.client import Answer, Client
from tests.support.contract import wallet_hash
from tests.support.envelopes import Eoa
from tests.support.node import NodeProcess, running_node


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    settings = {"SVC_DEV_STARTER_CENTS": "0", "SVC_PROCESSOR_SWEEP_S": "1"}
    with running_node(tmp_path_factory.mktemp("data"), settings) as running:
        yield running


@pytest.fixture
def client(node: NodeProcess) -> Client:
    return client_of(node)


@pytest.fixture
def chain(node: NodeProcess, client: Client) -> ChainWriter:
    return ChainWriter(node.log_value("chain"), client.get("get_node_chain_config").ok()["contract_address"])


class Purse:
    """Calls billing with the wallet's signature alone."""

    def __init__(self, client: Client, wallet: Eoa) -> None:
        self.client = client.with_key(None)
        self.wallet = wallet

    @property
    def signed(self) -> dict[str, str]:
        return {"X-Wallet-Auth": self.wallet.header(int(time.time()))}

    def get(self, path: str) -> Answer:
        return self.client.send("GET", f"billing/{path}", None, self.signed)

    def post(self, path: str, body: object) -> Answer:
        content = {"Content-Type": "application/json"} | self.signed
        return self.client.send("POST", f"billing/{path}", json.dumps(body).encode(), content)


def pay(node: NodeProcess, intent: Any) -> None:
    """By a card that is good, in the customer's browser."""
    form = {"client_secret": intent["client_secret"], "payment_method": "pm_card_visa"}
    url = f"{node.log_value('processor')}/v1/payment_intents/{intent['payment_intent_id']}/confirm"
    headers = {"Authorization": "Basic " + base64.b64encode(b"pk_test_local:").decode()}
    with urllib.request.urlopen(urllib.request.Request(url, urllib.parse.urlencode(form).encode(), headers)) as answer:
        assert json.loads(answer.read())["status"] == "succeeded"


@pytest.mark.exhaustive
def test_a_wallet_buys_credit_and_reads_what_became_of_it(
    node: NodeProcess, client: Client, chain: ChainWriter
) -> None:
    admin = Eoa.of("pays for its own account")
    ChainSecured.opened(chain, client, admin.address)
    purse, stranger = Purse(client, admin), Purse(client, Eoa.of("pays for another account"))
    ChainSecured.opened(chain, client, stranger.wallet.address)

    intent = purse.post("create_payment_intent", {"amount_cents": 600}).ok()
    paid = {"payment_intent_id": intent["payment_intent_id"]}
    assert purse.post("confirm_payment", paid).refused(409, "conflict") == {"status": "open"}
    pay(node, intent)
    stranger.post("confirm_payment", paid).refused(404, "not_found")

    assert purse.post("confirm_payment", paid).ok()["credited_cents"] == 600
    assert purse.get("balance").ok()["credit_cents"] == 600
    assert purse.get("usage").ok() == purse.get("token_payments").ok() == []
    assert int(purse.get("token_config").ok()["how_to_pay"]["account_hash"], 16) == wallet_hash(admin.address)
    assert stranger.get("balance").ok()["credit_cents"] == 0


@pytest.mark.exhaustive
def test_a_payment_that_was_begun_before_a_conversion_is_credited_after_it(node: NodeProcess, client: Client) -> None:
    account, admin = new_account(client), Eoa.of("takes an account with a payment under way")
    intent = account.client.post("billing/create_payment_intent", {"amount_cents": 700}).ok()
    paid = {"payment_intent_id": intent["payment_intent_id"]}
    request = admin.request("ConvertAccount", int(time.time()), new_admin_wallet_address=admin.address)
    account.client.post("convert_to_chain_secured_account", request).ok()
    pay(node, intent)

    account.client.post("billing/confirm_payment", paid).refused(403, "forbidden")
    purse = Purse(client, admin)
    assert purse.post("confirm_payment", paid).ok()["credited_cents"] == 700
    assert purse.get("balance").ok() == account.client.get("billing/balance").ok()

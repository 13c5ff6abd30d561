"""Two real nodes that share credits in PostgreSQL: what is spent on one cannot be spent on the other."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.e2e.account import TRIVIAL_CODE, new_account
from tests.support.client import Answer, Client
from tests.support.node import running_node
from tests.support.postgres import running_postgres
from tests.support.two_nodes import TwoNodes, two_nodes

CENTS = 3
PARALLEL = 50
SETTINGS = {"action_concurrent_max_per_account": PARALLEL}


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoNodes]:
    with running_postgres() as server:
        ledger = {"SVC_LEDGER_URL": server.url(server.new_role()), "SVC_DEV_STARTER_CENTS": str(CENTS)}
        with two_nodes(tmp_path_factory.mktemp("nodes"), SETTINGS, ledger=ledger) as running:
            yield running


def execute(client: Client) -> Answer:
    return client.post("svc_action", {"code": TRIVIAL_CODE, "js_params": None})


def only_three_of_fifty(clients: list[Client]) -> None:
    with ThreadPoolExecutor(PARALLEL) as threads:
        answers = list(threads.map(execute, [clients[each % len(clients)] for each in range(PARALLEL)]))
    assert Counter(answer.status for answer in answers) == {200: CENTS, 402: PARALLEL - CENTS}
    assert {answer.body["details"]["scope"] for answer in answers if answer.status == 402} == {"account"}
    for client in clients:
        balance = client.get("billing/balance").ok()
        assert (balance["credit_cents"], balance["reserved_cents"]) == (0, 0)
        assert [charge["charged_cents"] for charge in client.get("billing/usage").ok()] == [1] * CENTS


@pytest.mark.exhaustive
def test_fifty_executions_over_two_nodes_spend_three_cents(nodes: TwoNodes) -> None:
    key = new_account(nodes.a).key
    assert nodes.a.with_key(key).get("billing/balance").ok()["credit_cents"] == CENTS
    only_three_of_fifty([nodes.a.with_key(key), nodes.b.with_key(key)])


@pytest.mark.exhaustive
def test_a_write_on_one_and_a_run_on_the_other_are_one_accounts(nodes: TwoNodes) -> None:
    account = new_account(nodes.a)
    account.wallet()
    assert execute(nodes.b.with_key(account.key)).ok()["charged_cents"] == 1
    for node in (nodes.a, nodes.b):
        client = node.with_key(account.key)
        assert client.get("billing/balance").ok()["credit_cents"] == 1
        assert [charge["service"] for charge in client.get("billing/usage").ok()] == ["write", "execution"]


@pytest.mark.exhaustive
def test_fifty_executions_on_sqlite_spend_three_cents(tmp_path: Path) -> None:
    settings = {"SVC_DEV_STARTER_CENTS": str(CENTS), "SVC_ACTION_CONCURRENT_MAX_PER_ACCOUNT": str(PARALLEL)}
    with running_node(tmp_path, settings) as node:
        account = new_account(Client(node.api, lambda _method, _path, _answer: None))
        only_three_of_fifty([account.client])

"""Reads of the chain that nobody pays for, on a node as it is run: who floods is refused, and runs that are paid for go on."""

from collections.abc import Iterator

import pytest

from tests.e2e.account import TRIVIAL_CODE, new_account
from tests.e2e.conftest import client_of
from tests.support.client import Client
from tests.support.node import running_node

OF_ACCOUNT = 40
FLOOD = 90
NEVER_BLOCK = 10**9


@pytest.fixture(scope="module")
def anonymous(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    settings = {
        "SVC_HTTP_CHAIN_READS_PER_MINUTE_PER_ACCOUNT": str(OF_ACCOUNT),
        "SVC_HTTP_CHAIN_READS_PER_MINUTE_PER_ADDRESS": "100000",
        "SVC_ACTION_MIN_BLOCK_TIMEOUT_S": "2",
    }
    with running_node(tmp_path_factory.mktemp("node"), settings) as node:
        yield client_of(node)


@pytest.mark.exhaustive
def test_denied_runs_are_bounded_and_permitted_ones_go_on(anonymous: Client) -> None:
    account, other = new_account(anonymous), new_account(anonymous)
    _, hashed = account.action(TRIVIAL_CODE)
    usage = account.usage_key(execute_in_groups=[account.group(cid_hashes_permitted=[hashed])])
    run = {"code": TRIVIAL_CODE}
    assert usage.post("svc_action", run).ok()["response"] == "done"

    denied = [usage.post("svc_action", {"code": f"function main() {{ return {number}; }}"}) for number in range(FLOOD)]
    statuses = [answer.status for answer in denied]
    assert set(statuses) == {403, 429}
    assert statuses.count(403) <= OF_ACCOUNT + FLOOD // 2  # a bucket, and what flows in meanwhile on a slow machine
    assert denied[-1].refused(429, "too_many_requests") == {"limit": "http_chain_reads_per_minute_per_account"}

    assert account.client.get("list_groups").refused(429, "too_many_requests") == denied[-1].refused(
        429, "too_many_requests"
    )
    assert usage.post("svc_action", run).ok()["response"] == "done"
    assert other.client.get("list_groups").status == 200


@pytest.mark.exhaustive
def test_runs_of_ever_new_code_that_are_paid_for_take_nothing(anonymous: Client) -> None:
    account = new_account(anonymous)
    for number in range(FLOOD):
        answer = account.client.post("svc_action", {"code": f"function main() {{ return {number}; }}"}).ok()
        assert answer["response"] == number
    assert account.client.get("list_groups").status == 200


@pytest.mark.exhaustive
def test_who_waits_for_a_block_that_does_not_come_takes_what_the_looks_cost(anonymous: Client) -> None:
    account = new_account(anonymous)
    waiting = {"code": TRIVIAL_CODE, "min_block": NEVER_BLOCK}
    for _ in range(20):  # each of them some eight looks
        answer = account.client.post("svc_action", waiting)
        if answer.status != 503:
            break
    assert answer.refused(429, "too_many_requests") == {"limit": "http_chain_reads_per_minute_per_account"}

"""Paying with tokens on a development node as its documentation says; after a restart nothing is lost or doubled."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.account import new_account
from tests.e2e.conftest import client_of
from tests.support.node import REPOSITORY, NodeProcess, development_environment, running_node
from tests.support.verifying import VerifiableNode

NO_STARTER = {"SVC_DEV_STARTER_CENTS": "0"}


def pays(node: NodeProcess, key: str, dollars: int) -> str:
    """The example, run as a user does; what it printed."""
    finished = subprocess.run(
        [
            *(sys.executable, "examples/token_payment.py", "--node", VerifiableNode(node).address.origin),
            *("--dev-root", node.log_value("tee-root")),
            *("--chain", node.log_value("chain"), "--tokens", str(dollars)),
        ],
        cwd=REPOSITORY,
        env=development_environment(Path(), {"SVC_API_KEY": key}),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


@pytest.mark.exhaustive
def test_the_example_pays_and_is_credited_once_over_restarts_and_a_power_cut(tmp_path: Path) -> None:
    with running_node(tmp_path, NO_STARTER) as node:
        assert node.log_value("token-deposit-contract").startswith("0x")
        client = client_of(node)
        account = new_account(client)
        key = account.client.key
        assert key is not None
        assert "credited: $5.00" in pays(node, key, 5)
        assert account.client.get("billing/balance").ok()["credit_cents"] == 500
        first = account.client.get("billing/token_payments").ok()
        node.kill_with_chain()
    with running_node(tmp_path, NO_STARTER) as node:
        mine = client_of(node).with_key(key)
        assert mine.get("billing/token_payments").ok() == first
        assert "credited: $7.00" in pays(node, key, 7)
        assert mine.get("billing/balance").ok()["credit_cents"] == 1200
        assert [each["status"] for each in mine.get("billing/token_payments").ok()] == ["credited"] * 2


@pytest.mark.exhaustive
def test_a_node_that_charges_nothing_takes_no_tokens(tmp_path: Path) -> None:
    with running_node(tmp_path, {"SVC_BILLING": "off"}) as node:
        account = new_account(client_of(node))
        for path in ("billing/token_config", "billing/token_payments"):
            account.client.get(path).refused(503, "billing_disabled")

"""`svc-node ledger` beside a node that serves: what it says is what the account can count for itself."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from node.ledger.sqlite_ledger import FILE_NAME
from node.values import hash_of_text, u256_hex
from tests.e2e.account import TRIVIAL_CODE, new_account
from tests.support.client import Client
from tests.support.node import REPOSITORY, running_node

STARTER_CENTS = 100
MICRODOLLARS_PER_CENT = 10_000


def ledger(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, on the file that the node has open."""
    command = [sys.executable, "-m", "node", "ledger", *arguments, "--file", str(data / FILE_NAME)]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.exhaustive
def test_a_live_ledger_holds_and_its_statement_is_what_the_account_sees(tmp_path: Path) -> None:
    with running_node(tmp_path, {"SVC_DEV_STARTER_CENTS": str(STARTER_CENTS)}) as node:
        account = new_account(Client(node.api, lambda _method, _path, _answer: None))
        account.wallet()
        for _ in range(3):
            account.client.post("svc_action", {"code": TRIVIAL_CODE, "js_params": None}).ok()
        usage = account.client.get("billing/usage").ok()
        checked = ledger(tmp_path, "check", "--json")
        assert checked.returncode == 0, checked.stderr
        assert json.loads(checked.stdout)["entries"] == 1 + len(usage)
        shown = ledger(tmp_path, "statement", u256_hex(hash_of_text(account.key)), "--csv")
        balance = account.client.get("billing/balance").ok()
    assert shown.returncode == 0, shown.stderr
    _, _, *entries, closing = csv.reader(io.StringIO(shown.stdout, newline=""))
    assert [(entry[6], entry[7], int(entry[3])) for entry in entries if entry[2] in {"execution", "write"}] == [
        (
            each["action_ipfs_cid"] or each["operation"],
            each["request_id"],
            -each["charged_cents"] * MICRODOLLARS_PER_CENT,
        )
        for each in usage
    ]
    assert int(closing[4]) == balance["credit_cents"] * MICRODOLLARS_PER_CENT
    assert sum(int(entry[3]) for entry in entries) == int(closing[4])

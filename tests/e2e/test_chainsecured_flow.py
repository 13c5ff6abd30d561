"""Flows of examples/ on the account contract, as users run them: by plain wallets, contract wallets, and web3.py."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.support.node import REPOSITORY, NodeProcess, running_node
from tests.support.verifying import UNHURRIED, VerifiableNode


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    with running_node(tmp_path_factory.mktemp("reference_flow"), UNHURRIED) as running:
        yield running


def claims_of(node: NodeProcess, *program: str) -> list[str]:
    """Run an example against the node and its chain; what it has found to hold."""
    node_at = ("--node", VerifiableNode(node).address.origin, "--dev-root", node.log_value("tee-root"))
    finished = subprocess.run(
        [sys.executable, *program, *node_at, "--chain", node.log_value("chain")],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    claims = finished.stdout.splitlines()
    assert all(claim.startswith("ok ") for claim in claims)
    return claims


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("wallet", "multisig"),
        ("multisig", "owned-contract"),
        ("owned-contract", "wallet"),
    ],
)
def test_the_reference_flow(node: NodeProcess, first: str, second: str) -> None:
    claims = claims_of(node, "examples/chain_secured", "--first", first, "--second", second)
    assert sum("recovers to 0x" in claim for claim in claims) == 4
    assert sum("NoAccountAccess" in claim for claim in claims) == 1


@pytest.mark.exhaustive
def test_web3_py_drives_the_account_contract_by_the_abi_that_the_node_publishes(node: NodeProcess) -> None:
    claims = claims_of(node, "examples/web3_account.py")
    assert len(claims) == 4
    assert "recovers to 0x" in claims[-1]

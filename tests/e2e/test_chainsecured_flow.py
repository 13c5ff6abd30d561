"""The reference flow of examples/, as a user runs it, by plain wallets and by contract wallets."""

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


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("wallet", "multisig"),
        pytest.param("multisig", "owned-contract", marks=pytest.mark.exhaustive),
        pytest.param("owned-contract", "wallet", marks=pytest.mark.exhaustive),
    ],
)
def test_the_reference_flow(node: NodeProcess, first: str, second: str) -> None:
    node_at = ("--node", VerifiableNode(node).address.origin, "--dev-root", node.log_value("tee-root"))
    places = (*node_at, "--chain", node.log_value("chain"))
    finished = subprocess.run(
        [sys.executable, "examples/chain_secured", *places, "--first", first, "--second", second],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    claims = finished.stdout.splitlines()
    assert all(claim.startswith("ok ") for claim in claims)
    assert sum("recovers to 0x" in claim for claim in claims) == 4
    assert sum("NoAccountAccess" in claim for claim in claims) == 1

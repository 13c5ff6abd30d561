"""Requests that schemathesis makes of the OpenAPI document: what fits is taken, what does not is refused, as documented."""

import json
import urllib.request
from pathlib import Path

import pytest

from tests.client.generated.test_generated_clients import BIN, HERE, ran
from tests.support.node import REPOSITORY, NodeProcess

SEED = 31
EXAMPLES = 15
"""Random requests an operation, beside the systematic ones; with both keys two minutes."""
GRANTS = {
    "name": "worker",
    "can_create_groups": True,
    "can_create_pkps": True,
    "manage_ipfs_ids_in_groups": [0],
    "execute_in_groups": [0],
}


def posted(node: NodeProcess, path: str, body: object, headers: dict[str, str]) -> dict[str, str]:
    """The answer of a POST."""
    request = urllib.request.Request(
        f"{node.api}{path}", json.dumps(body).encode(), {"Content-Type": "application/json", **headers}
    )
    with urllib.request.urlopen(request) as response:
        answer: dict[str, str] = json.loads(response.read())
    return answer


@pytest.fixture(scope="module")
def account_key(node: NodeProcess) -> str:
    return posted(node, "/new_account", {"account_name": "tried"}, {})["api_key"]


@pytest.fixture(scope="module")
def usage_key(node: NodeProcess, account_key: str) -> str:
    return posted(node, "/add_usage_api_key", GRANTS, {"X-Api-Key": account_key})["usage_api_key"]


@pytest.mark.exhaustive
@pytest.mark.timeout(900)
@pytest.mark.parametrize("key", ["account_key", "usage_key"])
def test_the_node_does_what_its_document_says(
    key: str, node: NodeProcess, document: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    # The API has a prefix that the paths at the host's root do not have: schemathesis knows one server.
    described = json.loads(document.read_text())
    described["paths"] = {
        path if "servers" in operations else f"/core/v1{path}": operations
        for path, operations in described["paths"].items()
    }
    del described["servers"]
    whole = tmp_path / "openapi.json"
    whole.write_text(json.dumps(described))
    options = {
        "--url": node.url,
        "--header": f"X-Api-Key: {request.getfixturevalue(key)}",
        "--seed": str(SEED),
        "--max-examples": str(EXAMPLES),
        "--phases": "examples,coverage,fuzzing",
        "--request-timeout": "60",
        "--generation-database": "none",
        "--suppress-health-check": "all",
    }
    flags = [part for option in options.items() for part in option]
    command: list[str | Path] = [
        BIN / "st",
        "--config-file",
        HERE / "schemathesis.toml",
        "run",
        whole,
        *flags,
        "--continue-on-failure",
    ]
    environment = {"SCHEMATHESIS_HOOKS": "tests.client.generated.schemathesis_hooks", "PYTHONPATH": str(REPOSITORY)}
    # Ends with another status where anything is found.
    assert f"Seed: {SEED}" in ran(command, tmp_path, environment, timeout_s=600)

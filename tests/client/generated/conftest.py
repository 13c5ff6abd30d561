"""A node and its OpenAPI document, for all clients."""

import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.node import NodeProcess, running_node


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    with running_node(tmp_path_factory.mktemp("data")) as running:
        yield running


@pytest.fixture(scope="session")
def document(node: NodeProcess, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("document") / "openapi.json"
    with urllib.request.urlopen(f"{node.api}/openapi.json") as response:
        path.write_bytes(response.read())
    return path

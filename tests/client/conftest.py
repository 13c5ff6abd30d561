"""A development node for all tests of the client, and a client's arguments for it."""

from collections.abc import Iterator

import pytest

from tests.support.client_arguments import ClientArguments, arguments_for
from tests.support.verifying import VerifiableNode, verifiable_node


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VerifiableNode]:
    with verifiable_node(tmp_path_factory.mktemp("node")) as running:
        yield running


@pytest.fixture
def arguments(node: VerifiableNode) -> ClientArguments:
    return arguments_for(node)

"""A development node that tests of the verifier share; each process of a run starts its own when one asks for it."""

from collections.abc import Iterator

import pytest

from tests.support.verifying import VerifiableNode, verifiable_node


@pytest.fixture(scope="session")
def development_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VerifiableNode]:
    with verifiable_node(tmp_path_factory.mktemp("node")) as node:
        yield node

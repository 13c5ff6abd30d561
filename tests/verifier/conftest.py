"""A development node that tests of the verifier share, started by each process of a run that asks for it; evidence in files."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.attested.imports import Files
from tests.support.verifying import VerifiableNode, verifiable_node


@pytest.fixture(scope="session")
def development_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VerifiableNode]:
    with verifiable_node(tmp_path_factory.mktemp("node")) as node:
        yield node


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)

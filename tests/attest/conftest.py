"""A short folder for unix sockets: their paths may not exceed 107 bytes, which pytest's own folders do."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def sockets() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="svc") as directory:
        yield Path(directory)

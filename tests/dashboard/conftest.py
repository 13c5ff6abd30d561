"""The dashboard's modules in one folder."""

from pathlib import Path

import pytest

from tests.support.dashboard import laid_out_page


@pytest.fixture(scope="session")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder from which scripts import."""
    return laid_out_page(tmp_path_factory.mktemp("page"))

"""Whose processes are not the engine's."""

import pytest

from tests.engine.processes import note_others


@pytest.fixture(scope="module", autouse=True)
def _only_the_engines_processes() -> None:
    note_others()

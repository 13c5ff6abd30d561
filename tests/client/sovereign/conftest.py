"""A fresh chain with the account contract for every test, behind two providers, and no node."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.sovereign import Stage, stage_of


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with stage_of(tmp_path) as made:
        yield made

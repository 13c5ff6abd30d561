"""One engine for a test that needs no limits of its own; and whose processes are not the engine's."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import LIMITS
from tests.engine.processes import note_others


@pytest.fixture(scope="module", autouse=True)
def _only_the_engines_processes() -> None:
    note_others()


@pytest_asyncio.fixture
async def engine() -> AsyncIterator[ProcessEngine]:
    async with ProcessEngine(LIMITS) as running:
        yield running

"""Shares an engine among the tests of a file, since an action leaves nothing to the next one."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import LIMITS
from tests.engine.processes import note_others


@pytest.fixture(scope="module", autouse=True)
def _only_the_engines_processes() -> None:
    note_others()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine() -> AsyncIterator[ProcessEngine]:
    async with ProcessEngine(LIMITS) as running:
        yield running

"""One engine for a test of the language."""

from collections.abc import AsyncIterator

import pytest_asyncio

from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import LIMITS


@pytest_asyncio.fixture
async def engine() -> AsyncIterator[ProcessEngine]:
    async with ProcessEngine(LIMITS) as running:
        yield running

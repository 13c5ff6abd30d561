"""Shares a patient engine among the tests of a file. Hundreds of cases in an action take seconds."""

from collections.abc import AsyncIterator

import pytest_asyncio

from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import LIMITS
from tests.support.settings import changed


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine() -> AsyncIterator[ProcessEngine]:
    async with ProcessEngine(changed(LIMITS, action_timeout_s=60.0)) as running:
        yield running

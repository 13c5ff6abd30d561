"""One engine for the tests of a file: hundreds of cases in one action take seconds on a busy machine."""

from collections.abc import AsyncIterator

import pytest_asyncio

from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import LIMITS
from tests.support.settings import changed


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine() -> AsyncIterator[ProcessEngine]:
    async with ProcessEngine(changed(LIMITS, action_timeout_s=60.0)) as running:
        yield running

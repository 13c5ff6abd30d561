"""Ledgers for the tests of billing."""

from collections.abc import AsyncIterator

import pytest

from tests.support.starter_ledgers import StarterLedgers, starter_ledgers


@pytest.fixture
async def ledgers() -> AsyncIterator[StarterLedgers]:
    async with starter_ledgers() as made:
        yield made

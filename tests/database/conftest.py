"""Every test here runs on both databases."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from node.database import lease
from node.database.port import Database
from tests.support.postgres import postgres
from tests.support.postgres_ledger import BOTH, world_of

__all__ = ["postgres"]


@pytest.fixture(params=BOTH)
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    """An empty database with the table of leases."""
    ledger = await world_of(request, tmp_path).open()
    await ledger.migrate(lease.COMPONENT, lease.STEPS)
    yield ledger.database
    await ledger.close()

"""Every test here runs on both databases unless it says otherwise."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from node.ledger.books import LedgerDatabase
from tests.world.ledgers import LedgerWorld, SqliteWorld


@pytest.fixture(params=["sqlite"])
def world(tmp_path: Path) -> LedgerWorld:
    """A fresh, empty database."""
    return SqliteWorld(tmp_path)


@pytest.fixture
async def ledger(world: LedgerWorld) -> AsyncIterator[LedgerDatabase]:
    """The ledger on it, closed at the end."""
    ledger = await world.open()
    yield ledger
    await ledger.close()


@pytest.fixture
async def sqlite_ledger(tmp_path: Path) -> AsyncIterator[LedgerDatabase]:
    """For what only SQLite can do."""
    ledger = await SqliteWorld(tmp_path).open()
    yield ledger
    await ledger.close()

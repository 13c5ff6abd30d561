"""Every test here runs on both databases unless it says otherwise."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from node.ledger.port import LedgerDatabase
from tests.support.ledgers import LedgerWorld, SqliteWorld
from tests.support.postgres import PostgresServer, postgres
from tests.support.postgres_ledger import BOTH, PostgresWorld, world_of

__all__ = ["postgres"]


@pytest.fixture(params=BOTH)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> LedgerWorld:
    """A fresh, empty database."""
    return world_of(request, tmp_path)


@pytest.fixture
async def ledger(world: LedgerWorld) -> AsyncIterator[LedgerDatabase]:
    """The ledger on it, closed at the end."""
    ledger = await world.open()
    yield ledger
    await ledger.close()


@pytest.fixture
def postgres_world(postgres: PostgresServer) -> LedgerWorld:
    """For what is worth fewer tries on PostgreSQL."""
    return PostgresWorld(postgres)


@pytest.fixture
def sqlite_world(tmp_path: Path) -> SqliteWorld:
    """For what only SQLite can do."""
    return SqliteWorld(tmp_path)


@pytest.fixture
async def sqlite_ledger(sqlite_world: SqliteWorld) -> AsyncIterator[LedgerDatabase]:
    """The same, opened."""
    ledger = await sqlite_world.open()
    yield ledger
    await ledger.close()

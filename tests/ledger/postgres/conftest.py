"""A database of each test's own on one server."""

from collections.abc import AsyncIterator

import pytest

from tests.support.postgres import PostgresServer, fragile_postgres, postgres
from tests.support.postgres_ledger import PostgresWorld

__all__ = ["fragile_postgres", "postgres"]


@pytest.fixture
async def world(postgres: PostgresServer) -> AsyncIterator[PostgresWorld]:
    """A fresh, empty database; the nodes on it are closed at the end."""
    world = PostgresWorld(postgres)
    yield world
    await world.close()


@pytest.fixture
async def fragile_world(fragile_postgres: PostgresServer) -> AsyncIterator[PostgresWorld]:
    """The same on a server that the test may crash."""
    world = PostgresWorld(fragile_postgres)
    yield world
    await world.close()

"""A fresh local chain with the account contract for every test, and databases for the journal."""

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from devkit.local_chain import LocalChainOptions, local_chain
from tests.support.ledgers import LedgerWorld
from tests.support.postgres import PostgresServer, fragile_postgres, postgres
from tests.support.postgres_ledger import BOTH, PostgresWorld, world_of
from tests.support.writes import WriteWorld, write_world

__all__ = ["fragile_postgres", "postgres"]


@pytest.fixture
async def world() -> AsyncIterator[WriteWorld]:
    async with local_chain(LocalChainOptions()) as chain, aiohttp.ClientSession() as session:
        yield await write_world(session, chain.url)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The ledger's file, for what is the same on both databases."""
    return tmp_path / "node.db"


@pytest.fixture(params=BOTH)
def ledgers(request: pytest.FixtureRequest, tmp_path: Path) -> LedgerWorld:
    """An empty database of either kind, for what is about the journal."""
    return world_of(request, tmp_path)


@pytest.fixture
def shared(postgres: PostgresServer) -> PostgresWorld:
    """An empty database that several nodes may open at once."""
    return PostgresWorld(postgres)

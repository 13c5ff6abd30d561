"""A fresh local chain with the account contract for every test."""

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from node.dev.local_chain import LocalChainOptions, local_chain
from tests.world.writes import WriteWorld, write_world


@pytest.fixture
async def world() -> AsyncIterator[WriteWorld]:
    async with local_chain(LocalChainOptions()) as chain, aiohttp.ClientSession() as session:
        yield await write_world(session, chain.url)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "node.db"

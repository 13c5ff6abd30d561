"""One chain for the tests of a module, and a database each: every test has accounts of its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from node.database.sqlite import SqliteDatabase
from tests.chain.freshness.bench import CONSTANTS, LISTENER_CONSTANTS
from tests.support.account_chain import AccountChain, account_chain
from tests.support.constants import replace_constants


@pytest.fixture(autouse=True)
def _constants(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_constants(monkeypatch, "node.chain", **CONSTANTS)
    replace_constants(monkeypatch, "node.chain.listener", **LISTENER_CONSTANTS)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chain() -> AsyncIterator[AccountChain]:
    async with account_chain() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def database(tmp_path: Path) -> AsyncIterator[SqliteDatabase]:
    opened = await SqliteDatabase.open(tmp_path / "node.sqlite3")
    yield opened
    await opened.close()

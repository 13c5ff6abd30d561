"""What /health says of a ledger that cannot be written, though all that was read of it before is in memory."""

import contextlib
import resource
import sqlite3
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import cast

import pytest
from prometheus_client import CollectorRegistry

from node.chain.assembly import ChainComponent
from node.database.port import Statement
from node.ledger.port import LedgerDatabase
from node.settings import Settings
from node.status.health import ProbeResult, billing_probe
from node.status.models import ComponentStatus
from node.wiring.components import require_writable, running_credits
from tests.support import keyring_vectors as known
from tests.support.ledgers import ACCOUNT, SqliteWorld, cents, give, rows

OK = ProbeResult(ComponentStatus.OK)


@pytest.fixture
def world(tmp_path: Path) -> SqliteWorld:
    return SqliteWorld(tmp_path)


@pytest.fixture
async def ledger(world: SqliteWorld) -> AsyncIterator[LedgerDatabase]:
    ledger = await world.open()
    yield ledger
    await ledger.close()


async def test_a_disk_that_is_full_is_told_of_and_so_is_its_recovery(
    world: SqliteWorld, ledger: LedgerDatabase
) -> None:
    probe = partial(billing_probe, partial(require_writable, ledger), lambda: OK)
    await give(ledger, 3)
    assert await probe() == OK
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    log = world.path.with_name(f"{world.path.name}-wal")
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size, unlimited[1]))
    try:
        assert (await probe()).status is ComponentStatus.DOWN
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    assert await probe() == OK
    assert await ledger.balance(ACCOUNT) == cents(3)


@pytest.mark.exhaustive
async def test_a_file_that_somebody_keeps_locked_is_told_of(world: SqliteWorld, ledger: LedgerDatabase) -> None:
    await ledger.execute()
    probe = partial(billing_probe, partial(require_writable, ledger), lambda: OK)
    assert await probe() == OK
    other = sqlite3.connect(world.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert (await probe()).status is ComponentStatus.DOWN
    other.close()
    assert await probe() == OK


@pytest.mark.exhaustive
async def test_a_node_that_charges_nothing_tells_of_the_database_that_its_writes_and_kept_answers_need(
    world: SqliteWorld, ledger: LedgerDatabase, tmp_path: Path
) -> None:
    await ledger.execute(Statement("PRAGMA busy_timeout = 20"))
    settings = Settings(data_dir=tmp_path, billing="off")
    async with running_credits(
        settings, cast("ChainComponent", None), CollectorRegistry(), ledger, known.keyring()
    ) as credit:
        assert (await credit.probe()).status is ComponentStatus.OFF
        with contextlib.closing(sqlite3.connect(world.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert (await credit.probe()).status is ComponentStatus.DOWN
        assert (await credit.probe()).status is ComponentStatus.OFF


async def test_asking_leaves_nothing_behind(ledger: LedgerDatabase) -> None:
    before = await rows(ledger, "SELECT * FROM schema_version ORDER BY component")
    await require_writable(ledger)
    assert await rows(ledger, "SELECT * FROM schema_version ORDER BY component") == before

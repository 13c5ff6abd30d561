"""One node, on each of the two databases, and the local card processor."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from devkit.processor.server import LocalProcessor, LocalProcessorOptions, local_processor
from node.ledger.port import LedgerDatabase
from tests.billing.payments.stories import Databases
from tests.support.clock import FakeClock
from tests.support.ledgers import LedgerWorld, SqliteWorld
from tests.support.nursery import Nursery, nursery
from tests.support.payments import PaymentWorld, adapter, payments_room
from tests.support.ports import own_port
from tests.support.postgres import PostgresServer, postgres
from tests.support.postgres_ledger import BOTH, PostgresWorld, world_of
from tests.support.processor_constants import UNHURRIED, change

__all__ = ["postgres"]


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for a rate, or for a repetition below the payments."""
    change(monkeypatch, UNHURRIED)


@pytest.fixture(params=BOTH)
def databases(request: pytest.FixtureRequest, tmp_path: Path) -> LedgerWorld:
    """A fresh, empty database."""
    return world_of(request, tmp_path)


@pytest.fixture
async def ledger(databases: LedgerWorld) -> AsyncIterator[LedgerDatabase]:
    ledger = await databases.open()
    yield ledger
    await ledger.close()


@pytest.fixture
def clock() -> FakeClock:
    """Unix time of node and processor."""
    return FakeClock()


@pytest.fixture
async def local(clock: FakeClock) -> AsyncIterator[LocalProcessor]:
    """A processor that calls no webhook."""
    async with local_processor(LocalProcessorOptions(port=own_port()), clock) as running:
        yield running


@pytest.fixture
async def world(ledger: LedgerDatabase, local: LocalProcessor, clock: FakeClock) -> AsyncIterator[PaymentWorld]:
    processor = adapter(local.url, clock)
    async with payments_room(ledger, processor, clock) as room:
        yield PaymentWorld(ledger, local, processor, room, clock)
    await processor.close()


@pytest.fixture(scope="module")
def lives() -> Iterator[Nursery]:
    """Nodes that die."""
    with nursery("tests.support.payment_worker") as lives:
        yield lives


@pytest.fixture(params=["sqlite", "postgres"])
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Databases:
    """A database for each kill."""
    if request.param == "sqlite":
        return lambda number: SqliteWorld(tmp_path / str(number))
    server: PostgresServer = request.getfixturevalue("postgres")
    return lambda _: PostgresWorld(server)

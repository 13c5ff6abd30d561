"""The ledger in a PostgreSQL database of the test's own."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from node.ledger.port import LedgerDatabase
from node.ledger.postgres_ledger import LEASE_S, PostgresLedger
from node.settings.ledger import LedgerSettings, PostgresSettings
from tests.support.clock import FakeClock
from tests.support.ledgers import LedgerWorld, SqliteWorld
from tests.support.postgres import DATABASE, PostgresServer

BOTH: Final = ("sqlite", "postgres")
"""Parameters of a fixture that gives `world_of`."""

IMPATIENT = PostgresSettings(ledger_postgres_reserve_patience_s=10.0, ledger_postgres_settle_patience_s=30.0)
"""As in production but for a machine that does many things at once."""


def impatient(**changes: float) -> PostgresSettings:
    """Return IMPATIENT with other values, by the names of the settings without their prefix."""
    return IMPATIENT.model_copy(update={f"ledger_postgres_{name}": value for name, value in changes.items()})


async def until(holds: Callable[[], bool]) -> None:
    """Returns once it holds, which other tasks of this event loop bring about."""
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110 - what the ledger keeps inside sets no event
            await asyncio.sleep(0)


class SharedDatabase:
    """A database that outlives whoever opens it, by its address alone."""

    name = "postgres"

    def __init__(self, url: str, postgres: PostgresSettings = IMPATIENT) -> None:
        self.url = url
        self.postgres = postgres
        self.clock = FakeClock()
        self.opened: list[PostgresLedger] = []

    async def open(self, settings: LedgerSettings | None = None) -> LedgerDatabase:
        del settings
        return await self.node("node")

    async def node(
        self, node_id: str, postgres: PostgresSettings | None = None, lease_s: float = LEASE_S
    ) -> PostgresLedger:
        """One of the nodes that share it."""
        ledger = await PostgresLedger.open(self.url, node_id, postgres or self.postgres, self.clock, lease_s=lease_s)
        self.opened.append(ledger)
        return ledger

    async def close(self) -> None:
        """Close every node that a test left open."""
        for ledger in self.opened:
            await ledger.close()


class PostgresWorld(SharedDatabase):
    """The same, of a role that the test has made for itself."""

    def __init__(self, server: PostgresServer, postgres: PostgresSettings = IMPATIENT) -> None:
        self.server = server
        self.role = server.new_role()
        super().__init__(server.url(self.role), postgres)

    def sql(self, text: str) -> str:
        """What psql prints for this, as the server's administrator."""
        return self.server.sql(f"SET search_path TO {self.role}; {text}", DATABASE)

    async def change(self, text: str) -> None:
        """Change rows that nodes of this event loop may have locked, while it goes on: else it would wait for itself."""
        await asyncio.to_thread(self.sql, text)

    async def lapse(self) -> None:
        """Every lease there is lapses now."""
        await self.change("UPDATE lease SET until_ms = 0")

    async def die(self, ledger: LedgerDatabase) -> None:
        """Its connections are cut, its lease is left to lapse, and time passes until it has."""
        assert isinstance(ledger, PostgresLedger)
        for task in (*ledger._keeping._tasks, ledger._queue._serving, *ledger._database._writes._tasks):
            if task is not None:
                task.cancel()
        for connections in (ledger._spending, ledger._database._connections):
            connections.closed = True
            connections._end_idle()
        await self.lapse()


def world_of(request: pytest.FixtureRequest, directory: Path) -> LedgerWorld:
    """A fresh, empty database of the kind that the fixture's parameter names; the fixture `postgres` is in its reach."""
    if request.param == "sqlite":
        return SqliteWorld(directory)
    return PostgresWorld(request.getfixturevalue("postgres"))

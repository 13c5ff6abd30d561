"""The ledger in a PostgreSQL database of the test's own."""

from pathlib import Path
from typing import Final

import pytest

from node.ledger.books import LedgerDatabase
from node.ledger.limits import LedgerLimits
from node.ledger.postgres.ledger import PostgresLedger
from node.ledger.postgres.limits import PostgresLimits
from tests.support.clock import FakeClock
from tests.support.ledgers import LedgerWorld, SqliteWorld
from tests.support.postgres import DATABASE, PostgresServer

BOTH: Final = ("sqlite", "postgres")
"""Parameters of a fixture that gives `world_of`."""

IMPATIENT = PostgresLimits(reserve_patience_s=10.0, settle_patience_s=30.0)
"""As in production but for a machine that does many things at once."""


class SharedDatabase:
    """A database that outlives whoever opens it, by its address alone."""

    name = "postgres"

    def __init__(self, url: str, postgres: PostgresLimits = IMPATIENT) -> None:
        self.url = url
        self.postgres = postgres
        self.clock = FakeClock()
        self.opened: list[PostgresLedger] = []

    async def open(self, limits: LedgerLimits | None = None) -> LedgerDatabase:
        return await self.node("node", limits)

    async def node(
        self, node_id: str, limits: LedgerLimits | None = None, postgres: PostgresLimits | None = None
    ) -> PostgresLedger:
        """One of the nodes that share it."""
        ledger = await PostgresLedger.open(
            self.url, node_id, limits or LedgerLimits(), postgres or self.postgres, self.clock
        )
        self.opened.append(ledger)
        return ledger

    async def close(self) -> None:
        """Close every node that a test left open."""
        for ledger in self.opened:
            await ledger.close()


class PostgresWorld(SharedDatabase):
    """The same, of a role that the test has made for itself."""

    def __init__(self, server: PostgresServer, postgres: PostgresLimits = IMPATIENT) -> None:
        self.server = server
        self.role = server.new_role()
        super().__init__(server.url(self.role), postgres)

    def sql(self, text: str) -> str:
        """What psql prints for this, as the server's administrator."""
        return self.server.sql(f"SET search_path TO {self.role}; {text}", DATABASE)

    def lapse(self) -> None:
        """Every lease there is lapses now."""
        self.sql("UPDATE ledger_lease SET expires_at = clock_timestamp()")

    async def die(self, ledger: LedgerDatabase) -> None:
        """Its connections are cut, its lease is left to lapse, and time passes until it has."""
        assert isinstance(ledger, PostgresLedger)
        for task in (ledger._keeping, ledger._queue._serving, *ledger._begun):
            if task is not None:
                task.cancel()
        for connections in (ledger._spending, ledger._books._connections):
            connections.closed = True
            connections._end_idle()
        self.lapse()


def world_of(request: pytest.FixtureRequest, directory: Path) -> LedgerWorld:
    """A fresh, empty database of the kind that the fixture's parameter names; the fixture `postgres` is in its reach."""
    if request.param == "sqlite":
        return SqliteWorld(directory)
    return PostgresWorld(request.getfixturevalue("postgres"))

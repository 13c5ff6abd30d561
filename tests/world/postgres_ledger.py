"""The ledger in a PostgreSQL database of the test's own."""

from dataclasses import replace

from node.ledger.books import LedgerDatabase
from node.ledger.limits import LedgerLimits
from node.ledger.postgres.ledger import PostgresLedger
from node.ledger.postgres.limits import PostgresLimits
from tests.world.clock import FakeClock
from tests.world.postgres import PostgresServer

IMPATIENT = PostgresLimits(reserve_patience_s=10.0, settle_patience_s=30.0)
"""As in production but for a machine that does many things at once."""


class PostgresWorld:
    """A database that outlives whoever opens it."""

    name = "postgres"

    def __init__(self, server: PostgresServer, postgres: PostgresLimits = IMPATIENT) -> None:
        self.server = server
        self.url = server.new_database()
        self.postgres = postgres
        self.clock = FakeClock()

    @property
    def database(self) -> str:
        return self.url.rpartition("/")[2].partition("?")[0]

    async def open(self, limits: LedgerLimits | None = None) -> LedgerDatabase:
        return await self.node("node", limits)

    async def node(self, node_id: str, limits: LedgerLimits | None = None, **changed: float) -> PostgresLedger:
        """One of the nodes that share it."""
        postgres = replace(self.postgres, **changed)  # type: ignore[arg-type]  # of a dataclass of ints and floats
        return await PostgresLedger.open(self.url, node_id, limits or LedgerLimits(), postgres, self.clock)

    async def die(self, ledger: LedgerDatabase) -> None:
        """Its connections are cut, its lease is left to lapse, and time passes until it has."""
        assert isinstance(ledger, PostgresLedger)
        for task in (ledger._keeping, ledger._queue._serving, *ledger._begun):
            if task is not None:
                task.cancel()
        for connections in (ledger._spending, ledger._books._connections):
            connections.closed = True
            connections._end_idle()
        self.server.sql("UPDATE ledger_lease SET expires_at = clock_timestamp()", self.database)

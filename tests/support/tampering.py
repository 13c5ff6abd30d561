"""Changing a ledger's tables behind its back, as no node can."""

import sqlite3
from contextlib import closing

from tests.support.ledgers import LedgerWorld, SqliteWorld
from tests.support.postgres_ledger import PostgresWorld


def tamper(world: LedgerWorld, *statements: str) -> None:
    """Run SQL with no trigger and no check in the way, and leave them as they were."""
    if isinstance(world, SqliteWorld):
        with closing(sqlite3.connect(world.path, isolation_level=None)) as connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
            for name, _ in triggers:
                connection.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                connection.execute(statement)
            for _, sql in triggers:
                connection.execute(sql)
    else:
        assert isinstance(world, PostgresWorld)
        dropped = "ALTER TABLE ledger_entry DROP CONSTRAINT IF EXISTS"
        checks = ("ledger_entry_check", "ledger_entry_amount_microdollars_check")
        free = [f"{dropped} {name}" for name in checks]
        world.sql("; ".join(["SET session_replication_role = replica", *free, *statements]))

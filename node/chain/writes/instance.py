"""The name of this instance, by which its payers are derived, where the TEE gives none."""

import secrets
import sqlite3

from node.sqlite import Database

STEPS = ("CREATE TABLE instance (only INTEGER PRIMARY KEY CHECK (only = 1), name TEXT NOT NULL) STRICT",)


async def persisted_instance(database: Database) -> str:
    """A random name drawn at the first call and kept in the database ever after (architecture.md)."""
    await database.migrate("instance", STEPS)

    def work(connection: sqlite3.Connection) -> str:
        connection.execute("INSERT OR IGNORE INTO instance VALUES (1, ?)", (secrets.token_hex(16),))
        return str(connection.execute("SELECT name FROM instance").fetchone()[0])

    return await database.run(work)

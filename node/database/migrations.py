"""Tables brought up to date: one rule for both databases, and one runner for each."""

import sqlite3
from collections.abc import Sequence
from typing import Final

from asyncpg.exceptions import InvalidSchemaNameError, SyntaxOrAccessError

from node.database.postgres_address import SETTING
from node.database.postgres_connections import Connection, description
from node.errors import StartupRefusedError

LOCK: Final = 0x7376_636C_6564_6772
"""PostgreSQL's advisory lock of all migrations of a database ("svcledgr")."""
MIGRATION_TIMEOUT_S: Final = 600.0
"""Time-out of one step of a migration, and of the wait for another node's: an index on millions of rows takes minutes."""

SQLITE_VERSIONS: Final = (
    "CREATE TABLE IF NOT EXISTS schema_version (component TEXT PRIMARY KEY, steps INTEGER NOT NULL) STRICT"
)
_POSTGRES_VERSIONS: Final = (
    "CREATE TABLE IF NOT EXISTS schema_version (component TEXT PRIMARY KEY, steps BIGINT NOT NULL)"
)
_NOTE: Final = """
INSERT INTO schema_version (component, steps) VALUES ($1, $2) ON CONFLICT (component) DO UPDATE SET steps = excluded.steps
"""


def pending_steps(component: str, steps: Sequence[str], done: int, setting: str) -> Sequence[str]:
    """Return the steps that were not run yet. Raises StartupRefusedError (`setting`) when a newer version ran more."""
    if done > len(steps):
        raise StartupRefusedError(setting, f"The tables of {component} were written by a newer version.")
    return steps[done:]


def migrate_sqlite(connection: sqlite3.Connection, component: str, steps: Sequence[str]) -> None:
    """Run the pending steps inside the caller's transaction. Raises as `pending_steps` does."""
    row = connection.execute("SELECT steps FROM schema_version WHERE component = ?", (component,)).fetchone()
    for step in pending_steps(component, steps, row[0] if row else 0, "data_dir"):
        connection.execute(step)
    connection.execute("INSERT OR REPLACE INTO schema_version VALUES (?, ?)", (component, len(steps)))


async def migrate_postgres(connection: Connection, component: str, steps: Sequence[str]) -> None:
    """Run the pending steps inside the caller's transaction, one node at a time however many start together.

    Raises as `pending_steps` does, and StartupRefusedError when the server refuses a step.
    """
    milliseconds = round(MIGRATION_TIMEOUT_S * 1000)
    await connection.execute(f"SET LOCAL statement_timeout = {milliseconds}; SET LOCAL lock_timeout = {milliseconds}")
    await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK, timeout=MIGRATION_TIMEOUT_S)
    await _run_step(connection, component, _POSTGRES_VERSIONS)
    done = await connection.fetchval("SELECT steps FROM schema_version WHERE component = $1", component) or 0
    pending = pending_steps(component, steps, done, SETTING)
    for step in pending:
        await _run_step(connection, component, step)
    if pending:
        await connection.execute(_NOTE, component, len(steps))


async def _run_step(connection: Connection, component: str, step: str) -> None:
    try:
        await connection.execute(step, timeout=MIGRATION_TIMEOUT_S)
    except (SyntaxOrAccessError, InvalidSchemaNameError) as error:
        reason = (
            f"The tables of {component} cannot be made: {description(error)}. The role must be allowed to create some."
        )
        raise StartupRefusedError(SETTING, reason) from None

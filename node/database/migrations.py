"""Migrations of tables, by one rule for both databases and one runner for each.

A schema changes in three releases, so that two successive ones can share a database or roll back:

1. Expand. An `Expansion` adds a table, an index, or a column that is nullable or has a default, and
   the release before can ignore it. This release writes the old and new form and reads the old.
2. Migrate. The next one fills in old rows (also an `Expansion`), writes both, reads the new form.
3. Contract. A later one stops writing the old form, and the one after removes it: its `Contraction`
   names the number of steps that a program knows if it has stopped using the old form.

A program that does not know a step of any other kind refuses to start. Statements name the columns
that they read and insert, since an expansion breaks `SELECT *` and an INSERT without names.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from asyncpg.exceptions import InvalidSchemaNameError, SyntaxOrAccessError

from node.database.postgres_address import SETTING
from node.database.postgres_connections import Connection, description
from node.errors import StartupRefusedError

LOCK: Final = 0x7376_636C_6564_6772
"""Key of PostgreSQL's advisory lock that serialises a database's migrations ("svcledgr")."""
MIGRATION_TIMEOUT_S: Final = 600.0
"""Time-out of a step, and of the wait for another node's. A large index takes minutes."""

SQLITE_VERSIONS: Final = (
    "CREATE TABLE IF NOT EXISTS schema_version (component TEXT PRIMARY KEY, steps INTEGER NOT NULL) STRICT"
)
_POSTGRES_VERSIONS: Final = (
    "CREATE TABLE IF NOT EXISTS schema_version (component TEXT PRIMARY KEY, steps BIGINT NOT NULL)"
)
# To SQLite `$1` is a name, so a mapping binds it. Python 3.12 warns of a tuple, 3.14 refuses it.
_NOTE: Final = """
INSERT INTO schema_version (component, steps) VALUES ($1, $2) ON CONFLICT (component) DO UPDATE SET steps = excluded.steps
"""
# Not a column: older releases insert into schema_version without column names and must still start.
_SQLITE_UNDERSTOOD: Final = """
CREATE TABLE IF NOT EXISTS schema_understood_from (component TEXT PRIMARY KEY, steps INTEGER NOT NULL) STRICT
"""
_POSTGRES_UNDERSTOOD: Final = (
    "CREATE TABLE IF NOT EXISTS schema_understood_from (component TEXT PRIMARY KEY, steps BIGINT NOT NULL)"
)
_NOTE_UNDERSTOOD: Final = """
INSERT INTO schema_understood_from (component, steps) VALUES ($1, $2)
ON CONFLICT (component) DO UPDATE SET steps = excluded.steps
"""


class Expansion(str):
    """Step that adds what a program of the release before can ignore."""

    __slots__ = ()


class Contraction(str):
    """Step that removes what programs with at least `understood_from` steps no longer use."""

    __slots__ = ("understood_from",)

    understood_from: int

    def __new__(cls, statement: str, understood_from: int) -> Self:
        """Returns the step."""
        step = super().__new__(cls, statement)
        step.understood_from = understood_from
        return step


def steps_to_understand(steps: Sequence[str]) -> int:
    """Returns how many steps a program must know to use the tables after all of `steps`."""
    needed = 0
    for number, step in enumerate(steps, start=1):
        if isinstance(step, Contraction):
            needed = max(needed, step.understood_from)
        elif not isinstance(step, Expansion):
            needed = number
    return needed


@dataclass(frozen=True, slots=True)
class SchemaState:
    """Steps run for a component, and how many of them a program must know to use its tables."""

    done: int = 0
    understood_from: int | None = None


def pending_steps(component: str, steps: Sequence[str], state: SchemaState, setting: str) -> Sequence[str]:
    """Returns the steps not run yet, and none if a newer version ran more that this one can ignore.

    Raises StartupRefusedError (`setting`) if this version cannot use the newer one's tables.
    """
    if state.done > len(steps):
        # The release that wrote the tables recorded no number, so all of its steps must be known.
        needed = state.done if state.understood_from is None else state.understood_from
        if len(steps) < needed:
            raise StartupRefusedError(
                setting,
                f"The tables of {component} were written by a newer version, whose changes this one does not understand.",
            )
    return steps[state.done :]


def migrate_sqlite(connection: sqlite3.Connection, component: str, steps: Sequence[str]) -> None:
    """Run the pending steps inside the caller's transaction. Raises as `pending_steps` does."""
    connection.execute(_SQLITE_UNDERSTOOD)

    def number(table: str) -> int | None:
        row = connection.execute(f"SELECT steps FROM {table} WHERE component = ?", (component,)).fetchone()  # noqa: S608 - ours
        return None if row is None else int(row[0])

    state = SchemaState(number("schema_version") or 0, number("schema_understood_from"))
    pending = pending_steps(component, steps, state, "data_dir")
    for step in pending:
        connection.execute(str(step))
    # In the same transaction, since after a crash in between the steps would run a second time.
    if pending:
        connection.execute(_NOTE, {"1": component, "2": len(steps)})
        connection.execute(_NOTE_UNDERSTOOD, {"1": component, "2": steps_to_understand(steps)})


async def migrate_postgres(connection: Connection, component: str, steps: Sequence[str]) -> None:
    """Run the pending steps inside the caller's transaction, on one node at a time.

    Raises as `pending_steps` does, and StartupRefusedError if the server refuses a step.
    """
    milliseconds = round(MIGRATION_TIMEOUT_S * 1000)
    # LOCAL, since the connection returns to its pool with the short time-outs of requests.
    await connection.execute(f"SET LOCAL statement_timeout = {milliseconds}; SET LOCAL lock_timeout = {milliseconds}")
    # The lock ends with the transaction, so a node that dies in a migration frees it.
    await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK, timeout=MIGRATION_TIMEOUT_S)
    # Under the lock, since of two CREATE TABLE IF NOT EXISTS at the same moment one may fail.
    await _run_step(connection, component, _POSTGRES_VERSIONS)
    await _run_step(connection, component, _POSTGRES_UNDERSTOOD)
    done = await connection.fetchval("SELECT steps FROM schema_version WHERE component = $1", component) or 0
    of_component = "SELECT steps FROM schema_understood_from WHERE component = $1"
    state = SchemaState(done, await connection.fetchval(of_component, component))
    pending = pending_steps(component, steps, state, SETTING)
    for step in pending:
        await _run_step(connection, component, str(step))
    if pending:
        await connection.execute(_NOTE, component, len(steps))
        await connection.execute(_NOTE_UNDERSTOOD, component, steps_to_understand(steps))


async def _run_step(connection: Connection, component: str, step: str) -> None:
    try:
        await connection.execute(step, timeout=MIGRATION_TIMEOUT_S)
    # Class 42 includes missing rights (PostgreSQL, Appendix A), which the operator grants.
    except (SyntaxOrAccessError, InvalidSchemaNameError) as error:
        reason = (
            f"The tables of {component} cannot be made: {description(error)}. The role must be allowed to create some."
        )
        raise StartupRefusedError(SETTING, reason) from None

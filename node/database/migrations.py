"""Tables brought up to date: one rule for both databases, and one runner for each.

A schema changes in three releases, so that nodes of two successive ones share a database and each can be rolled back:

1. Expand. An `Expansion` adds what the release needs and the one before can ignore: a table, an index, a column that is
   nullable or has a default. The release writes the old form and the new one, and reads the old.
2. Migrate. The next release fills in old rows (an `Expansion` as well), reads the new form and still writes both.
3. Contract. The one after stops writing the old form; a `Contraction` removes it in a release that follows, and names the
   number of steps that a program must know because it has stopped using the old form.

A step that is neither refuses every program that does not know it. Statements name the columns that they read and
insert: `SELECT *` and an INSERT without names break under an expansion.
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
"""PostgreSQL's advisory lock of all migrations of a database ("svcledgr")."""
MIGRATION_TIMEOUT_S: Final = 600.0
"""Time-out of one step of a migration, and of the wait for another node's: an index on millions of rows takes minutes."""

SQLITE_VERSIONS: Final = (
    "CREATE TABLE IF NOT EXISTS schema_version (component TEXT PRIMARY KEY, steps INTEGER NOT NULL) STRICT"
)
_POSTGRES_VERSIONS: Final = (
    "CREATE TABLE IF NOT EXISTS schema_version (component TEXT PRIMARY KEY, steps BIGINT NOT NULL)"
)
# SQLite takes `$1` for a name, which a mapping binds: Python 3.12 warns of a tuple there, and 3.14 refuses it.
_NOTE: Final = """
INSERT INTO schema_version (component, steps) VALUES ($1, $2) ON CONFLICT (component) DO UPDATE SET steps = excluded.steps
"""
# A table of its own: releases before it insert into schema_version without naming columns, and must still start.
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
    """Step that removes what programs have stopped using that know `understood_from` steps or more."""

    __slots__ = ("understood_from",)

    understood_from: int

    def __new__(cls, statement: str, understood_from: int) -> Self:
        """Returns the step."""
        step = super().__new__(cls, statement)
        step.understood_from = understood_from
        return step


def steps_to_understand(steps: Sequence[str]) -> int:
    """Returns the smallest number of steps that a program must know to use the tables after all of `steps`."""
    needed = 0
    for number, step in enumerate(steps, start=1):
        if isinstance(step, Contraction):
            needed = max(needed, step.understood_from)
        elif not isinstance(step, Expansion):
            needed = number
    return needed


@dataclass(frozen=True, slots=True)
class SchemaState:
    """Steps that were run for a component, and the number of steps that a program must know to use its tables."""

    done: int = 0
    understood_from: int | None = None


def pending_steps(component: str, steps: Sequence[str], state: SchemaState, setting: str) -> Sequence[str]:
    """Returns the steps that were not run yet; none where a newer version ran more, all of which this one can ignore.

    Raises StartupRefusedError (`setting`) when this version cannot use the tables of the newer one.
    """
    if state.done > len(steps):
        # Tables of a release without this record: nothing is known of their steps, so all of them count.
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
    # With the steps in one transaction: a crash between a step and its number would run the step twice.
    if pending:
        connection.execute(_NOTE, {"1": component, "2": len(steps)})
        connection.execute(_NOTE_UNDERSTOOD, {"1": component, "2": steps_to_understand(steps)})


async def migrate_postgres(connection: Connection, component: str, steps: Sequence[str]) -> None:
    """Run the pending steps inside the caller's transaction, one node at a time however many start together.

    Raises as `pending_steps` does, and StartupRefusedError when the server refuses a step.
    """
    milliseconds = round(MIGRATION_TIMEOUT_S * 1000)
    # LOCAL: the connection goes back to its pool with the short time-outs of requests.
    await connection.execute(f"SET LOCAL statement_timeout = {milliseconds}; SET LOCAL lock_timeout = {milliseconds}")
    # Of the transaction: a node that dies in a migration frees it, and the server undoes what it had made.
    await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK, timeout=MIGRATION_TIMEOUT_S)
    # Under the lock: two CREATE TABLE IF NOT EXISTS at the same moment may both try, and one fails.
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
    # Class 42 holds the missing rights too (PostgreSQL, Appendix A): the role, or its schema, is to be mended.
    except (SyntaxOrAccessError, InvalidSchemaNameError) as error:
        reason = (
            f"The tables of {component} cannot be made: {description(error)}. The role must be allowed to create some."
        )
        raise StartupRefusedError(SETTING, reason) from None

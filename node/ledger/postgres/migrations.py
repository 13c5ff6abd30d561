"""Tables brought up to date, by one node at a time however many start together."""

from collections.abc import Sequence
from typing import Final

from asyncpg.exceptions import InvalidSchemaNameError, SyntaxOrAccessError

from node.errors import StartupRefusedError
from node.ledger.postgres.address import SETTING
from node.ledger.postgres.connections import Connection
from node.ledger.postgres.faults import description

LOCK: Final = 0x7376_636C_6564_6772
"""Of all migrations of a database, as PostgreSQL numbers advisory locks ("svcledgr")."""

_VERSIONS: Final = "CREATE TABLE IF NOT EXISTS schema_version (component TEXT PRIMARY KEY, steps BIGINT NOT NULL)"
_NOTE: Final = """
INSERT INTO schema_version (component, steps) VALUES ($1, $2) ON CONFLICT (component) DO UPDATE SET steps = excluded.steps
"""


async def bring_up_to_date(connection: Connection, component: str, steps: Sequence[str], timeout_s: float) -> None:
    """Run the steps of `component` that were not run yet, inside the caller's transaction.

    Raises StartupRefusedError when a newer version wrote the tables, or when a step is refused.
    """
    milliseconds = round(timeout_s * 1000)
    await connection.execute(f"SET LOCAL statement_timeout = {milliseconds}; SET LOCAL lock_timeout = {milliseconds}")
    await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK, timeout=timeout_s)
    await _made(connection, component, _VERSIONS, timeout_s)
    done = await connection.fetchval("SELECT steps FROM schema_version WHERE component = $1", component) or 0
    if done > len(steps):
        raise StartupRefusedError(SETTING, f"The tables of {component} were written by a newer version.")
    for step in steps[done:]:
        await _made(connection, component, step, timeout_s)
    if done < len(steps):
        await connection.execute(_NOTE, component, len(steps))


async def _made(connection: Connection, component: str, step: str, timeout_s: float) -> None:
    try:
        await connection.execute(step, timeout=timeout_s)
    except (SyntaxOrAccessError, InvalidSchemaNameError) as error:
        reason = (
            f"The tables of {component} cannot be made: {description(error)}. The role must be allowed to create some."
        )
        raise StartupRefusedError(SETTING, reason) from None

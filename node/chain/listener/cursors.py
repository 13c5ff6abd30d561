"""Where each endpoint's follower stands, kept over a restart. A lost cursor costs nothing but reading some logs again."""

import sqlite3
from dataclasses import dataclass
from typing import Final

import structlog

from node.chain.listener.trail import Position
from node.sqlite import Database

COMPONENT: Final = "chain_listener"
STEPS: Final = (
    """
    CREATE TABLE listener_cursor (
        chain_id INTEGER NOT NULL,
        contract TEXT NOT NULL,
        endpoint TEXT NOT NULL,
        block_number INTEGER NOT NULL,
        block_hash TEXT NOT NULL,
        PRIMARY KEY (chain_id, contract, endpoint)
    ) STRICT
    """,
)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class CursorKey:
    """`endpoint` is its place in the settings and its host, never its URL, which may hold a credential."""

    chain_id: int
    contract: str
    endpoint: str


class Cursors:
    """The cursors' table. A disk that fails is logged and stops no follower."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    async def open(cls, database: Database) -> "Cursors":
        """Make the table where there is none. Raises StartupRefusedError when a newer version wrote it."""
        await database.migrate(COMPONENT, STEPS)
        return cls(database)

    async def load(self, key: CursorKey) -> Position | None:
        """What was kept last; None when nothing was, or it cannot be read."""

        def work(connection: sqlite3.Connection) -> tuple[int, str] | None:
            row: tuple[int, str] | None = connection.execute(
                "SELECT block_number, block_hash FROM listener_cursor"
                " WHERE chain_id = ? AND contract = ? AND endpoint = ?",
                (key.chain_id, key.contract, key.endpoint),
            ).fetchone()
            return row

        try:
            row = await self._database.run(work)
        except sqlite3.Error:
            _log.exception("listener_cursor_not_read")
            return None
        return None if row is None or row[0] < 0 else Position(*row)

    async def save(self, key: CursorKey, position: Position) -> None:
        """Keep it in place of the one before."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO listener_cursor VALUES (?, ?, ?, ?, ?)",
                (key.chain_id, key.contract, key.endpoint, position.number, position.hash),
            )

        try:
            await self._database.run(work)
        except sqlite3.Error:
            _log.exception("listener_cursor_not_kept")

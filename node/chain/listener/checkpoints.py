"""Checkpoints: the blocks up to which each endpoint's logs were read. The last one of each is stored.

After the loss of a stored one some logs are read again.
"""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from node.database.sqlite import SqliteDatabase

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
class Checkpoint:
    """Block up to which an endpoint's logs were read: `hash` is 0x and 64 lower-case hex digits."""

    number: int
    hash: str


class Checkpoints:
    """Latest checkpoints, at most `most`. Each is a descendant of those before it, so a reorganisation leaves older ones."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._positions: list[Checkpoint] = []

    @property
    def cursor(self) -> Checkpoint | None:
        """Newest checkpoint; None before the first."""
        return self._positions[-1] if self._positions else None

    def move_to(self, position: Checkpoint) -> None:
        """Add a checkpoint. One at the same block as the newest, or an earlier one, changes nothing."""
        if self._positions and position.number <= self._positions[-1].number:
            return
        self._positions.append(position)
        del self._positions[: -self._most]

    def begin_at(self, position: Checkpoint) -> None:
        """Forget all checkpoints but this one."""
        self._positions = [position]

    def back_to(self, position: Checkpoint) -> None:
        """Forget the checkpoints after this one."""
        del self._positions[self._positions.index(position) + 1 :]

    def below(self, number: int) -> Sequence[Checkpoint]:
        """Return the checkpoints at or below `number`, the newest first."""
        return [each for each in reversed(self._positions) if each.number <= number]


def newest_common(positions: Sequence[Checkpoint], hash_at: Callable[[int], str | None]) -> Checkpoint | None:
    """Return the first of `positions` (newest first) whose block is still canonical; None when none is."""
    return next((each for each in positions if hash_at(each.number) == each.hash), None)


@dataclass(frozen=True, slots=True)
class CursorKey:
    """Key of a stored cursor. `endpoint` is its place in the settings and its host: its URL may hold a credential."""

    chain_id: int
    contract: str
    endpoint: str


class Cursors:
    """Table of stored cursors. A failing disk is logged and stops no follower."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    @classmethod
    async def open(cls, database: SqliteDatabase) -> "Cursors":
        """Create the table if it is missing. Raises StartupRefusedError when a newer version wrote it."""
        await database.migrate(COMPONENT, STEPS)
        return cls(database)

    async def load(self, key: CursorKey) -> Checkpoint | None:
        """Return the stored checkpoint; None when there is none, or it cannot be read."""

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
            # Without a cursor the follower voids everything, which is safe.
            _log.exception("listener_cursor_not_read")
            return None
        return None if row is None or row[0] < 0 else Checkpoint(*row)

    async def save(self, key: CursorKey, position: Checkpoint) -> None:
        """Store the checkpoint in place of the one before."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO listener_cursor (chain_id, contract, endpoint, block_number, block_hash)"
                " VALUES (?, ?, ?, ?, ?)",
                (key.chain_id, key.contract, key.endpoint, position.number, position.hash),
            )

        try:
            await self._database.run(work)
        except sqlite3.Error:
            # An older cursor reads some logs again, which is safe.
            _log.exception("listener_cursor_not_kept")

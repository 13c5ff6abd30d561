"""The rows behind Idempotency-Key, in the node's SQLite file: sealed answers, found by a MAC."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from node.sqlite import Database

_STEPS: Final[Sequence[str]] = (
    """
    CREATE TABLE idempotency (
        id BLOB PRIMARY KEY,
        body_mac BLOB NOT NULL,
        created_at REAL NOT NULL,
        finished_at REAL,
        shows_secret INTEGER NOT NULL DEFAULT 0,
        sealed BLOB
    ) STRICT
    """,
    "CREATE INDEX idempotency_by_age ON idempotency (created_at)",
    "CREATE INDEX idempotency_secrets ON idempotency (finished_at) WHERE shows_secret AND sealed IS NOT NULL",
    "ALTER TABLE idempotency ADD COLUMN refused INTEGER NOT NULL DEFAULT 0",
)
_TOTAL: Final = "SELECT total(200 + coalesce(length(sealed), 0)) FROM idempotency"
"""What all rows take, about: 200 bytes each, and the answers."""

_EXCESS: Final = """
    DELETE FROM idempotency WHERE id IN (
        SELECT id FROM (
            SELECT id, size, sum(size) OVER (ORDER BY refused DESC, created_at ROWS UNBOUNDED PRECEDING) AS freed
            FROM (
                SELECT id, refused, created_at, 200 + coalesce(length(sealed), 0) AS size
                FROM idempotency WHERE finished_at IS NOT NULL
            )
        ) WHERE freed - size < ?
    )
"""
"""Finished rows, refusals first and then by age, until so many bytes are freed."""

_COLUMNS: Final = "body_mac, created_at, finished_at, shows_secret, sealed"


@dataclass(frozen=True, slots=True)
class Row:
    """What is known of one Idempotency-Key: unix seconds; `finished_at` is None until there is a final answer.

    `fresh` says that this very claim made the row. `sealed` is None before the end, and again once an answer
    that shows a secret may not be shown any more.
    """

    body_mac: bytes
    created_at: float
    finished_at: float | None
    shows_secret: bool
    sealed: bytes | None
    fresh: bool


class IdempotencyStore:
    """Claims, finishes and forgets rows; every change is on disk when its call returns."""

    def __init__(self, database: Database, kept_s: float, secret_replay_s: float, max_bytes: int) -> None:
        self._database = database
        self._kept_s = kept_s
        self._secret_replay_s = secret_replay_s
        self._max_bytes = max_bytes

    async def open(self) -> None:
        """Create the table where there is none."""
        await self._database.migrate("idempotency", _STEPS)

    async def claim(self, row_id: bytes, body_mac: bytes, now: float) -> Row:
        """The row of this id; a new one when there is none, or only one whose time is over."""

        def work(connection: sqlite3.Connection) -> Row:
            connection.execute(
                "DELETE FROM idempotency WHERE id = ? AND coalesce(finished_at, created_at) <= ?",
                (row_id, now - self._kept_s),
            )
            made = connection.execute(
                "INSERT OR IGNORE INTO idempotency (id, body_mac, created_at) VALUES (?, ?, ?)", (row_id, body_mac, now)
            )
            row = connection.execute(f"SELECT {_COLUMNS} FROM idempotency WHERE id = ?", (row_id,))  # noqa: S608 - constants
            mac, created_at, finished_at, shows_secret, sealed = row.fetchone()
            return Row(mac, created_at, finished_at, bool(shows_secret), sealed, fresh=made.rowcount == 1)

        return await self._database.run(work)

    async def finish(self, row_id: bytes, sealed: bytes, now: float, *, shows_secret: bool, refused: bool) -> None:
        """Keep the final answer; `refused` says that it is no success."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "UPDATE idempotency SET sealed = ?, finished_at = ?, shows_secret = ?, refused = ? WHERE id = ?",
                (sealed, now, int(shows_secret), int(refused), row_id),
            )

        await self._database.run(work)

    async def forget(self, row_id: bytes) -> None:
        """Drop a row whose request came to nothing that would have to be kept."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM idempotency WHERE id = ?", (row_id,))

        await self._database.run(work)

    async def purge(self, now: float) -> None:
        """Drop rows whose time is over, secrets that may not be shown any more, and what is more than may be kept."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "DELETE FROM idempotency WHERE created_at <= ?1 AND coalesce(finished_at, created_at) <= ?1",
                (now - self._kept_s,),
            )
            connection.execute(
                "UPDATE idempotency SET sealed = NULL WHERE shows_secret AND sealed IS NOT NULL AND finished_at <= ?",
                (now - self._secret_replay_s,),
            )
            excess = connection.execute(_TOTAL).fetchone()[0] - self._max_bytes
            if excess > 0:
                connection.execute(_EXCESS, (excess,))

        await self._database.run(work)

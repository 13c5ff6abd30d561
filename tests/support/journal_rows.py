"""What stands in a journal's tables, read around the node: also while one has the database open."""

import contextlib
import sqlite3
from pathlib import Path

from tests.support.ledgers import LedgerWorld, SqliteWorld
from tests.support.postgres_ledger import PostgresWorld


def journal_rows(place: Path | LedgerWorld, sql: str) -> list[tuple[str, ...]]:
    """What this SELECT gives, every value as text, none of which may hold `|` or a line's end."""
    if isinstance(place, PostgresWorld):
        return [tuple(line.split("|")) for line in place.sql(sql).splitlines()]
    path = place.path if isinstance(place, SqliteWorld) else place
    assert isinstance(path, Path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return [tuple(map(str, row)) for row in connection.execute(sql)]


def cancel_reasons(place: Path | LedgerWorld) -> list[str]:
    """The stored reason of each empty transaction, in the order in which they were signed."""
    sql = "SELECT cancel_reason FROM write_attempt WHERE cancels = 1 ORDER BY stored_at_us"
    return [reason for (reason,) in journal_rows(place, sql)]

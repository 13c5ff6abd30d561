"""Other rooms' tables in the ledger's file: read and changed, durably."""

import sqlite3
from collections.abc import Sequence

import structlog

from node.database.sqlite import Database
from node.ledger.books import Row, Statement
from node.ledger.rules import billing_unavailable

_log = structlog.get_logger(__name__)


async def run_statements(
    database: Database, statements: Sequence[Statement], retry_after_s: int
) -> Sequence[Sequence[Row]]:
    """Run all in one durable transaction; the rows of each.

    Raises NodeError `billing_unavailable` when the file cannot be written, sqlite3.IntegrityError for a row that
    the tables forbid; then nothing of it is kept.
    """

    def work(connection: sqlite3.Connection) -> Sequence[Sequence[Row]]:
        return [connection.execute(statement.sql, statement.values).fetchall() for statement in statements]

    try:
        return await database.run(work)
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise
    except (sqlite3.Error, RuntimeError) as error:
        _log.error("the ledger could not be written", reason=str(error))
        raise billing_unavailable(retry_after_s) from error

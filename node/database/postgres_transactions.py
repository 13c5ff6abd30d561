"""PostgreSQL transactions, retried during outages and committed at most once."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import structlog
from asyncpg.exceptions import (
    IntegrityConstraintViolationError,
    RaiseError,
    ReadOnlySQLTransactionError,
    UniqueViolationError,
)

from node.database.port import RETRY_AFTER_S, CommitUnknownError, DatabaseUnavailableError, StatementRefusedError
from node.database.postgres_connections import Connection, Connections, description, is_transient
from node.errors import DomainError, StartupRefusedError
from node.runtime.clock import Backoff

T = TypeVar("T")

Work = Callable[[Connection], Awaitable[T]]
"""Function that runs inside a transaction, without BEGIN or COMMIT. It may run several times."""

READ_WRITE: Final = "BEGIN ISOLATION LEVEL READ COMMITTED"
READ_ONLY: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
CLASHES_MAX: Final = 3
"""Attempts that may end in a unique violation. The first is another node's insert, others a bug."""
_LEAST_S: Final = 0.05
"""Least time for BEGIN, whose caller may have waited for a connection all its time."""
_FIRST_PAUSE_S: Final = 0.02
_LONGEST_PAUSE_S: Final = 0.5
_MARK: Final = "INSERT INTO ledger_transaction (mark) VALUES ($1) ON CONFLICT (mark) DO NOTHING"
_MARK_IF_WRITING: Final = """
INSERT INTO ledger_transaction (mark) SELECT $1 WHERE pg_current_xact_id_if_assigned() IS NOT NULL
"""
_NOTHING: Final = "INSERT 0 0"

_log = structlog.get_logger(__name__)


def retry_pauses() -> Backoff:
    """Return the pauses between attempts, with jitter so that nodes do not repeat together."""
    return Backoff(_FIRST_PAUSE_S, _LONGEST_PAUSE_S, jitter=0.5)


class Transactions:
    """Runs transactions on a pool of connections."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    async def attempt(self, work: Work[T], wait_s: float, begin: str = READ_WRITE) -> T:
        """Run `work`, which must be idempotent, in a transaction. Raises what the server raises."""
        until = asyncio.get_running_loop().time() + wait_s
        async with self._connections.lend(wait_s) as connection:
            # BEGIN discovers a connection whose other end vanished, so `wait_s` bounds it.
            await connection.execute(begin, timeout=max(_LEAST_S, until - asyncio.get_running_loop().time()))
            value = await work(connection)
            await connection.execute("COMMIT")
            return value

    async def run(self, work: Work[T], patience_s: float, begin: str = READ_WRITE) -> T:
        """Attempt `work` until it succeeds; see `attempt`.

        Raises DatabaseUnavailableError (out for longer than `patience_s`), StatementRefusedError
        (no retry helps), and a DomainError, StartupRefusedError or ValueError of `work`.
        """
        loop, pauses = asyncio.get_running_loop(), retry_pauses()
        give_up = loop.time() + patience_s
        clashes = 0
        while not self._connections.closed:
            try:
                return await self.attempt(work, give_up - loop.time(), begin)
            except Exception as error:  # noqa: BLE001 - sorted into what may escape
                # If another node inserted the same row first, the retry finds that row.
                clashes += isinstance(error, UniqueViolationError)
                # While writing, a standby refuses, which may soon be promoted. A transaction of
                # ours that only reads would be refused again.
                last = begin == READ_ONLY and isinstance(error, ReadOnlySQLTransactionError)
                _sort(error, curable=clashes < CLASHES_MAX, last=last or loop.time() >= give_up)
            # Outside of `attempt`, so that others can use the connection meanwhile.
            await asyncio.sleep(pauses.failed())
        raise DatabaseUnavailableError(RETRY_AFTER_S)

    async def run_once(self, work: Work[T], patience_s: float) -> T:
        """Run work that must not be committed twice. Raises as `run` does, and CommitUnknownError.

        A transaction that writes inserts a mark. If the reply to a commit is lost, a plain retry
        could charge twice. So it inserts the mark first, after the earlier transaction has ended.
        """
        # Not pg_xact_status(), since after a crash the server may reuse a lost transaction's id.
        mark = uuid.uuid4().hex
        unconfirmed: list[T] = []

        async def marked(connection: Connection) -> T:
            is_repetition = bool(unconfirmed)
            # ON CONFLICT waits for the mark's transaction. If it committed, nothing is inserted.
            if is_repetition and await connection.execute(_MARK, mark) == _NOTHING:
                return unconfirmed[0]
            value = await work(connection)
            # A repeated read changes nothing, and a mark would make it a write.
            if is_repetition or await connection.execute(_MARK_IF_WRITING, mark) != _NOTHING:
                unconfirmed[:] = [value]
            return value

        try:
            return await self.run(marked, patience_s)
        except DatabaseUnavailableError as error:
            raise CommitUnknownError(error.retry_after_s or RETRY_AFTER_S) if unconfirmed else error from None


def _sort(error: Exception, *, curable: bool, last: bool) -> None:
    """Raise the error for the caller, or return if the work is to be retried."""
    if isinstance(error, DomainError | StartupRefusedError) or type(error) is ValueError:
        raise error
    if not curable or not is_transient(error):
        raise unexpected(error) from None
    if last:
        _log.warning("the database is out", why=description(error))
        raise DatabaseUnavailableError(RETRY_AFTER_S) from None


def unexpected(error: BaseException) -> StatementRefusedError:
    """Log a failure that no retry cures, a bug of ours, and return the error for it."""
    why = description(error)
    if isinstance(error, RaiseError):  # only our triggers raise it, with constant messages
        why = str(error)
    elif isinstance(error, IntegrityConstraintViolationError):
        why = f"a constraint of its tables, {why}"
    _log.error("the database refused a statement", why=why)
    return StatementRefusedError(why)


COMPONENT: Final = "database"
MARKS_AT_ONCE: Final = 20_000
"""Maximum marks deleted in one transaction. A node adds fewer between two renewals of its lease,
and their deletion does not delay the next renewal."""
MARKS_KEPT_S: Final = 3_600.0
"""Time that marks are kept. `Transactions.run_once` needs one for seconds, while it retries."""

# Existing databases have the tables of the first step, which are older than this component.
STEPS: Final = (
    """
    CREATE TABLE IF NOT EXISTS ledger_lease (
        holder TEXT PRIMARY KEY,
        expires_at TIMESTAMPTZ NOT NULL
    );
    CREATE TABLE IF NOT EXISTS ledger_transaction (
        mark TEXT PRIMARY KEY,
        made_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
    );
    CREATE INDEX IF NOT EXISTS ledger_transaction_made ON ledger_transaction (made_at);
    """,
    # Leases move to the table of node.database.lease. A process that has one keeps it.
    """
    INSERT INTO lease (scope, name, holder, token, until_ms)
        SELECT 'ledger', holder, holder, 1, CAST(extract(epoch FROM expires_at) * 1000 AS bigint) FROM ledger_lease;
    DROP TABLE ledger_lease;
    """,
)

_FORGET_MARKS: Final = """
DELETE FROM ledger_transaction WHERE mark IN (
    SELECT mark FROM ledger_transaction WHERE made_at < clock_timestamp() - make_interval(secs => $1)
    ORDER BY made_at LIMIT $2 FOR UPDATE SKIP LOCKED
)
"""


async def forget_marks(connection: Connection) -> None:
    """Delete marks of transactions that ended long ago."""
    await connection.execute(_FORGET_MARKS, MARKS_KEPT_S, MARKS_AT_ONCE)

"""Work in one transaction, again and again while the server is out, and done once however often it was begun."""

import asyncio
import secrets
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

from node.errors import ErrorCode, NodeError, StartupRefusedError
from node.ledger.postgres.connections import Connection, Connections
from node.ledger.postgres.faults import description, is_transient
from node.ledger.rules import billing_unavailable

T = TypeVar("T")

Work = Callable[[Connection], Awaitable[T]]
"""Runs inside a transaction, which it neither begins nor ends; it may be run several times."""

READ_WRITE: Final = "BEGIN ISOLATION LEVEL READ COMMITTED"
READ_ONLY: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
FIRST_PAUSE_S: Final = 0.02
LONGEST_PAUSE_S: Final = 0.5
_MARK: Final = "INSERT INTO ledger_transaction (mark) VALUES ($1) ON CONFLICT (mark) DO NOTHING"
_MARK_IF_WRITING: Final = """
INSERT INTO ledger_transaction (mark) SELECT $1 WHERE pg_current_xact_id_if_assigned() IS NOT NULL
"""
_NOTHING: Final = "INSERT 0 0"
MOST_CLASHES: Final = 3
"""Attempts that found a row there which they were to make: once because somebody was first, always by a fault of ours."""

_log = structlog.get_logger(__name__)


class Pauses:
    """How long to wait before the next attempt: twice as long each time, to a limit, and not all callers at once."""

    def __init__(self) -> None:
        self._next = FIRST_PAUSE_S
        self.waited = False

    async def wait(self) -> None:
        """Wait once."""
        self.waited = True
        await asyncio.sleep(self._next * (0.5 + secrets.randbelow(1000) / 2000))
        self._next = min(2 * self._next, LONGEST_PAUSE_S)


class Transactions:
    """Transactions on some connections; `retry_after_s` is what clients are told while the server is out."""

    def __init__(self, connections: Connections, retry_after_s: int) -> None:
        self._connections = connections
        self._retry_after_s = retry_after_s

    async def attempt(self, work: Work[T], wait_s: float, begin: str = READ_WRITE) -> T:
        """One attempt, at work that changes nothing when it was done already. Raises what the server raises."""
        async with self._connections.lend(wait_s) as connection:
            await connection.execute(begin)
            value = await work(connection)
            await connection.execute("COMMIT")
            return value

    async def run(self, work: Work[T], patience_s: float, begin: str = READ_WRITE) -> T:
        """Attempts at such work until one succeeds.

        Raises NodeError `billing_unavailable` when the server is out for longer than `patience_s`, `internal_error`
        for what no repetition cures, and what `work` raises as NodeError, StartupRefusedError or ValueError.
        """
        loop, pauses = asyncio.get_running_loop(), Pauses()
        give_up = loop.time() + patience_s
        clashes = 0
        while not self._connections.closed:
            try:
                return await self.attempt(work, give_up - loop.time(), begin)
            except Exception as error:  # noqa: BLE001 - sorted into what may escape
                clashes += isinstance(error, UniqueViolationError)
                last = begin == READ_ONLY and isinstance(error, ReadOnlySQLTransactionError)
                self._sort(error, curable=clashes < MOST_CLASHES, last=last or loop.time() >= give_up)
            await pauses.wait()
        raise billing_unavailable(self._retry_after_s)

    async def run_once(self, work: Work[T], patience_s: float) -> T:
        """Work that must not be done twice; raises as `run` does.

        A transaction that writes leaves its mark. Where the answer to a commit was not heard, the next attempt makes the
        same mark first: it waits for the other's end, and finds the mark there when that was committed. (The server's
        own `pg_xact_status` would not do: a crash may give a lost transaction's number to another.)
        """
        mark = uuid.uuid4().hex
        unheard: list[T] = []

        async def marked(connection: Connection) -> T:
            doubted = bool(unheard)
            if doubted and await connection.execute(_MARK, mark) == _NOTHING:
                return unheard[0]
            value = await work(connection)
            if doubted or await connection.execute(_MARK_IF_WRITING, mark) != _NOTHING:
                unheard[:] = [value]
            return value

        return await self.run(marked, patience_s)

    def _sort(self, error: Exception, *, curable: bool, last: bool) -> None:
        if isinstance(error, NodeError | StartupRefusedError) or type(error) is ValueError:
            raise error
        if not curable or not is_transient(error):
            raise unexpected(error) from None
        if last:
            _log.warning("the ledger's database is out", why=description(error))
            raise billing_unavailable(self._retry_after_s) from None


def unexpected(error: BaseException) -> NodeError:
    """For what no repetition cures, a fault of ours: told by its kind, and by the ledger's own words where it has some."""
    why = description(error)
    if isinstance(error, RaiseError):  # by our triggers alone, whose messages are constants
        why = str(error)
    elif isinstance(error, IntegrityConstraintViolationError):
        why = f"a constraint of its tables, {why}"
    _log.error("the ledger's database refused a statement", why=why)
    fix = "Tell the operator of the node."
    return NodeError(ErrorCode.INTERNAL_ERROR, f"The ledger could not do this: {why}.", fix=fix)

"""PostgreSQL connections: few, kept open, replaced after any failure; and which failures are transient."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final, TypeAlias

import asyncpg
from asyncpg import exceptions
from asyncpg.connect_utils import SessionAttribute

from node.database.postgres_address import PostgresAddress

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

APPLICATION_NAME: Final = "svc-node"
ANSWER_GRACE_S: Final = 1.0
"""Time beyond the server's own timeout after which its response counts as lost with the network."""
CONNECT_TIMEOUT_S: Final = 5.0
STATEMENT_TIMEOUT_S: Final = 5.0
"""Time-out of a statement in a transaction that writes; the server ends it. Writes take milliseconds."""
LOCK_TIMEOUT_S: Final = 4.0
"""For a lock that another node holds. Above IDLE_IN_TRANSACTION_TIMEOUT_S, so that a paused node is waited out."""
IDLE_IN_TRANSACTION_TIMEOUT_S: Final = 2.0
"""The server ends the transaction of a node that sends nothing for so long, and frees its locks."""

_TRANSIENT: Final = (
    OSError,  # with TimeoutError and TLS errors
    exceptions.InterfaceError,  # the connection is closed
    exceptions.InternalClientError,
    exceptions.PostgresConnectionError,
    exceptions.TransactionRollbackError,  # serialisation failures, deadlocks
    exceptions.OperatorInterventionError,  # shut down, starting up, crashed, a statement that took too long
    exceptions.InsufficientResourcesError,  # too many connections, disk full
    exceptions.ObjectNotInPrerequisiteStateError,  # a lock that was not had in time
    exceptions.InvalidTransactionStateError,  # a standby's read-only transaction, a transaction left idle
    exceptions.InvalidAuthorizationSpecificationError,
    exceptions.InvalidCatalogNameError,
    exceptions.InvalidCachedStatementError,  # another node changed the tables
    exceptions.UniqueViolationError,  # another node inserted first: the repetition finds its row
)


def is_transient(error: BaseException) -> bool:
    """Return whether the same transaction may succeed once the server is back or other nodes' locks are free."""
    return isinstance(error, _TRANSIENT) and not isinstance(error, exceptions.DataError)


def description(error: BaseException) -> str:
    """Return the kind of failure for the log. Messages may hold values, names of users, or addresses."""
    state = getattr(error, "sqlstate", None)
    return f"{type(error).__name__} ({state})" if isinstance(state, str) else type(error).__name__


class Connections:
    """Pool of at most `connections_max` connections. A failure on one ends it and the idle ones, which likely failed too."""

    def __init__(self, address: PostgresAddress, connections_max: int) -> None:
        self._address = address
        self._free = asyncio.Semaphore(connections_max)
        self._idle: list[Connection] = []
        self.closed = False

    @contextlib.asynccontextmanager
    async def lend(self, wait_s: float) -> AsyncIterator[Connection]:
        """Lend one connection to this caller alone. Waits until another caller returns one.

        Raises what asyncpg raises, OSError, and TimeoutError when none is free in time.
        """
        async with asyncio.timeout(wait_s):
            await self._free.acquire()
        try:
            connection = await self._connected()
            try:
                yield connection
            except BaseException:
                connection.terminate()
                self._end_idle()
                raise
            self._idle.append(connection)
        finally:
            self._free.release()

    async def close(self) -> None:
        """End the idle connections. Callers check `closed` before they ask for another."""
        self.closed = True
        for connection in self._idle:
            with contextlib.suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await connection.close(timeout=ANSWER_GRACE_S)
        self._idle.clear()

    async def _connected(self) -> Connection:
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection
        return await self._connect()

    async def _connect(self) -> Connection:
        """Connect. Every parameter is explicit, so that none is read from the environment or a home directory."""
        address = self._address
        return await asyncpg.connect(
            host=address.host,
            port=address.port,
            user=address.user,
            password=address.password,
            database=address.database,
            ssl=address.tls or False,
            target_session_attrs=SessionAttribute.any,
            timeout=CONNECT_TIMEOUT_S,
            command_timeout=STATEMENT_TIMEOUT_S + ANSWER_GRACE_S,
            server_settings={
                "application_name": APPLICATION_NAME,
                "statement_timeout": _milliseconds(STATEMENT_TIMEOUT_S),
                "lock_timeout": _milliseconds(LOCK_TIMEOUT_S),
                "idle_in_transaction_session_timeout": _milliseconds(IDLE_IN_TRANSACTION_TIMEOUT_S),
                "default_transaction_isolation": "read committed",
                "synchronous_commit": "on",
            },
        )

    def _end_idle(self) -> None:
        for connection in self._idle:
            connection.terminate()
        self._idle.clear()


def _milliseconds(seconds: float) -> str:
    return str(max(1, round(seconds * 1000)))

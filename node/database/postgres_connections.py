"""Small pool of PostgreSQL connections, replaced after any failure, and a sorting of failures."""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Sequence
from typing import Final, TypeAlias

import asyncpg
from asyncpg import exceptions
from asyncpg.connect_utils import SessionAttribute

from node.database.postgres_address import CA_SETTING, SETTING, PostgresAddress
from node.errors import StartupRefusedError

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

APPLICATION_NAME: Final = "svc-node"
ANSWER_GRACE_S: Final = 1.0
"""Time beyond the server's own time-out after which the node counts its reply as lost."""
CONNECT_TIMEOUT_S: Final = 3.0
"""Time-out of connecting with TLS and password, which takes a second across continents."""
CONNECT_LEAST_S: Final = 0.3
"""Least time of an attempt to connect, enough for two round trips across a continent."""
START_PAUSE_S: Final = 0.5
"""Pause between two attempts of a starting node to connect."""
STATEMENT_TIMEOUT_S: Final = 5.0
"""Time after which the server ends a statement that writes. Writes take milliseconds."""
LOCK_TIMEOUT_S: Final = 1.5
"""Wait for another node's lock. Above IDLE_IN_TRANSACTION_TIMEOUT_S, which frees a paused node's
locks. Below a reservation's default patience, which leaves a retry without locked accounts."""
IDLE_IN_TRANSACTION_TIMEOUT_S: Final = 1.0
"""Silence after which the server ends a node's transaction and frees its locks."""

_NO_TLS: Final = "has no TLS: set `ssl = on` there. The URL may say sslmode=disable on a network that is yours alone."
_REFUSALS: Final[Sequence[tuple[type[Exception], str]]] = (
    (exceptions.InvalidPasswordError, "refuses the password, or has no such role: percent-encode the password."),
    (
        exceptions.InvalidAuthorizationSpecificationError,
        "does not admit the role: pg_hba.conf lacks a line for it with this host, this database, and TLS or none.",
    ),
    (exceptions.InvalidCatalogNameError, "has no such database: create it, or mend the name at the end of the URL."),
    (exceptions.InsufficientPrivilegeError, "does not let the role in: GRANT CONNECT ON DATABASE … TO … ."),
    (ssl.SSLError, "cannot agree on TLS: it must speak TLS 1.2 or 1.3."),
    (TimeoutError, "does not answer in time: check host and port, and the firewalls between."),
    (socket.gaierror, "has a name that is not found: check the host in the URL, and the machine's DNS."),
    (ConnectionRefusedError, "cannot be reached, since nothing listens there: start it, or mend host and port."),
    (ConnectionResetError, "broke the connection off: check that a PostgreSQL is at this port."),
    (OSError, "cannot be reached: check host and port, and the routes to it."),
)
"""Errors that waiting does not cure, with the remedy. The first class that fits applies."""
_WRONG_NAME: Final = frozenset({62, 64})
"""OpenSSL's X509_V_ERR_HOSTNAME_MISMATCH and X509_V_ERR_IP_ADDRESS_MISMATCH."""
_UNKNOWN_AUTHORITY: Final = frozenset({2, 7, 18, 19, 20, 21})
"""OpenSSL's X509_V_ERR codes of a chain that ends in no trusted authority.
In code 7 the authority has the trusted one's name and another key."""

# The server has undone the transaction, or the outcome of its commit is unknown (see `run_once`).
_TRANSIENT: Final = (
    OSError,  # with TimeoutError and TLS errors
    exceptions.InterfaceError,  # the connection is closed
    exceptions.InternalClientError,
    exceptions.PostgresConnectionError,
    exceptions.TransactionRollbackError,  # serialisation failures, deadlocks
    exceptions.OperatorInterventionError,  # the server stops or starts, or a statement timed out
    exceptions.InsufficientResourcesError,  # too many connections, disk full
    exceptions.ObjectNotInPrerequisiteStateError,  # a lock was not free in time
    exceptions.InvalidTransactionStateError,  # a standby is read-only, or a transaction was idle
    exceptions.InvalidAuthorizationSpecificationError,
    exceptions.InvalidCatalogNameError,
    exceptions.InvalidCachedStatementError,  # another node changed the tables
    exceptions.UniqueViolationError,  # another node inserted first, and the retry finds its row
)


def is_transient(error: BaseException) -> bool:
    """Return whether a retry may succeed once the server is back or other nodes' locks are free."""
    return isinstance(error, _TRANSIENT) and not isinstance(error, exceptions.DataError)


def description(error: BaseException) -> str:
    """Return the error's class for the log; its message may contain values, users or addresses."""
    state = getattr(error, "sqlstate", None)
    return f"{type(error).__name__} ({state})" if isinstance(state, str) else type(error).__name__


def refusal(error: BaseException, address: PostgresAddress) -> StartupRefusedError | None:
    """Return why a node cannot start with this server and the remedy, or None if waiting may help.

    The server's message is not repeated, since it may name the role.
    """
    if isinstance(error, ssl.SSLCertVerificationError):
        return _refused_certificate(error, address)
    # asyncpg has no class for a server that replies `N` to SSLRequest (PostgreSQL 17, 53.2.11).
    if type(error) is ConnectionError and address.tls is not None:
        why: str | None = _NO_TLS
    else:
        why = next((why for kind, why in _REFUSALS if isinstance(error, kind)), None)
    return None if why is None else StartupRefusedError(SETTING, f"PostgreSQL at {address.shown} {why}")


def _refused_certificate(error: ssl.SSLCertVerificationError, address: PostgresAddress) -> StartupRefusedError:
    where, setting = f"PostgreSQL at {address.shown}", address.trust_setting
    if error.verify_code in _WRONG_NAME:
        why = (
            "shows a certificate for another name: name the host as the certificate does, or give it one for this name."
        )
        return StartupRefusedError(SETTING, f"{where} {why}")
    if error.verify_code in _UNKNOWN_AUTHORITY:
        where_to = "ledger_ca_pem" if setting == CA_SETTING else "the file of sslrootcert"
        why = f"shows a certificate of an authority that is not trusted: put the authority's PEM into {where_to}."
        return StartupRefusedError(setting, f"{where} {why}")
    return StartupRefusedError(setting, f"{where} shows a certificate that is not valid: {error.verify_message}.")


class Connections:
    """Pool of at most `connections_max` connections. If one fails, it and all idle ones end."""

    def __init__(self, address: PostgresAddress, connections_max: int) -> None:
        self._address = address
        self._free = asyncio.Semaphore(connections_max)
        self._idle: list[Connection] = []
        self.closed = False

    @contextlib.asynccontextmanager
    async def lend(self, wait_s: float) -> AsyncIterator[Connection]:
        """Lend one connection to this caller alone, after waiting for a free one if necessary.

        Raises what asyncpg raises, OSError, and TimeoutError if no connection is ready in time.
        """
        until = asyncio.get_running_loop().time() + wait_s
        async with asyncio.timeout_at(until):
            await self._free.acquire()
        try:
            # Without a bound a host that drops packets would delay its caller by CONNECT_TIMEOUT_S.
            async with asyncio.timeout_at(max(until, asyncio.get_running_loop().time() + CONNECT_LEAST_S)):
                connection = await self._connected()
            try:
                yield connection
            except BaseException:
                # Not returned, since it may be inside a transaction or await a reply that the next
                # caller would take for its own. The server undoes the transaction.
                connection.terminate()
                self._end_idle()
                raise
            # Only after success, so that a connection that failed is never lent again.
            self._idle.append(connection)
        finally:
            self._free.release()

    async def require_reachable(self, patience_s: float) -> None:
        """Connect once, for a node that starts. Waits while the server starts, stops or is full.

        Raises StartupRefusedError, immediately if waiting does not help (see `refusal`).
        """
        give_up = asyncio.get_running_loop().time() + patience_s
        while True:
            try:
                async with self.lend(CONNECT_TIMEOUT_S):
                    return
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
                refused = refusal(error, self._address)
                if refused is None and asyncio.get_running_loop().time() >= give_up:
                    why = f"does not take connections ({description(error)}): it is starting, stopping or full."
                    refused = StartupRefusedError(SETTING, f"PostgreSQL at {self._address.shown} {why}")
            # Raised outside of the handler, since the context's text may name the role.
            if refused is not None:
                raise refused
            await asyncio.sleep(START_PAUSE_S)

    async def close(self) -> None:
        """End the idle connections. Callers check `closed` before they request another."""
        self.closed = True
        for connection in self._idle:
            with contextlib.suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await connection.close(timeout=ANSWER_GRACE_S)
        self._idle.clear()

    async def _connected(self) -> Connection:
        while self._idle:
            connection = self._idle.pop()
            # A restart or an operator may have closed it while it was idle.
            if not connection.is_closed():
                return connection
        address = self._address
        # Every parameter is explicit, so none is read from the environment or a home directory.
        return await asyncpg.connect(
            host=address.host,
            port=address.port,
            user=address.user,
            password=address.password,
            database=address.database,
            ssl=address.tls or False,
            # Without these asyncpg reads environment variables, such as PGSSLNEGOTIATION.
            target_session_attrs=SessionAttribute.any,
            direct_tls=False,
            krbsrvname="postgres",
            gsslib="gssapi",
            timeout=CONNECT_TIMEOUT_S,
            command_timeout=STATEMENT_TIMEOUT_S + ANSWER_GRACE_S,
            server_settings={
                "application_name": APPLICATION_NAME,
                "statement_timeout": _milliseconds(STATEMENT_TIMEOUT_S),
                "lock_timeout": _milliseconds(LOCK_TIMEOUT_S),
                "idle_in_transaction_session_timeout": _milliseconds(IDLE_IN_TRANSACTION_TIMEOUT_S),
                "default_transaction_isolation": "read committed",
                # A role's or database's default could confirm a commit before it is flushed.
                "synchronous_commit": "on",
            },
        )

    def _end_idle(self) -> None:
        for connection in self._idle:
            connection.terminate()
        self._idle.clear()


def _milliseconds(seconds: float) -> str:
    return str(max(1, round(seconds * 1000)))

"""What a failure of the server, or of the way to it, means for the one who asked. Pure."""

from typing import Final

from asyncpg import exceptions

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
    exceptions.UniqueViolationError,  # somebody else was first: seen when it is done again
)


def is_transient(error: BaseException) -> bool:
    """Whether the same transaction, done again, may succeed once the server is back or the others are through."""
    return isinstance(error, _TRANSIENT) and not isinstance(error, exceptions.DataError)


def description(error: BaseException) -> str:
    """The kind of failure for the log: no message, which may hold values, names of users, or addresses."""
    state = getattr(error, "sqlstate", None)
    return f"{type(error).__name__} ({state})" if isinstance(state, str) else type(error).__name__

"""Failures of the database that a node's components share."""

from node.errors import DomainError


class DatabaseUnavailableError(DomainError):
    """The database cannot be reached. The same call may be repeated after `retry_after_s`."""

    def __init__(self, retry_after_s: int, message: str = "The database cannot be reached.") -> None:
        super().__init__(message, retry_after_s=retry_after_s)


class StatementRefusedError(DomainError):
    """The database refused a statement for a reason that no repetition cures; `why` names no value."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The database could not do this: {why}.")

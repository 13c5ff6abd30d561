"""Failures of the database that a node's components share."""

from node.errors import ErrorCode, NodeError


class DatabaseUnavailableError(NodeError):
    """The database cannot be reached. The same call may be repeated after `retry_after_s`."""

    def __init__(self, retry_after_s: int, message: str = "The database cannot be reached.") -> None:
        fix = "Try again after `Retry-After` seconds."
        super().__init__(ErrorCode.BILLING_UNAVAILABLE, message, fix=fix, retry_after_s=retry_after_s)


class StatementRefusedError(NodeError):
    """The database refused a statement for a reason that no repetition cures; `why` names no value."""

    def __init__(self, why: str) -> None:
        message, fix = f"The database could not do this: {why}.", "Tell the operator of the node."
        super().__init__(ErrorCode.INTERNAL_ERROR, message, fix=fix)

"""Outages of the database where money is the matter."""

from collections.abc import Iterator
from contextlib import contextmanager

from node.database.errors import DatabaseUnavailableError
from node.database.port import RETRY_AFTER_S
from node.ledger.errors import LedgerUnavailableError


@contextmanager
def raised_as_ledger_outage() -> Iterator[None]:
    """Raise LedgerUnavailableError in place of DatabaseUnavailableError."""
    try:
        yield
    except DatabaseUnavailableError as error:
        raise LedgerUnavailableError(error.retry_after_s or RETRY_AFTER_S) from None

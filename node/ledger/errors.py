"""Failures of the ledger: too little credit, misused reservations, a database out of reach."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from pydantic import JsonValue

from node.database.port import RETRY_AFTER_S, Database, DatabaseUnavailableError, Row, Statement, whole
from node.errors import DomainError
from node.ledger.port import MICRODOLLARS_PER_CENT


class PaymentRequiredError(DomainError):
    """A reservation needs more than the account, or the usage key, may spend."""


class InsufficientCreditError(PaymentRequiredError):
    """The account has less unreserved credit than a reservation needs."""

    def __init__(self, needed_microdollars: int, available_microdollars: int) -> None:
        details = _details("account", needed_microdollars, available_microdollars)
        super().__init__("The account has not enough credit.", details=details)


class SpendingCapReachedError(PaymentRequiredError):
    """The usage key's lifetime cap allows less than a reservation needs."""

    def __init__(self, needed_microdollars: int, available_microdollars: int, cap_left_microdollars: int) -> None:
        details = _details("usage_key", needed_microdollars, available_microdollars)
        details["cap_left_cents"] = max(0, cap_left_microdollars) // MICRODOLLARS_PER_CENT
        super().__init__("This usage key has reached its spending cap.", details=details)


class ReservationMissingError(DomainError):
    """A cause that is not reserved, or has ended, cannot be extended."""

    def __init__(self) -> None:
        super().__init__("A reservation that does not exist cannot be extended.")


class NegativeAmountError(DomainError):
    """An amount to reserve or settle is below zero."""

    def __init__(self) -> None:
        super().__init__("The ledger takes no negative amount.")


class LedgerUnavailableError(DomainError):
    """The ledger's database cannot be reached. The call may be repeated after `retry_after_s`."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__("The ledger's database cannot be reached.", retry_after_s=retry_after_s)


class LedgerInconsistentError(DomainError):
    """The entries of a book do not add up to its balance."""


def _details(scope: str, needed_microdollars: int, available_microdollars: int) -> dict[str, JsonValue]:
    # Needed credit is rounded up and available credit down, so paying the difference is enough.
    return {
        "scope": scope,
        "needed_cents": -(-needed_microdollars // MICRODOLLARS_PER_CENT),
        "credit_cents": available_microdollars // MICRODOLLARS_PER_CENT,
    }


@contextmanager
def raised_as_ledger_outage() -> Iterator[None]:
    """Raises LedgerUnavailableError in place of DatabaseUnavailableError."""
    try:
        yield
    except DatabaseUnavailableError as error:
        raise LedgerUnavailableError(error.retry_after_s or RETRY_AFTER_S) from None


_CHARGED: Final = "SELECT amount_microdollars FROM ledger_entry WHERE cause = ?"


class BooksDatabase:
    """`Database` for billing. Raises LedgerUnavailableError in place of DatabaseUnavailableError.

    `database` is for components that have nothing to do with money.
    """

    def __init__(self, database: Database) -> None:
        self.database = database

    async def migrate(self, component: str, steps: Sequence[str]) -> None:
        """See `Database.migrate`."""
        with raised_as_ledger_outage():
            await self.database.migrate(component, steps)

    async def execute(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """See `Database.execute`."""
        with raised_as_ledger_outage():
            return await self.database.execute(*statements)

    async def read(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """See `Database.read`."""
        with raised_as_ledger_outage():
            return await self.database.read(*statements)

    async def charged(self, cause: str) -> int:
        """See `Ledger.charged`."""
        (found,) = await self.read(Statement(_CHARGED, (cause,)))
        return whole(found[0][0]) if found else 0

"""Failures of the ledger: missing credit, misuse of reservations, an unreachable or inconsistent ledger."""

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
    """No amount that is reserved or settled is below zero."""

    def __init__(self) -> None:
        super().__init__("The ledger takes no negative amount.")


class LedgerUnavailableError(DomainError):
    """The ledger's database cannot be reached. The same call may be repeated after `retry_after_s`."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__("The ledger's database cannot be reached.", retry_after_s=retry_after_s)


class LedgerInconsistentError(DomainError):
    """The entries of a book do not add up to its balance."""


def _details(scope: str, needed_microdollars: int, available_microdollars: int) -> dict[str, JsonValue]:
    # The needed part is rounded up, the rest down: who pays the difference can then make the call.
    return {
        "scope": scope,
        "needed_cents": -(-needed_microdollars // MICRODOLLARS_PER_CENT),
        "credit_cents": available_microdollars // MICRODOLLARS_PER_CENT,
    }


@contextmanager
def raised_as_ledger_outage() -> Iterator[None]:
    """Raise LedgerUnavailableError in place of DatabaseUnavailableError."""
    try:
        yield
    except DatabaseUnavailableError as error:
        raise LedgerUnavailableError(error.retry_after_s or RETRY_AFTER_S) from None


_CHARGED: Final = "SELECT amount_microdollars FROM ledger_entry WHERE cause = ?"


class BooksDatabase:
    """`Database` as billing has it beside the ledger: its outages are the ledger's, since money is the matter.

    `database` is for components that have nothing to do with money.
    """

    def __init__(self, database: Database) -> None:
        self.database = database

    async def migrate(self, component: str, steps: Sequence[str]) -> None:
        """As `Database` says."""
        with raised_as_ledger_outage():
            await self.database.migrate(component, steps)

    async def execute(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """As `Database` says."""
        with raised_as_ledger_outage():
            return await self.database.execute(*statements)

    async def read(self, *statements: Statement) -> Sequence[Sequence[Row]]:
        """As `Database` says."""
        with raised_as_ledger_outage():
            return await self.database.read(*statements)

    async def charged(self, cause: str) -> int:
        """As `Ledger` says."""
        (found,) = await self.read(Statement(_CHARGED, (cause,)))
        return whole(found[0][0]) if found else 0

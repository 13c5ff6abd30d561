"""Credit that the operator gave, or took, by hand at the processor. Each change enters the ledger once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from node.billing.payments.metrics import PaymentMetrics
from node.billing.payments.tables import select, text, text_or_none, whole
from node.database.port import Statement
from node.ledger.port import MICRODOLLARS_PER_CENT, Posting, Postings, Source
from node.processor.port import BalanceTransaction, CardProcessor, Fault, ProcessorError

_log = structlog.get_logger(__name__)

CUSTOMERS_PER_SWEEP: Final = 20
"""Customers looked at in one sweep, longest not looked at first: one call each."""
CHANGED_CUSTOMERS_PER_SWEEP: Final = 200
"""Customers looked at in one sweep whose balance changed, by an event."""

_CUSTOMER: Final = "SELECT account, customer, seen_transaction, changed FROM payments_customer"


@dataclass(frozen=True, slots=True)
class _Customer:
    account: str
    customer: str
    seen_transaction: str | None
    changed: int


class OperatorCredit:
    """Looks at customers' balances for changes that we did not make. `unix` is unix time in seconds."""

    def __init__(
        self,
        database: Postings,
        processor: CardProcessor,
        metrics: PaymentMetrics,
        unix: Callable[[], float],
    ) -> None:
        self._database = database
        self._processor = processor
        self._metrics = metrics
        self._unix = unix

    async def import_some(self) -> None:
        """Look at customers whose balance changed, then at those not looked at for longest. Our own changes make events too.

        Raises ProcessorError, and LedgerUnavailableError.
        """
        changed = f"{_CUSTOMER} WHERE changed > 0 AND customer IS NOT NULL ORDER BY looked_at_s, account LIMIT ?"
        await self._look_at(changed, CHANGED_CUSTOMERS_PER_SWEEP)
        next_in_turn = f"{_CUSTOMER} WHERE customer IS NOT NULL ORDER BY looked_at_s, account LIMIT ?"
        await self._look_at(next_in_turn, CUSTOMERS_PER_SWEEP)

    async def _look_at(self, which: str, most: int) -> None:
        for account, customer, seen, changed in await select(self._database, which, most):
            await self._import(_Customer(text(account), text(customer), text_or_none(seen), whole(changed)))

    async def _import(self, customer: _Customer) -> None:
        seen = customer.seen_transaction
        for change in await self._changes(customer):
            seen = change.id
            # A change with a cause is the node's own, sent from the outbox.
            if change.cause is None and change.amount_cents:
                await self._grant(customer, change)
        sql = """
            UPDATE payments_customer SET seen_transaction = ?, looked_at_s = ?,
            changed = CASE WHEN changed = ? THEN 0 ELSE changed END WHERE account = ? AND customer = ?
        """
        values = (seen, int(self._unix()), customer.changed, customer.account, customer.customer)
        await self._database.execute(Statement(sql, values))

    async def _changes(self, customer: _Customer) -> Sequence[BalanceTransaction]:
        """Return new changes of a customer. One that the processor does not show (deleted, say) must not stop the others."""
        try:
            return await self._processor.balance_transactions(customer.customer, customer.seen_transaction)
        except ProcessorError as error:
            if error.fault not in {Fault.NOT_FOUND, Fault.REFUSED}:
                raise
            _log.error("customer_refused", customer=customer.customer, fault=str(error.fault), reason=error.reason)
            return ()

    async def _grant(self, customer: _Customer, change: BalanceTransaction) -> None:
        """Post it in one transaction with the note that the processor has it: else the balance sync would send it back."""
        credit_cents = -change.amount_cents
        account, amount = int(customer.account, 16), credit_cents * MICRODOLLARS_PER_CENT
        posting = Posting(f"processor_grant:{change.id}", account, Source.PROCESSOR_GRANT, amount)
        known = Statement(
            "INSERT INTO payments_grant (grant_id, account, cents) VALUES (?, ?, ?) ON CONFLICT (grant_id) DO NOTHING",
            (change.id, customer.account, credit_cents),
        )
        if await self._database.post(posting, known):
            self._metrics.posted(posting.cause)

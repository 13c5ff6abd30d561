"""Credit that the operator gave, or took, by hand at the processor: it enters the ledger once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from node.billing.payments.limits import PaymentLimits
from node.billing.payments.metrics import PaymentMetrics
from node.billing.payments.rows import select, text, text_or_none, whole
from node.database.port import Statement
from node.ledger.port import MICRODOLLARS_PER_CENT, Posting, Postings, Source
from node.processor.port import BalanceTransaction, CardProcessor, Fault, ProcessorError

_log = structlog.get_logger(__name__)

_CUSTOMER: Final = "SELECT account, customer, seen_transaction, changed FROM payments_customer"


@dataclass(frozen=True, slots=True)
class _Customer:
    account: str
    customer: str
    seen_transaction: str | None
    changed: int


class Grants:
    """Looks at customers' balances for changes that we did not make. `clock` is unix time in seconds."""

    def __init__(
        self,
        books: Postings,
        processor: CardProcessor,
        metrics: PaymentMetrics,
        limits: PaymentLimits,
        clock: Callable[[], float],
    ) -> None:
        self._books = books
        self._processor = processor
        self._metrics = metrics
        self._limits = limits
        self._clock = clock

    async def import_some(self) -> None:
        """Those whose balance changed, then those not looked at for longest; both in turn: our own changes count as well.

        Raises ProcessorError, and NodeError `billing_unavailable`.
        """
        changed = f"{_CUSTOMER} WHERE changed > 0 AND customer IS NOT NULL ORDER BY looked_at_s, account LIMIT ?"
        await self._look_at(changed, self._limits.sweep_changed_customers)
        next_in_turn = f"{_CUSTOMER} WHERE customer IS NOT NULL ORDER BY looked_at_s, account LIMIT ?"
        await self._look_at(next_in_turn, self._limits.sweep_customers)

    async def _look_at(self, which: str, most: int) -> None:
        for account, customer, seen, changed in await select(self._books, which, most):
            await self._import(_Customer(text(account), text(customer), text_or_none(seen), whole(changed)))

    async def _import(self, customer: _Customer) -> None:
        seen = customer.seen_transaction
        for change in await self._changes(customer):
            seen = change.id
            if change.cause is None and change.amount_cents:
                await self._grant(customer, change)
        sql = """
            UPDATE payments_customer SET seen_transaction = ?, looked_at_s = ?,
            changed = CASE WHEN changed = ? THEN 0 ELSE changed END WHERE account = ? AND customer = ?
        """
        values = (seen, int(self._clock()), customer.changed, customer.account, customer.customer)
        await self._books.execute(Statement(sql, values))

    async def _changes(self, customer: _Customer) -> Sequence[BalanceTransaction]:
        """None of a customer that the processor does not show, deleted there for one: it keeps no other waiting."""
        try:
            return await self._processor.balance_transactions(customer.customer, customer.seen_transaction)
        except ProcessorError as error:
            if error.fault not in {Fault.NOT_FOUND, Fault.REFUSED}:
                raise
            _log.error("customer_refused", customer=customer.customer, fault=str(error.fault), reason=error.reason)
            return ()

    async def _grant(self, customer: _Customer, change: BalanceTransaction) -> None:
        """In one transaction with the note that the processor knows of it: else the mirror would tell it again."""
        credit_cents = -change.amount_cents
        account, amount = int(customer.account, 16), credit_cents * MICRODOLLARS_PER_CENT
        posting = Posting(f"processor_grant:{change.id}", account, Source.PROCESSOR_GRANT, amount)
        known = Statement(
            "INSERT INTO payments_grant (grant_id, account, cents) VALUES (?, ?, ?) ON CONFLICT (grant_id) DO NOTHING",
            (change.id, customer.account, credit_cents),
        )
        if await self._books.post(posting, known):
            self._metrics.posted(posting.cause)

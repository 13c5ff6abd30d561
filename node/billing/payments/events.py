"""What the processor tells of, by webhook or when asked: one handler for both."""

from collections.abc import Callable

import structlog

from node.billing.payments.reversals import Reversal
from node.billing.payments.rows import select
from node.billing.payments.settling import Settling
from node.database.port import Database, Statement
from node.processor.port import (
    CustomerBalanceChanged,
    DisputeChanged,
    Event,
    PaymentChanged,
    RefundChanged,
)

_log = structlog.get_logger(__name__)


class EventHandler:
    """Handles each event once; told of it again, or of the same thing by another event, nothing changes.

    `clock` is unix time in seconds.
    """

    def __init__(self, books: Database, settling: Settling, clock: Callable[[], float]) -> None:
        self._books = books
        self._settling = settling
        self._clock = clock

    async def handle(self, event: Event) -> None:
        """What follows from the event is durable when this returns. Raises NodeError `billing_unavailable`."""
        if event.change is None:
            return
        if isinstance(event.change, CustomerBalanceChanged):
            await self._look_at(event.change.customer)
            return
        if await select(self._books, "SELECT 1 FROM payments_event WHERE event = ?", event.id):
            return
        await self.apply(event.change)
        sql = "INSERT INTO payments_event (event, handled_s) VALUES (?, ?) ON CONFLICT (event) DO NOTHING"
        await self._books.execute(Statement(sql, (event.id, int(self._clock()))))

    async def forget(self, handled_before_s: float) -> None:
        """Forget which events were handled before (unix seconds): the processor tells of them no more."""
        sql = "DELETE FROM payments_event WHERE handled_s < ?"
        await self._books.execute(Statement(sql, (int(handled_before_s),)))

    async def _look_at(self, customer: str) -> None:
        """By the next sweep: no request waits for the processor. The event is not remembered: told again it does no harm."""
        sql = "UPDATE payments_customer SET changed = changed + 1 WHERE customer = ?"
        await self._books.execute(Statement(sql, (customer,)))

    async def apply(self, change: PaymentChanged | RefundChanged | DisputeChanged) -> None:
        """The same for what no event told of. Raises NodeError `billing_unavailable`."""
        try:
            await self._apply(change)
        except ValueError as error:
            # The ledger keeps what it was told first; told again the processor would say the same again.
            _log.error("processor_contradicts_itself", change=type(change).__name__, reason=str(error))

    async def _apply(self, change: PaymentChanged | RefundChanged | DisputeChanged) -> None:
        match change:
            case PaymentChanged(intent):
                await self._settling.payment(intent)
            case RefundChanged():
                await self._settling.reversal(_refund(change), change.intent)
            case DisputeChanged():
                await self._settling.reversal(_dispute(change), change.intent)


def _refund(change: RefundChanged) -> Reversal:
    kind = "refund" if change.takes_back else "refund_failed"
    return Reversal(f"{kind}:{change.refund}", change.refund, change.amount_cents, change.takes_back)


def _dispute(change: DisputeChanged) -> Reversal:
    kind = "dispute" if change.takes_back else "dispute_won"
    return Reversal(f"{kind}:{change.dispute}", change.dispute, change.amount_cents, change.takes_back)

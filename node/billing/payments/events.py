"""Events of the processor: signed webhook calls, and events that the sweep lists. One handler for both."""

from collections.abc import Callable

import structlog

from node.api.errors import ErrorCode, NodeError
from node.billing.payments.settlement import PaymentMetrics, Reversal, Settlement
from node.billing.payments.tables import select
from node.database.port import Database, Statement
from node.processor.port import (
    WEBHOOK_MAX_BYTES,
    CardProcessor,
    CustomerBalanceChanged,
    DisputeChanged,
    Event,
    Fault,
    PaymentChanged,
    ProcessorError,
    RefundChanged,
)

_log = structlog.get_logger(__name__)


class EventHandler:
    """Handles each event once. A repeated event, or another one of the same change, has no effect.

    `unix` is unix time in seconds.
    """

    def __init__(self, database: Database, settlement: Settlement, unix: Callable[[], float]) -> None:
        self._database = database
        self.settlement = settlement
        self._unix = unix

    async def handle(self, event: Event) -> None:
        """Handle an event; its effects are durable when this returns. Raises LedgerUnavailableError."""
        if event.change is None:
            return
        if isinstance(event.change, CustomerBalanceChanged):
            # The next sweep looks at the customer: no webhook call waits for the processor.
            # Counted, not flagged: a change that comes during a look must cause another one.
            # Not noted as handled, since another look does no harm.
            sql = "UPDATE payments_customer SET changed = changed + 1 WHERE customer = ?"
            await self._database.execute(Statement(sql, (event.change.customer,)))
            return
        if await select(self._database, "SELECT 1 FROM payments_event WHERE event = ?", event.id):
            return
        # Applied before it is noted: a crash in between applies it again, which changes nothing.
        await self.apply(event.change)
        sql = "INSERT INTO payments_event (event, handled_s) VALUES (?, ?) ON CONFLICT (event) DO NOTHING"
        await self._database.execute(Statement(sql, (event.id, int(self._unix()))))

    async def forget(self, handled_before_s: float) -> None:
        """Forget events that were handled before (unix seconds): the processor no longer lists them."""
        sql = "DELETE FROM payments_event WHERE handled_s < ?"
        await self._database.execute(Statement(sql, (int(handled_before_s),)))

    async def apply(self, change: PaymentChanged | RefundChanged | DisputeChanged) -> None:
        """Apply a change that was listed without an event. Raises LedgerUnavailableError."""
        try:
            match change:
                case PaymentChanged(intent):
                    await self.settlement.payment(intent)
                case RefundChanged():
                    await self.settlement.reversal(_refund(change), change.intent)
                case DisputeChanged():
                    await self.settlement.reversal(_dispute(change), change.intent)
        except ValueError as error:
            # The ledger keeps the first report; asked again, the processor would repeat the second.
            _log.error("processor_contradicts_itself", change=type(change).__name__, reason=str(error))


class Webhook:
    """Endpoint that the processor calls. Unsigned calls are refused before anything is read."""

    def __init__(self, processor: CardProcessor, events: EventHandler, metrics: PaymentMetrics) -> None:
        self._processor = processor
        self._events = events
        self._metrics = metrics

    async def receive(self, payload: bytes, signature: str) -> None:
        """Handle the event in `payload`. Returns once it is durable: until then the processor calls again.

        Raises NodeError `payload_too_large`, `bad_request` (no signature of the processor's, or no event), and
        LedgerUnavailableError.
        """
        # Before the HMAC: an unsigned caller must not decide how much is hashed.
        if len(payload) > WEBHOOK_MAX_BYTES:
            self._metrics.webhook("too_large")
            raise NodeError(ErrorCode.PAYLOAD_TOO_LARGE, f"A webhook call has at most {WEBHOOK_MAX_BYTES} bytes.")
        try:
            event = self._processor.event(payload, signature)
        except ProcessorError as error:
            raise self._refusal(error) from None
        # The metric comes after it: an event counts as accepted once it is durable, which is what 200 promises.
        await self._events.handle(event)
        self._metrics.webhook("accepted")

    def _refusal(self, error: ProcessorError) -> NodeError:
        if error.fault is Fault.BAD_SIGNATURE:
            self._metrics.webhook("bad_signature")
            return NodeError(
                ErrorCode.BAD_REQUEST,
                "The card processor did not sign this call, or signed it too long ago.",
                fix="Only the card processor calls here. Operators: compare the signing secret of the webhook.",
            )
        self._metrics.webhook("unreadable")
        _log.error("webhook_unreadable", reason=error.reason)
        return NodeError(
            ErrorCode.BAD_REQUEST,
            "This is no event of the card processor that can be read.",
            fix="Operators: compare the API version of the webhook with docs/billing.md.",
        )


def _refund(change: RefundChanged) -> Reversal:
    kind = "refund" if change.takes_back else "refund_failed"
    return Reversal(f"{kind}:{change.refund}", change.refund, change.amount_cents, change.takes_back)


def _dispute(change: DisputeChanged) -> Reversal:
    kind = "dispute" if change.takes_back else "dispute_won"
    return Reversal(f"{kind}:{change.dispute}", change.dispute, change.amount_cents, change.takes_back)

"""Events of the processor, from signed webhook calls and from the sweep's list."""

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
    """Handles each event once. A repetition, or another event of the same change, does nothing.

    `unix` returns unix time in seconds.
    """

    def __init__(self, database: Database, settlement: Settlement, unix: Callable[[], float]) -> None:
        self._database = database
        self.settlement = settlement
        self._unix = unix

    async def handle(self, event: Event) -> None:
        """Handles an event durably. Raises LedgerUnavailableError."""
        if event.change is None:
            return
        if isinstance(event.change, CustomerBalanceChanged):
            # The next sweep reads the customer, so that no webhook call waits for the processor.
            # A counter, since a change during that read must cause another one. Not stored as
            # handled, since another read does no harm.
            sql = "UPDATE payments_customer SET changed = changed + 1 WHERE customer = ?"
            await self._database.execute(Statement(sql, (event.change.customer,)))
            return
        if await select(self._database, "SELECT 1 FROM payments_event WHERE event = ?", event.id):
            return
        # Applied before it is stored. A crash in between applies it again without effect.
        await self.apply(event.change)
        sql = "INSERT INTO payments_event (event, handled_s) VALUES (?, ?) ON CONFLICT (event) DO NOTHING"
        await self._database.execute(Statement(sql, (event.id, int(self._unix()))))

    async def forget(self, handled_before_s: float) -> None:
        """Removes events handled before (unix seconds), which the processor no longer lists."""
        sql = "DELETE FROM payments_event WHERE handled_s < ?"
        await self._database.execute(Statement(sql, (int(handled_before_s),)))

    async def apply(self, change: PaymentChanged | RefundChanged | DisputeChanged) -> None:
        """Applies a change that was listed without an event. Raises LedgerUnavailableError."""
        try:
            match change:
                case PaymentChanged(intent):
                    await self.settlement.payment(intent)
                case RefundChanged():
                    kind = "refund" if change.takes_back else "refund_failed"
                    refund = Reversal(f"{kind}:{change.refund}", change.refund, change.amount_cents, change.takes_back)
                    await self.settlement.reversal(refund, change.intent)
                case DisputeChanged():
                    kind = "dispute" if change.takes_back else "dispute_won"
                    dispute = Reversal(
                        f"{kind}:{change.dispute}", change.dispute, change.amount_cents, change.takes_back
                    )
                    await self.settlement.reversal(dispute, change.intent)
        except ValueError as error:
            # The ledger keeps the first report. The processor would only repeat the second.
            _log.error("processor_contradicts_itself", change=type(change).__name__, reason=str(error))


class Webhook:
    """Receiver of webhook calls. Unsigned calls are refused before they are parsed."""

    def __init__(self, processor: CardProcessor, events: EventHandler, metrics: PaymentMetrics) -> None:
        self._processor = processor
        self._events = events
        self._metrics = metrics

    async def receive(self, payload: bytes, signature: str) -> None:
        """Handles the event in `payload` durably. Without a 200 the processor calls again.

        Raises NodeError `payload_too_large`, `bad_request` (not signed by the processor, or no
        event), and LedgerUnavailableError.
        """
        # Before the HMAC, since an unsigned caller must not decide how much is hashed.
        if len(payload) > WEBHOOK_MAX_BYTES:
            self._metrics.webhook("too_large")
            raise NodeError(ErrorCode.PAYLOAD_TOO_LARGE, f"A webhook call has at most {WEBHOOK_MAX_BYTES} bytes.")
        try:
            event = self._processor.event(payload, signature)
        except ProcessorError as error:
            raise self._refusal(error) from None
        # The metric comes after it, since a 200 promises that the event is durable.
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

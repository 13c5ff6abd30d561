"""The processor's calls: signed by it, and answered only when what they tell is durable."""

import structlog

from node.billing.payments.events import EventHandler
from node.billing.payments.metrics import PaymentMetrics
from node.errors import ErrorCode, NodeError
from node.processor.port import CardProcessor, Fault, ProcessorError

_log = structlog.get_logger(__name__)


class Webhook:
    """What the processor calls; whoever else does is turned away before anything is read."""

    def __init__(self, processor: CardProcessor, events: EventHandler, metrics: PaymentMetrics, max_bytes: int) -> None:
        self._processor = processor
        self._events = events
        self._metrics = metrics
        self._max_bytes = max_bytes

    async def receive(self, payload: bytes, signature: str) -> None:
        """Handle the event in `payload`. Returns when it is durable: until then the processor is to call again.

        Raises NodeError `payload_too_large`, `bad_request` (no signature of the processor's, or no event),
        `billing_unavailable`.
        """
        if len(payload) > self._max_bytes:
            self._metrics.webhook("too_large")
            raise NodeError(ErrorCode.PAYLOAD_TOO_LARGE, f"A webhook call has at most {self._max_bytes} bytes.")
        try:
            event = self._processor.event(payload, signature)
        except ProcessorError as error:
            raise self._refusal(error) from None
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

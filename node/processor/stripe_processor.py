"""Stripe as the card processor, through its own library."""

import ssl
from collections.abc import Sequence
from typing import Final

import stripe
import structlog
from pydantic import BaseModel
from stripe.params import CustomerCreateParams

from node.processor.events import LISTED_TYPES, disputes_of, event_of, parse_event, refund_of, require_signed
from node.processor.exchange import CircuitBreaker, Exchange, Listings
from node.processor.keys import ProcessorKeys
from node.processor.port import (
    WEBHOOK_MAX_BYTES,
    BalanceTransaction,
    Customer,
    DisputeChanged,
    Event,
    Fault,
    PaymentIntent,
    ProcessorError,
    RefundChanged,
)
from node.processor.shapes import (
    API_VERSION,
    CAUSE,
    CURRENCY,
    PAYMENT,
    SERVICE,
    AnyCustomerShape,
    BalanceTransactionShape,
    CustomerShape,
    EventShape,
    IntentShape,
    ListShape,
    TakenBackShape,
    customer_of,
    intent_of,
    metadata_of_account,
    transaction_of,
)
from node.processor.transport import BoundedClient, silence_library
from node.runtime.clock import Clock

CHECK_TIMEOUT_S: Final = 10.0
"""Time-out of each call of the check at the start."""
REPETITIONS: Final = 2
"""Repetitions after no response, a 409 or a 5xx, half a second to five seconds apart."""

_log = structlog.get_logger(__name__)


_CUSTOMERS: Final = "/v1/customers"
_INTENTS: Final = "/v1/payment_intents"
_EVENTS: Final = "/v1/events"
_REFUNDS: Final = "/v1/refunds"
_DISPUTES: Final = "/v1/disputes"
_READ: Final[Sequence[tuple[str, type[BaseModel]]]] = (
    (_CUSTOMERS, ListShape[CustomerShape]),
    (_INTENTS, ListShape[IntentShape]),
    (_EVENTS, ListShape[EventShape]),
    (_REFUNDS, ListShape[TakenBackShape]),
    (_DISPUTES, ListShape[TakenBackShape]),
)
"""Lists that the node reads. Its key must be allowed to."""


class StripeProcessor:
    """Implements CardProcessor with Stripe. Make it inside the event loop, and `close` it.

    `service` names this deployment (`shapes.service_name`); objects of others are not ours. `trust`
    has the certificate authorities that TLS trusts, the built-in ones by default.
    """

    def __init__(
        self,
        keys: ProcessorKeys,
        service: str,
        *,
        clock: Clock | None = None,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        silence_library()
        self._keys = keys
        self._service = service
        self._clock = clock or Clock()
        self._breaker = CircuitBreaker(self._clock.monotonic)
        self._exchange = Exchange(self._breaker)
        self._http = BoundedClient(self._clock, trust)
        client = stripe.StripeClient(
            keys.secret_key,
            stripe_version=API_VERSION,
            base_addresses={"api": keys.url.rstrip("/")},
            # The library repeats a call with its Idempotency-Key, so that nothing is done twice.
            max_network_retries=REPETITIONS,
            http_client=self._http,
        )
        self._v1 = client.v1
        self._listings = Listings(client, self._exchange)

    @property
    def publishable_key(self) -> str:
        """See `CardProcessor.publishable_key`."""
        return self._keys.publishable_key

    @property
    def problem(self) -> str | None:
        """Problem for health, from the calls that were made."""
        return self._breaker.problem

    async def check(self) -> None:
        """See `CardProcessor.check`. The key must be allowed to read all that is read here."""
        for path, shape in _READ:
            await self._listings.require_readable(path, shape, CHECK_TIMEOUT_S)

    async def create_customer(self, account: int, email: str | None, idempotency_key: str) -> Customer:
        """See `CardProcessor.create_customer`."""
        asked: CustomerCreateParams = {"metadata": metadata_of_account(self._service, account)}
        if email is not None:
            asked["email"] = email
        shape = await self._exchange.ask(
            lambda: self._v1.customers.create_async(asked, {"idempotency_key": idempotency_key}), CustomerShape
        )
        return customer_of(shape, self._service)

    async def customers_since(self, created_s: int) -> Sequence[Customer]:
        """See `CardProcessor.customers_since`. The oldest come first."""
        shapes = await self._listings.since(_CUSTOMERS, created_s, ListShape[CustomerShape])
        customers = [customer_of(shape, self._service) for shape in shapes]
        # The operator's other customers are listed too, since businesses may share an account.
        return [customer for customer in customers if customer.account is not None]

    async def is_deleted(self, customer: str) -> bool:
        """See `CardProcessor.is_deleted`."""
        shape = await self._exchange.ask(lambda: self._v1.customers.retrieve_async(customer), AnyCustomerShape)
        return shape.deleted

    async def create_intent(
        self,
        customer: str,
        account: int,
        payment: str,
        amount_cents: int,
        idempotency_key: str,
        description: str = "Credit",
    ) -> PaymentIntent:
        """See `CardProcessor.create_intent`."""
        written = {**metadata_of_account(self._service, account), PAYMENT: payment}
        shape = await self._exchange.ask(
            lambda: self._v1.payment_intents.create_async(
                {
                    "amount": amount_cents,
                    "currency": CURRENCY,
                    "customer": customer,
                    "allowed_payment_method_types": list(self._keys.methods),
                    "metadata": written,
                    # Stripe shows it to the holder of the client secret, unlike metadata.
                    "description": description,
                },
                {"idempotency_key": idempotency_key},
            ),
            IntentShape,
        )
        return intent_of(shape, self._service)

    async def intent(self, intent: str) -> PaymentIntent:
        """See `CardProcessor.intent`."""
        shape = await self._exchange.ask(lambda: self._v1.payment_intents.retrieve_async(intent), IntentShape)
        return intent_of(shape, self._service)

    async def cancel_intent(self, intent: str) -> PaymentIntent:
        """Cancels at the processor (https://docs.stripe.com/api/payment_intents/cancel)."""
        shape = await self._exchange.ask(
            lambda: self._v1.payment_intents.cancel_async(intent, {"cancellation_reason": "abandoned"}), IntentShape
        )
        return intent_of(shape, self._service)

    async def intents_since(self, created_s: int) -> Sequence[PaymentIntent]:
        """See `CardProcessor.intents_since`. The oldest come first."""
        shapes = await self._listings.since(_INTENTS, created_s, ListShape[IntentShape])
        return [intent_of(shape, self._service) for shape in shapes]

    async def refunds_since(self, created_s: int) -> Sequence[RefundChanged]:
        """See `CardProcessor.refunds_since`."""
        found = map(refund_of, await self._listings.since(_REFUNDS, created_s, ListShape[TakenBackShape]))
        return [refund for refund in found if refund is not None]

    async def disputes_since(self, created_s: int) -> Sequence[DisputeChanged]:
        """See `CardProcessor.disputes_since`."""
        return [
            change
            for shape in await self._listings.since(_DISPUTES, created_s, ListShape[TakenBackShape])
            for change in disputes_of(shape)
        ]

    async def add_to_balance(
        self, customer: str, amount_cents: int, cause: str, idempotency_key: str
    ) -> BalanceTransaction:
        """See `CardProcessor.add_to_balance`."""
        shape = await self._exchange.ask(
            lambda: self._v1.customers.balance_transactions.create_async(
                customer,
                {
                    "amount": amount_cents,
                    "currency": CURRENCY,
                    "metadata": {SERVICE: self._service, CAUSE: cause},
                },
                {"idempotency_key": idempotency_key},
            ),
            BalanceTransactionShape,
        )
        return transaction_of(shape)

    async def balance_transactions(self, customer: str, after: str | None = None) -> Sequence[BalanceTransaction]:
        """See `CardProcessor.balance_transactions`. Changes in other currencies are left out."""
        if after is None:
            shapes = await self._listings.balance_transactions(customer)
        else:
            shapes = await self._listings.later_balance_transactions(customer, after)
        return [transaction_of(shape) for shape in shapes if shape.currency == CURRENCY]

    async def events_since(self, created_s: int) -> Sequence[Event]:
        """See `CardProcessor.events_since`."""
        return [
            self._listed(shape)
            for shape in await self._listings.since(_EVENTS, created_s, ListShape[EventShape], types=list(LISTED_TYPES))
        ]

    def _listed(self, shape: EventShape) -> Event:
        """Returns an event, without a change if unreadable, since it would block all later ones."""
        try:
            return event_of(shape, self._service, live=self._keys.live)
        except ProcessorError as error:
            _log.error("event_unreadable", event_id=shape.id, reason=error.reason)
            return Event(shape.id, shape.created, None)

    def event(self, payload: bytes, signature: str) -> Event:
        """See `CardProcessor.event`."""
        # Before the HMAC, since an unsigned caller must not decide how much is hashed.
        if len(payload) > WEBHOOK_MAX_BYTES:
            raise ProcessorError(Fault.REFUSED, "the payload is too large")
        require_signed(payload, signature, self._keys.webhook_secrets, self._clock.unix())
        return parse_event(payload, self._service, live=self._keys.live)

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.session.close()

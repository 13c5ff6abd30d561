"""Stripe as the card processor, through its own library."""

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable, Sequence

import stripe
import structlog
from stripe.params import CustomerCreateParams

from node.processor import metadata
from node.processor.events import disputes_of, event_of, parse_event, refund_of
from node.processor.exchange import Exchange
from node.processor.keys import ProcessorKeys
from node.processor.limits import ProcessorLimits
from node.processor.listings import Listings
from node.processor.pace import Pace
from node.processor.port import (
    BalanceTransaction,
    Customer,
    DisputeChanged,
    Event,
    Fault,
    PaymentIntent,
    ProcessorError,
    RefundChanged,
)
from node.processor.quiet import silence_library
from node.processor.reading import customer_of, intent_of, transaction_of
from node.processor.shapes import (
    API_VERSION,
    CURRENCY,
    AnyCustomerShape,
    BalanceTransactionShape,
    CustomerShape,
    EventShape,
    IntentShape,
    ListShape,
    TakenBackShape,
)
from node.processor.signature import require_signed
from node.processor.standing import Standing
from node.processor.transport import BoundedClient, own_session
from node.runtime.tls_trust import built_in_trust

_log = structlog.get_logger(__name__)


class StripeProcessor:
    """A CardProcessor. To be made inside the event loop; `close` it.

    `service` names this deployment (`metadata.service_name`): what another wrote is not ours. `unix` and `clock` are
    the time in unix and in monotonic seconds, `sleep` the wait before a repetition; `trust` is whom TLS trusts, the built-in authorities by default.
    """

    def __init__(
        self,
        keys: ProcessorKeys,
        service: str,
        limits: ProcessorLimits,
        *,
        unix: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        silence_library()
        self._keys = keys
        self._service = service
        self._limits = limits
        self._unix = unix
        self._standing = Standing(limits, clock)
        self._exchange = Exchange(self._standing, limits)
        self._session = own_session(limits, trust or built_in_trust())
        client = stripe.StripeClient(
            keys.secret_key,
            stripe_version=API_VERSION,
            base_addresses={"api": keys.url.rstrip("/")},
            max_network_retries=limits.repetitions,
            http_client=BoundedClient(self._session, Pace(limits, clock), limits, sleep),
        )
        self._v1 = client.v1
        self._listings = Listings(client, self._exchange)

    @property
    def publishable_key(self) -> str:
        """What a browser needs to pay."""
        return self._keys.publishable_key

    @property
    def problem(self) -> str | None:
        """What is wrong with it, for health: known from the calls that were made, without making one."""
        return self._standing.problem

    async def check(self) -> None:
        """Pass when it answers, knows our secret key, and lets it read what is read here."""
        timeout_s = self._limits.check_timeout_s
        await self._exchange.ask(
            lambda: self._v1.customers.list_async({"limit": 1}), ListShape[CustomerShape], timeout_s
        )
        await self._exchange.ask(
            lambda: self._v1.payment_intents.list_async({"limit": 1}), ListShape[IntentShape], timeout_s
        )
        await self._exchange.ask(lambda: self._v1.events.list_async({"limit": 1}), ListShape[EventShape], timeout_s)
        await self._exchange.ask(
            lambda: self._v1.refunds.list_async({"limit": 1}), ListShape[TakenBackShape], timeout_s
        )
        await self._exchange.ask(
            lambda: self._v1.disputes.list_async({"limit": 1}), ListShape[TakenBackShape], timeout_s
        )

    async def create_customer(self, account: int, email: str | None, idempotency_key: str) -> Customer:
        """The customer of an account; the same idempotency key gives the same one for at least a day."""
        asked: CustomerCreateParams = {"metadata": metadata.of_account(self._service, account)}
        if email is not None:
            asked["email"] = email
        shape = await self._exchange.ask(
            lambda: self._v1.customers.create_async(asked, {"idempotency_key": idempotency_key}), CustomerShape
        )
        return customer_of(shape, self._service)

    async def customers_since(self, created_s: int) -> Sequence[Customer]:
        """Every customer of ours that was made since, oldest first."""
        shapes = await self._listings.customers(created_s)
        customers = [customer_of(shape, self._service) for shape in shapes]
        return [customer for customer in customers if customer.account is not None]

    async def is_deleted(self, customer: str) -> bool:
        """Whether this customer was there and was deleted; one that never was is `not_found`."""
        shape = await self._exchange.ask(lambda: self._v1.customers.retrieve_async(customer), AnyCustomerShape)
        return shape.deleted

    async def create_intent(
        self, customer: str, account: int, payment: str, amount_cents: int, idempotency_key: str
    ) -> PaymentIntent:
        """Begin a payment by card or crypto that `customer` is to confirm in the browser."""
        written = {**metadata.of_account(self._service, account), metadata.PAYMENT: payment}
        shape = await self._exchange.ask(
            lambda: self._v1.payment_intents.create_async(
                {
                    "amount": amount_cents,
                    "currency": CURRENCY,
                    "customer": customer,
                    "allowed_payment_method_types": list(self._keys.methods),
                    "metadata": written,
                },
                {"idempotency_key": idempotency_key},
            ),
            IntentShape,
        )
        return intent_of(shape, self._service)

    async def intent(self, intent: str) -> PaymentIntent:
        """How a payment stands."""
        shape = await self._exchange.ask(lambda: self._v1.payment_intents.retrieve_async(intent), IntentShape)
        return intent_of(shape, self._service)

    async def cancel_intent(self, intent: str) -> PaymentIntent:
        """End a payment that is not paid (https://docs.stripe.com/api/payment_intents/cancel)."""
        shape = await self._exchange.ask(
            lambda: self._v1.payment_intents.cancel_async(intent, {"cancellation_reason": "abandoned"}), IntentShape
        )
        return intent_of(shape, self._service)

    async def intents_since(self, created_s: int) -> Sequence[PaymentIntent]:
        """Every payment that was begun since, of ours or not, oldest first."""
        shapes = await self._listings.intents(created_s)
        return [intent_of(shape, self._service) for shape in shapes]

    async def refunds_since(self, created_s: int) -> Sequence[RefundChanged]:
        """How every refund that was made since stands, oldest first."""
        found = map(refund_of, await self._listings.refunds(created_s))
        return [refund for refund in found if refund is not None]

    async def disputes_since(self, created_s: int) -> Sequence[DisputeChanged]:
        """What every dispute that was opened since has taken and given back, oldest first."""
        return [change for shape in await self._listings.disputes(created_s) for change in disputes_of(shape)]

    async def add_to_balance(
        self, customer: str, amount_cents: int, cause: str, idempotency_key: str
    ) -> BalanceTransaction:
        """Change a customer's balance, in the processor's sign, and write `cause` on the change."""
        shape = await self._exchange.ask(
            lambda: self._v1.customers.balance_transactions.create_async(
                customer,
                {
                    "amount": amount_cents,
                    "currency": CURRENCY,
                    "metadata": {metadata.SERVICE: self._service, metadata.CAUSE: cause},
                },
                {"idempotency_key": idempotency_key},
            ),
            BalanceTransactionShape,
        )
        return transaction_of(shape)

    async def balance_transactions(self, customer: str, after: str | None = None) -> Sequence[BalanceTransaction]:
        """Changes of a customer's balance in dollars, oldest first, those later than the transaction `after`."""
        if after is None:
            shapes = await self._listings.balance_transactions(customer)
        else:
            shapes = await self._listings.later_balance_transactions(customer, after)
        return [transaction_of(shape) for shape in shapes if shape.currency == CURRENCY]

    async def events_since(self, created_s: int) -> Sequence[Event]:
        """Every event of payments, refunds and disputes since, oldest first; the processor keeps them for 30 days."""
        return [self._listed(shape) for shape in await self._listings.events(created_s)]

    def _listed(self, shape: EventShape) -> Event:
        """One that cannot be read is nothing to us: no other is to wait until the processor forgets it."""
        try:
            return event_of(shape, self._service, live=self._keys.live)
        except ProcessorError as error:
            _log.error("event_unreadable", event_id=shape.id, reason=error.reason)
            return Event(shape.id, shape.created, None)

    def event(self, payload: bytes, signature: str) -> Event:
        """The event of a webhook call. Raises ProcessorError (`bad_signature`, or `refused` when it cannot be read)."""
        if len(payload) > self._limits.webhook_max_bytes:
            raise ProcessorError(Fault.REFUSED, "the payload is too large")
        require_signed(payload, signature, self._keys.webhook_secrets, self._unix(), self._limits.webhook_tolerance_s)
        return parse_event(payload, self._service, live=self._keys.live)

    async def close(self) -> None:
        """Close its connections."""
        await self._session.close()

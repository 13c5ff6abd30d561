"""Port of the card processor. Amounts are whole US cents; times are unix seconds.

A customer's balance has the processor's own sign: below zero is credit of the customer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol, TypeAlias

WEBHOOK_MAX_BYTES: Final = 512 * 1024
"""Larger webhook calls are refused before they are read: the processor's events have a few kilobytes."""


class Fault(StrEnum):
    """Reason why the processor did not do what it was asked."""

    UNAVAILABLE = "unavailable"
    """Not reached, too slow, too busy, or broken: it may or may not have done it. Repeat with the same idempotency key."""
    NOT_FOUND = "not_found"
    """There is no such object."""
    REFUSED = "refused"
    """The processor will not do it, however often it is asked."""
    UNAUTHORIZED = "unauthorized"
    """The secret key is unknown, or may not do this."""
    BAD_SIGNATURE = "bad_signature"
    """A webhook call that the processor did not sign, or signed too long ago."""


class ProcessorError(Exception):
    """Raised by every method of a CardProcessor; `reason` holds no key, no e-mail address and no URL."""

    def __init__(self, fault: Fault, reason: str) -> None:
        super().__init__(f"{fault}: {reason}")
        self.fault = fault
        self.reason = reason


class IntentStatus(StrEnum):
    """State of a payment."""

    OPEN = "open"
    """The customer has not paid yet, or has more to do."""
    PROCESSING = "processing"
    """Paid, and not certain yet."""
    SUCCEEDED = "succeeded"
    CANCELED = "canceled"


@dataclass(frozen=True, slots=True)
class PaymentIntent:
    """Payment. `account` and `payment` (our own id of it) are from its metadata; None on one that is not ours."""

    id: str
    status: IntentStatus
    amount_cents: int
    received_cents: int
    account: int | None
    payment: str | None
    created_s: int
    client_secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class BalanceTransaction:
    """Change of a customer's balance in the processor's sign; `cause` is from its metadata, None: not made by us."""

    id: str
    amount_cents: int
    cause: str | None
    created_s: int


@dataclass(frozen=True, slots=True)
class Customer:
    """Customer and its account (master hash); None: not one of ours."""

    id: str
    account: int | None
    created_s: int


@dataclass(frozen=True, slots=True)
class PaymentChanged:
    """An intent reached a new state."""

    intent: PaymentIntent


@dataclass(frozen=True, slots=True)
class RefundChanged:
    """A refund was made, succeeded or failed; `takes_back` tells whether the customer has, or will have, the money."""

    refund: str
    intent: str
    amount_cents: int
    takes_back: bool


@dataclass(frozen=True, slots=True)
class DisputeChanged:
    """The disputed money was taken from us, or came back: all of it, or so much of a dispute that was lost."""

    dispute: str
    intent: str
    amount_cents: int
    takes_back: bool


@dataclass(frozen=True, slots=True)
class CustomerBalanceChanged:
    """Somebody, we or the operator by hand, changed a customer's balance."""

    customer: str


Change: TypeAlias = PaymentChanged | RefundChanged | DisputeChanged | CustomerBalanceChanged


@dataclass(frozen=True, slots=True)
class Event:
    """Event, from a webhook call or the list; `change` is None where it does not concern us."""

    id: str
    created_s: int
    change: Change | None


class CardProcessor(Protocol):
    """A card processor. Every method raises ProcessorError."""

    @property
    def publishable_key(self) -> str:
        """Key that a browser needs to pay."""
        ...

    async def check(self) -> None:
        """Pass when the processor responds and knows our secret key."""
        ...

    async def create_customer(self, account: int, email: str | None, idempotency_key: str) -> Customer:
        """Return the customer of an account; the same idempotency key gives the same one for at least a day."""
        ...

    async def customers_since(self, created_s: int) -> Sequence[Customer]:
        """Return every customer of ours that was made since (not from the processor's search index, which lags)."""
        ...

    async def is_deleted(self, customer: str) -> bool:
        """Return whether this customer was deleted; one that never existed is `not_found`."""
        ...

    async def create_intent(
        self,
        customer: str,
        account: int,
        payment: str,
        amount_cents: int,
        idempotency_key: str,
        description: str = "Credit",
    ) -> PaymentIntent:
        """Begin a payment by card or crypto that `customer` is to confirm in the browser, where `description` is shown."""
        ...

    async def intent(self, intent: str) -> PaymentIntent:
        """Return a payment as it is now."""
        ...

    async def cancel_intent(self, intent: str) -> PaymentIntent:
        """End a payment that is not paid; nobody can pay it afterwards. `refused`: it is paid, or ended, or about to be."""
        ...

    async def intents_since(self, created_s: int) -> Sequence[PaymentIntent]:
        """Return every payment that was begun since, of ours or not."""
        ...

    async def refunds_since(self, created_s: int) -> Sequence[RefundChanged]:
        """Return the state of every refund that was made since, oldest first, however long ago that is."""
        ...

    async def disputes_since(self, created_s: int) -> Sequence[DisputeChanged]:
        """Return what every dispute that was opened since took and gave back, oldest first, however long ago that is."""
        ...

    async def add_to_balance(
        self, customer: str, amount_cents: int, cause: str, idempotency_key: str
    ) -> BalanceTransaction:
        """Change a customer's balance, in the processor's sign, and write `cause` on the change."""
        ...

    async def balance_transactions(self, customer: str, after: str | None = None) -> Sequence[BalanceTransaction]:
        """Return the changes of a customer's balance, oldest first, those later than the transaction `after`."""
        ...

    async def events_since(self, created_s: int) -> Sequence[Event]:
        """Return the events of payments, refunds and disputes since, oldest first; the processor keeps them for 30 days."""
        ...

    def event(self, payload: bytes, signature: str) -> Event:
        """Return the event of a webhook call. Raises ProcessorError (`bad_signature`, or `refused` when it cannot be read)."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...

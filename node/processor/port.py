"""What the node asks of a card processor. Amounts are whole US cents; times are unix seconds.

The processor's own sign of a customer's balance: below zero is credit of the customer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeAlias


class Fault(StrEnum):
    """Why the processor did not do what it was asked."""

    UNAVAILABLE = "unavailable"
    """Not reached, too slow, too busy, or broken: it may or may not have done it. Repeat with the same idempotency key."""
    NOT_FOUND = "not_found"
    """There is no such object."""
    REFUSED = "refused"
    """It will not do it, however often it is asked."""
    UNAUTHORIZED = "unauthorized"
    """It does not know our secret key, or the key may not do this."""
    BAD_SIGNATURE = "bad_signature"
    """A webhook call that the processor did not sign, or signed too long ago."""


class ProcessorError(Exception):
    """What every method of a CardProcessor raises; `reason` holds no key, no e-mail address and no URL."""

    def __init__(self, fault: Fault, reason: str) -> None:
        super().__init__(f"{fault}: {reason}")
        self.fault = fault
        self.reason = reason


class IntentStatus(StrEnum):
    """How far a payment has come."""

    OPEN = "open"
    """The customer has not paid yet, or has more to do."""
    PROCESSING = "processing"
    """Paid, and not certain yet."""
    SUCCEEDED = "succeeded"
    CANCELED = "canceled"


@dataclass(frozen=True, slots=True)
class PaymentIntent:
    """One payment. `account` and `payment` (our own id of it) are what we wrote on it; None on one that is not ours."""

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
    """A change of a customer's balance in the processor's sign; `cause` is what we wrote on it, None: not made by us."""

    id: str
    amount_cents: int
    cause: str | None
    created_s: int


@dataclass(frozen=True, slots=True)
class Customer:
    """A customer and the account (master hash) it stands for; None: not one of ours."""

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
    """What the processor tells of, by webhook or when asked; `change` is None where it is nothing to us."""

    id: str
    created_s: int
    change: Change | None


class CardProcessor(Protocol):
    """A card processor. Every method raises ProcessorError."""

    @property
    def publishable_key(self) -> str:
        """What a browser needs to pay."""
        ...

    async def check(self) -> None:
        """Pass when it answers and knows our secret key."""
        ...

    async def create_customer(self, account: int, email: str | None, idempotency_key: str) -> Customer:
        """The customer of an account; the same idempotency key gives the same one for at least a day."""
        ...

    async def customers_since(self, created_s: int) -> Sequence[Customer]:
        """Every customer of ours that was made since (not from the processor's search index, which lags)."""
        ...

    async def is_deleted(self, customer: str) -> bool:
        """Whether this customer was there and was deleted; one that never was is `not_found`."""
        ...

    async def create_intent(
        self, customer: str, account: int, payment: str, amount_cents: int, idempotency_key: str
    ) -> PaymentIntent:
        """Begin a payment by card or crypto that `customer` is to confirm in the browser."""
        ...

    async def intent(self, intent: str) -> PaymentIntent:
        """How a payment stands."""
        ...

    async def cancel_intent(self, intent: str) -> PaymentIntent:
        """End a payment that is not paid; nobody can pay it afterwards. `refused`: it is paid, or ended, or about to be."""
        ...

    async def intents_since(self, created_s: int) -> Sequence[PaymentIntent]:
        """Every payment that was begun since, of ours or not."""
        ...

    async def refunds_since(self, created_s: int) -> Sequence[RefundChanged]:
        """How every refund that was made since stands, oldest first, however long ago that is."""
        ...

    async def disputes_since(self, created_s: int) -> Sequence[DisputeChanged]:
        """What every dispute that was opened since has taken and given back, oldest first, however long ago that is."""
        ...

    async def add_to_balance(
        self, customer: str, amount_cents: int, cause: str, idempotency_key: str
    ) -> BalanceTransaction:
        """Change a customer's balance, in the processor's sign, and write `cause` on the change."""
        ...

    async def balance_transactions(self, customer: str, after: str | None = None) -> Sequence[BalanceTransaction]:
        """Changes of a customer's balance, oldest first, those later than the transaction `after`."""
        ...

    async def events_since(self, created_s: int) -> Sequence[Event]:
        """Every event of payments, refunds and disputes since, oldest first; the processor keeps them for 30 days."""
        ...

    def event(self, payload: bytes, signature: str) -> Event:
        """The event of a webhook call. Raises ProcessorError (`bad_signature`, or `refused` when it cannot be read)."""
        ...

    async def close(self) -> None:
        """Close its connections."""
        ...

"""Port of the card processor. Amounts are whole US cents; times are unix seconds.

A customer's balance has the processor's own sign: below zero is credit of the customer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol, TypeAlias

WEBHOOK_MAX_BYTES: Final = 512 * 1024
"""Maximum size of a webhook call. Larger ones are not read; real events have a few kilobytes."""


class Fault(StrEnum):
    """Reason why the processor did not do what it was asked."""

    UNAVAILABLE = "unavailable"
    """Not reached, slow, busy or broken. It may be done; repeat with the same idempotency key."""
    NOT_FOUND = "not_found"
    """There is no such object."""
    REFUSED = "refused"
    """The processor will not do it, and repeating is of no use."""
    UNAUTHORIZED = "unauthorized"
    """The secret key is unknown, or may not do this."""
    BAD_SIGNATURE = "bad_signature"
    """A webhook call that the processor did not sign, or signed too long ago."""


class ProcessorError(Exception):
    """Error of every method of a CardProcessor. `reason` has no key, e-mail address or URL."""

    def __init__(self, fault: Fault, reason: str) -> None:
        super().__init__(f"{fault}: {reason}")
        self.fault = fault
        self.reason = reason


class IntentStatus(StrEnum):
    """State of a payment."""

    OPEN = "open"
    """The customer has not paid yet, or has more to do."""
    PROCESSING = "processing"
    """Paid, but not yet final."""
    SUCCEEDED = "succeeded"
    CANCELED = "canceled"


@dataclass(frozen=True, slots=True)
class PaymentIntent:
    """Payment. `account` and `payment` (our id) come from its metadata; None if it is not ours."""

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
    """Change of a customer's balance in the processor's sign. `cause` is None if it is not ours."""

    id: str
    amount_cents: int
    cause: str | None
    created_s: int


@dataclass(frozen=True, slots=True)
class Customer:
    """Customer and its account (master hash), None if it is not ours."""

    id: str
    account: int | None
    created_s: int


@dataclass(frozen=True, slots=True)
class PaymentChanged:
    """Payment intent in a new state."""

    intent: PaymentIntent


@dataclass(frozen=True, slots=True)
class RefundChanged:
    """Refund in a new state. `takes_back` if the customer has, or will have, the money."""

    refund: str
    intent: str
    amount_cents: int
    takes_back: bool


@dataclass(frozen=True, slots=True)
class DisputeChanged:
    """Disputed money that was taken from us or came back, a part of it if the dispute was lost."""

    dispute: str
    intent: str
    amount_cents: int
    takes_back: bool


@dataclass(frozen=True, slots=True)
class CustomerBalanceChanged:
    """Change of a customer's balance, by a node or by the operator's hand."""

    customer: str


Change: TypeAlias = PaymentChanged | RefundChanged | DisputeChanged | CustomerBalanceChanged


@dataclass(frozen=True, slots=True)
class Event:
    """Event, from a webhook call or the list. `change` is None if it does not concern us."""

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
        """Checks that the processor responds and knows our secret key."""
        ...

    async def create_customer(self, account: int, email: str | None, idempotency_key: str) -> Customer:
        """Creates an account's customer. For a day at least, the same key returns the same one."""
        ...

    async def customers_since(self, created_s: int) -> Sequence[Customer]:
        """Returns our customers made since, without the search index, which lags."""
        ...

    async def is_deleted(self, customer: str) -> bool:
        """Returns whether the customer was deleted. Raises `not_found` if it never existed."""
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
        """Begins a payment that `customer` confirms in a browser, where `description` is shown."""
        ...

    async def intent(self, intent: str) -> PaymentIntent:
        """Returns a payment as it is now."""
        ...

    async def cancel_intent(self, intent: str) -> PaymentIntent:
        """Ends an unpaid payment for good. Raises `refused` if it is paid, ended or about to be."""
        ...

    async def intents_since(self, created_s: int) -> Sequence[PaymentIntent]:
        """Returns every payment begun since, ours or not."""
        ...

    async def refunds_since(self, created_s: int) -> Sequence[RefundChanged]:
        """Returns the state of every refund made since, of any age, oldest first."""
        ...

    async def disputes_since(self, created_s: int) -> Sequence[DisputeChanged]:
        """Returns what disputes opened since took and gave back, of any age, oldest first."""
        ...

    async def add_to_balance(
        self, customer: str, amount_cents: int, cause: str, idempotency_key: str
    ) -> BalanceTransaction:
        """Change a customer's balance, in the processor's sign, and write `cause` on the change."""
        ...

    async def balance_transactions(self, customer: str, after: str | None = None) -> Sequence[BalanceTransaction]:
        """Returns a customer's balance changes, those after transaction `after`, oldest first."""
        ...

    async def events_since(self, created_s: int) -> Sequence[Event]:
        """Returns payment, refund and dispute events, oldest first. They are kept for 30 days."""
        ...

    def event(self, payload: bytes, signature: str) -> Event:
        """Returns a webhook call's event. Raises ProcessorError `bad_signature` or `refused`."""
        ...

    async def close(self) -> None:
        """Closes the connections."""
        ...

"""Requests and responses of the billing endpoints."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field, StrictInt, StringConstraints

MIN_PAYMENT_CENTS: Final = 500
"""Fixed by the API, so no setting."""

MAX_PAYMENT_CENTS: Final = 99_999_999
"""The card processor's own limit of one payment in US dollars."""


class BalanceAnswer(BaseModel, frozen=True):
    """Whole cents. `balance_cents` has the card processor's sign: negative means credit.

    `credit_cents` includes what is set aside (`reserved_cents`) for calls that are under way.
    """

    balance_cents: int
    balance_display: str
    credit_cents: int
    reserved_cents: int


class ProcessorConfigAnswer(BaseModel, frozen=True):
    """The key a browser needs to talk to the card processor."""

    publishable_key: str


class CreatePaymentIntentRequest(BaseModel, frozen=True, extra="forbid"):
    """A payment by card of at least 5.00 USD."""

    amount_cents: Annotated[StrictInt, Field(ge=MIN_PAYMENT_CENTS, le=MAX_PAYMENT_CENTS)]


class CreatePaymentIntentAnswer(BaseModel, frozen=True):
    """Values with which the browser confirms the payment."""

    client_secret: Annotated[str, Field(repr=False)]
    payment_intent_id: str


class ConfirmPaymentRequest(BaseModel, frozen=True, extra="forbid"):
    """A payment intent that was confirmed in the browser."""

    payment_intent_id: Annotated[str, StringConstraints(strict=True, pattern=r"^[A-Za-z0-9_]{1,255}$")]


class ConfirmPaymentAnswer(BaseModel, frozen=True):
    """Amount that this payment credited, and the balance now, in the card processor's sign: negative means credit."""

    success: bool
    credited_cents: int
    balance_cents: int


class WebhookAnswer(BaseModel, frozen=True):
    """The event's content is durable."""

    received: Literal[True] = True

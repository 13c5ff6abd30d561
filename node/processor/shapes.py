"""JSON of the processor, as far as it is read. Other fields may come and go.

Source: https://docs.stripe.com/api, version `API_VERSION`. Events are in the form of the version their endpoint, or the account, had
when they happened, so nothing is read that has not been the same for years.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Final, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from node.processor.port import BalanceTransaction, Customer, IntentStatus, PaymentIntent

API_VERSION: Final = "2026-10-28.endive"
"""Pinned: an account's own default may be any."""

CURRENCY: Final = "usd"
AMOUNT_MAX: Final = 10**12


class Shape(BaseModel):
    """Strict, and silent about what was given: it may hold an e-mail address."""

    # Strict: a number in quotes is no amount. Hidden: an error with the input in it would reach the log.
    model_config = ConfigDict(strict=True, frozen=True, hide_input_in_errors=True)

    id: str = Field(min_length=1, max_length=255)


class Reference(Shape):
    """An object in the place of its id, where the processor expanded it."""


class IntentShape(Shape):
    """https://docs.stripe.com/api/payment_intents/object."""

    object: Literal["payment_intent"]
    amount: int = Field(ge=0, le=AMOUNT_MAX)
    amount_received: int = Field(ge=0, le=AMOUNT_MAX)
    currency: str
    status: str
    metadata: dict[str, str]
    created: int = Field(ge=0)
    client_secret: str | None = Field(default=None, repr=False)


class CustomerShape(Shape):
    """https://docs.stripe.com/api/customers/object."""

    object: Literal["customer"]
    metadata: dict[str, str]
    created: int = Field(ge=0)


class AnyCustomerShape(Shape):
    """A customer, also one of which nothing is left but that it was deleted."""

    object: Literal["customer"]
    deleted: bool = False


class BalanceTransactionShape(Shape):
    """https://docs.stripe.com/api/customer_balance_transactions/object."""

    object: Literal["customer_balance_transaction"]
    amount: int = Field(ge=-AMOUNT_MAX, le=AMOUNT_MAX)
    currency: str
    metadata: dict[str, str] | None = None
    created: int = Field(ge=0)


class MoveShape(BaseModel):
    """Change of our own balance by a dispute, in its currency: below zero was taken, above came back."""

    model_config = ConfigDict(strict=True, frozen=True, hide_input_in_errors=True)

    amount: int = Field(ge=-AMOUNT_MAX, le=AMOUNT_MAX)
    currency: str


_TAKEN: Final = frozenset({"needs_response", "under_review", "won", "lost"})
"""States of a dispute that is, or was, more than an inquiry (https://docs.stripe.com/disputes/how-disputes-work)."""


class TakenBackShape(Shape):
    """A refund or a dispute: https://docs.stripe.com/api/refunds/object, https://docs.stripe.com/api/disputes/object."""

    object: Literal["refund", "dispute"]
    amount: int = Field(ge=0, le=AMOUNT_MAX)
    currency: str
    status: str | None = None
    payment_intent: str | Reference | None = None
    balance_transactions: list[Annotated[MoveShape | JsonValue, Field(union_mode="left_to_right")]] | None = None
    """Of a dispute alone. Entries of another form are skipped: the state, too, says that money was taken."""

    @property
    def took_money(self) -> bool:
        """Whether a dispute has taken the money, which an inquiry does not; by its state where the moves are missing."""
        # The moves are the money itself; a state may be newer than they are, or of an inquiry that took nothing.
        if self._moves_are_complete:
            return any(move.amount < 0 for move in self._moves)
        return self.status in _TAKEN

    @property
    def gave_money_back(self) -> bool:
        """Whether money of a dispute came back, all of it or a part."""
        if self._moves_are_complete:
            return any(move.amount > 0 for move in self._moves)
        return self.status == "won"

    @property
    def _moves(self) -> list[MoveShape]:
        return [move for move in self.balance_transactions or [] if isinstance(move, MoveShape)]

    @property
    def _moves_are_complete(self) -> bool:
        return self.balance_transactions is not None and len(self._moves) == len(self.balance_transactions)

    @property
    def came_back(self) -> int:
        """Cents of a dispute that are ours again, as far as they are listed in its currency."""
        return sum(move.amount for move in self._moves if move.amount > 0 and move.currency == self.currency)

    @property
    def intent(self) -> str | None:
        """Payment of the refund or dispute; None for one that was made without an intent."""
        return self.payment_intent.id if isinstance(self.payment_intent, Reference) else self.payment_intent


class EventData(BaseModel):
    """Object of an event, and its attributes before."""

    model_config = ConfigDict(strict=True, frozen=True, hide_input_in_errors=True)

    object: dict[str, JsonValue] = Field(repr=False)
    previous_attributes: dict[str, JsonValue] | None = Field(default=None, repr=False)


class EventShape(Shape):
    """https://docs.stripe.com/api/events/object."""

    object: Literal["event"]
    created: int = Field(ge=0)
    livemode: bool
    type: str
    account: str | None = None
    """Whose event it is, where that is somebody else who has an account with the processor through us."""
    data: EventData


AnyShape = TypeVar("AnyShape", bound=Shape)


class ListShape(BaseModel, Generic[AnyShape]):
    """Page of a list, newest first: https://docs.stripe.com/api/pagination."""

    model_config = ConfigDict(strict=True, frozen=True, hide_input_in_errors=True)

    object: Literal["list"]
    data: list[AnyShape]
    has_more: bool


# An object is ours when its metadata names this deployment: several deployments, and the operator's other business, may
# share one account at the processor.
ACCOUNT: Final = "svc_account"
"""Metadata: the account (master hash), u256 hex."""
PAYMENT: Final = "svc_payment"
"""Metadata: our own id of a payment."""
CAUSE: Final = "svc_cause"
"""Metadata: why we changed a customer's balance."""
SERVICE: Final = "svc_service"
"""Metadata: the deployment."""

_U256: Final = re.compile(r"0x[0-9a-f]{64}")
_STATUS: Final[Mapping[str, IntentStatus]] = {
    "processing": IntentStatus.PROCESSING,
    "succeeded": IntentStatus.SUCCEEDED,
    "canceled": IntentStatus.CANCELED,
}
"""Every other status, known or new, is a payment that is not made yet."""


def service_name(chain_id: int, contract: str) -> str:
    """Return the name of a deployment: its chain and its contract."""
    return f"{chain_id}:{contract.lower()}"


def metadata_of_account(service: str, account: int) -> dict[str, str]:
    """Return the metadata of an account's customer."""
    return {SERVICE: service, ACCOUNT: f"0x{account:064x}"}


def account_in(metadata: Mapping[str, str], service: str) -> int | None:
    """Return the account an object is of; None when it is not ours."""
    text = metadata.get(ACCOUNT, "")
    # Both: the name of the account says nothing of the deployment that it is an account of.
    if metadata.get(SERVICE) != service or _U256.fullmatch(text) is None:
        return None
    return int(text, 16)


def intent_of(shape: IntentShape, service: str) -> PaymentIntent:
    """Return a payment. One in another currency is not ours, whatever its metadata says, and brings no dollars."""
    # An amount is in the smallest unit of its currency: 500 of another would be credited as 5 dollars.
    in_dollars = shape.currency == CURRENCY
    account = account_in(shape.metadata, service) if in_dollars else None
    return PaymentIntent(
        id=shape.id,
        status=_STATUS.get(shape.status, IntentStatus.OPEN) if in_dollars else IntentStatus.OPEN,
        amount_cents=shape.amount,
        received_cents=shape.amount_received,
        account=account,
        payment=None if account is None else shape.metadata.get(PAYMENT),
        created_s=shape.created,
        client_secret=shape.client_secret or "",
    )


def customer_of(shape: CustomerShape, service: str) -> Customer:
    """Return a customer, ours or not."""
    return Customer(shape.id, account_in(shape.metadata, service), shape.created)


def transaction_of(shape: BalanceTransactionShape) -> BalanceTransaction:
    """Return a change of a customer's balance."""
    return BalanceTransaction(shape.id, shape.amount, (shape.metadata or {}).get(CAUSE), shape.created)

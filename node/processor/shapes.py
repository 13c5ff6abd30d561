"""JSON of the processor, as far as it is read. Other fields may come and go.

Source: https://docs.stripe.com/api, version `API_VERSION`. An event has the form of its endpoint's
or account's version at its time, so only fields that have been the same for years are read.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Final, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from node.processor.port import BalanceTransaction, Customer, IntentStatus, PaymentIntent

API_VERSION: Final = "2026-10-28.endive"
"""Pinned API version. The default of an account may be any other."""

CURRENCY: Final = "usd"
AMOUNT_MAX: Final = 10**12


class Shape(BaseModel):
    """Strict base of the objects. Errors hide the input, which may hold an e-mail address."""

    # Strict, since a number in quotes is no amount. Hidden, or the input would reach the log.
    model_config = ConfigDict(strict=True, frozen=True, hide_input_in_errors=True)

    id: str = Field(min_length=1, max_length=255)


class Reference(Shape):
    """Object in the place of its id, if the processor expanded it."""


class IntentShape(Shape):
    """Payment intent (https://docs.stripe.com/api/payment_intents/object)."""

    object: Literal["payment_intent"]
    amount: int = Field(ge=0, le=AMOUNT_MAX)
    amount_received: int = Field(ge=0, le=AMOUNT_MAX)
    currency: str
    status: str
    metadata: dict[str, str]
    created: int = Field(ge=0)
    client_secret: str | None = Field(default=None, repr=False)


class CustomerShape(Shape):
    """Customer (https://docs.stripe.com/api/customers/object)."""

    object: Literal["customer"]
    metadata: dict[str, str]
    created: int = Field(ge=0)


class AnyCustomerShape(Shape):
    """Customer, or what is left of a deleted one."""

    object: Literal["customer"]
    deleted: bool = False


class BalanceTransactionShape(Shape):
    """Balance transaction (https://docs.stripe.com/api/customer_balance_transactions/object)."""

    object: Literal["customer_balance_transaction"]
    amount: int = Field(ge=-AMOUNT_MAX, le=AMOUNT_MAX)
    currency: str
    metadata: dict[str, str] | None = None
    created: int = Field(ge=0)


class MoveShape(BaseModel):
    """Change of our own balance by a dispute, in its currency. Below zero it was taken from us."""

    model_config = ConfigDict(strict=True, frozen=True, hide_input_in_errors=True)

    amount: int = Field(ge=-AMOUNT_MAX, le=AMOUNT_MAX)
    currency: str


_TAKEN: Final = frozenset({"needs_response", "under_review", "won", "lost"})
"""States of disputes that took money (https://docs.stripe.com/disputes/how-disputes-work)."""


class TakenBackShape(Shape):
    """Refund or dispute (https://docs.stripe.com/api/refunds/object, and disputes/object there)."""

    object: Literal["refund", "dispute"]
    amount: int = Field(ge=0, le=AMOUNT_MAX)
    currency: str
    status: str | None = None
    payment_intent: str | Reference | None = None
    balance_transactions: list[Annotated[MoveShape | JsonValue, Field(union_mode="left_to_right")]] | None = None
    """Only on disputes. Other forms are skipped, since the state also says that money was taken."""

    @property
    def took_money(self) -> bool:
        """Whether a dispute, unlike an inquiry, took money. Its state decides without the moves."""
        # The moves are the money. A state may be newer, or that of an inquiry that took nothing.
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
        """Cents of a dispute that came back, according to the moves in its currency."""
        return sum(move.amount for move in self._moves if move.amount > 0 and move.currency == self.currency)

    @property
    def intent(self) -> str | None:
        """Payment of the refund or dispute; None if it was made without an intent."""
        return self.payment_intent.id if isinstance(self.payment_intent, Reference) else self.payment_intent


class EventData(BaseModel):
    """Object of an event, and earlier values of its attributes."""

    model_config = ConfigDict(strict=True, frozen=True, hide_input_in_errors=True)

    object: dict[str, JsonValue] = Field(repr=False)
    previous_attributes: dict[str, JsonValue] | None = Field(default=None, repr=False)


class EventShape(Shape):
    """Event (https://docs.stripe.com/api/events/object)."""

    object: Literal["event"]
    created: int = Field(ge=0)
    livemode: bool
    type: str
    account: str | None = None
    """Connected account that the event belongs to; None on our own events."""
    data: EventData


AnyShape = TypeVar("AnyShape", bound=Shape)


class ListShape(BaseModel, Generic[AnyShape]):
    """Page of a list, newest first (https://docs.stripe.com/api/pagination)."""

    model_config = ConfigDict(strict=True, frozen=True, hide_input_in_errors=True)

    object: Literal["list"]
    data: list[AnyShape]
    has_more: bool


# An object is ours if its metadata names this deployment. Several deployments, and the operator's
# other business, may share one account at the processor.
ACCOUNT: Final = "svc_account"
"""Metadata key of the account (master hash), whose value is u256 hex."""
PAYMENT: Final = "svc_payment"
"""Metadata key of our own id of a payment."""
CAUSE: Final = "svc_cause"
"""Metadata key of the reason why we changed a customer's balance."""
SERVICE: Final = "svc_service"
"""Metadata key of the deployment."""

_U256: Final = re.compile(r"0x[0-9a-f]{64}")
_STATUS: Final[Mapping[str, IntentStatus]] = {
    "processing": IntentStatus.PROCESSING,
    "succeeded": IntentStatus.SUCCEEDED,
    "canceled": IntentStatus.CANCELED,
}
"""Known states. A payment with any other status is still open."""


def service_name(chain_id: int, contract: str) -> str:
    """Returns the name of a deployment, made of its chain and its contract."""
    return f"{chain_id}:{contract.lower()}"


def metadata_of_account(service: str, account: int) -> dict[str, str]:
    """Returns the metadata of an account's customer."""
    return {SERVICE: service, ACCOUNT: f"0x{account:064x}"}


def account_in(metadata: Mapping[str, str], service: str) -> int | None:
    """Returns the account of an object; None if it is not ours."""
    text = metadata.get(ACCOUNT, "")
    # Both are needed, since the account does not tell its deployment.
    if metadata.get(SERVICE) != service or _U256.fullmatch(text) is None:
        return None
    return int(text, 16)


def intent_of(shape: IntentShape, service: str) -> PaymentIntent:
    """Returns a payment. In another currency it is open and not ours, despite its metadata."""
    # Amounts are in the currency's smallest unit. 500 of another would be credited as 5 dollars.
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
    """Returns a customer, ours or not."""
    return Customer(shape.id, account_in(shape.metadata, service), shape.created)


def transaction_of(shape: BalanceTransactionShape) -> BalanceTransaction:
    """Returns a change of a customer's balance."""
    return BalanceTransaction(shape.id, shape.amount, (shape.metadata or {}).get(CAUSE), shape.created)

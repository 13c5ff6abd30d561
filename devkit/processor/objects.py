"""The processor's objects, with the fields and names of its API version 2026-10-28.

Source: https://docs.stripe.com/api. Amounts are whole cents, times whole seconds of unix time.
Fields in `HIDDEN` are the stand-in's own and never shown.
"""

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, JsonValue

API_VERSION: Final = "2026-10-28.endive"
HIDDEN: Final = frozenset({"behaviour", "return_url"})

IntentStatus = Literal[
    "requires_payment_method", "requires_confirmation", "requires_action", "processing", "canceled", "succeeded"
]


class Stored(BaseModel):
    """Fields that every object has."""

    model_config = ConfigDict(extra="forbid")

    id: str
    created: int
    livemode: Literal[False] = False

    def shown(self) -> dict[str, JsonValue]:
        """Returns the JSON of the API."""
        return self.model_dump(exclude=set(HIDDEN))


class Customer(Stored):
    """https://docs.stripe.com/api/customers/object; a negative `balance` is credit."""

    object: Literal["customer"] = "customer"
    address: None = None
    balance: int = 0
    currency: str | None = None
    default_source: None = None
    deleted: bool = False
    delinquent: bool = False
    description: str | None = None
    discount: None = None
    email: str | None = None
    metadata: dict[str, str] = {}
    name: str | None = None
    phone: str | None = None
    preferred_locales: list[str] = []
    shipping: None = None
    tax_exempt: str = "none"
    test_clock: None = None

    def shown(self) -> dict[str, JsonValue]:
        """Returns the object as JSON. A deleted customer has only `id`, `object` and `deleted`."""
        if self.deleted:
            return {"id": self.id, "object": "customer", "deleted": True}
        return self.model_dump(exclude={"deleted"})


class BalanceTransaction(Stored):
    """https://docs.stripe.com/api/customer_balance_transactions/object; negative adds credit."""

    object: Literal["customer_balance_transaction"] = "customer_balance_transaction"
    amount: int
    checkout_session: None = None
    credit_note: None = None
    currency: str
    customer: str
    description: str | None = None
    ending_balance: int
    invoice: None = None
    metadata: dict[str, str] = {}
    type: str = "adjustment"


class PaymentMethod(Stored):
    """https://docs.stripe.com/api/payment_methods/object; `behaviour` names the test card."""

    object: Literal["payment_method"] = "payment_method"
    allow_redisplay: str = "unspecified"
    behaviour: str
    billing_details: dict[str, JsonValue] = {"address": None, "email": None, "name": None, "phone": None}
    card: dict[str, JsonValue] | None = None
    crypto: dict[str, JsonValue] | None = None
    customer: str | None = None
    metadata: dict[str, str] = {}
    type: str


class PaymentIntent(Stored):
    """https://docs.stripe.com/api/payment_intents/object."""

    object: Literal["payment_intent"] = "payment_intent"
    allowed_payment_method_types: list[str] | None = None
    amount: int
    amount_capturable: int = 0
    amount_received: int = 0
    application: None = None
    application_fee_amount: None = None
    automatic_payment_methods: dict[str, JsonValue] | None = None
    canceled_at: int | None = None
    cancellation_reason: str | None = None
    capture_method: str = "automatic_async"
    client_secret: str
    confirmation_method: str = "automatic"
    currency: str
    customer: str | None = None
    description: str | None = None
    excluded_payment_method_types: list[str] | None = None
    last_payment_error: dict[str, JsonValue] | None = None
    latest_charge: str | None = None
    metadata: dict[str, str] = {}
    next_action: dict[str, JsonValue] | None = None
    on_behalf_of: None = None
    payment_method: str | None = None
    payment_method_options: dict[str, JsonValue] = {}
    payment_method_types: list[str]
    processing: dict[str, JsonValue] | None = None
    receipt_email: str | None = None
    return_url: str | None = None
    review: None = None
    setup_future_usage: None = None
    shipping: None = None
    statement_descriptor: None = None
    statement_descriptor_suffix: None = None
    status: IntentStatus = "requires_payment_method"
    transfer_data: None = None
    transfer_group: None = None


class Charge(Stored):
    """https://docs.stripe.com/api/charges/object."""

    object: Literal["charge"] = "charge"
    amount: int
    amount_captured: int = 0
    amount_refunded: int = 0
    balance_transaction: None = None
    billing_details: dict[str, JsonValue] = {}
    captured: bool = False
    currency: str
    customer: str | None = None
    description: str | None = None
    disputed: bool = False
    failure_code: str | None = None
    failure_message: str | None = None
    fraud_details: dict[str, JsonValue] = {}
    metadata: dict[str, str] = {}
    outcome: dict[str, JsonValue] | None = None
    paid: bool = False
    payment_intent: str
    payment_method: str
    payment_method_details: dict[str, JsonValue] = {}
    receipt_email: str | None = None
    receipt_url: None = None
    refunded: bool = False
    status: Literal["succeeded", "pending", "failed"]


class Refund(Stored):
    """https://docs.stripe.com/api/refunds/object."""

    object: Literal["refund"] = "refund"
    amount: int
    balance_transaction: None = None
    charge: str
    currency: str
    destination_details: dict[str, JsonValue] = {}
    failure_balance_transaction: None = None
    failure_reason: str | None = None
    metadata: dict[str, str] = {}
    payment_intent: str
    reason: str | None = None
    receipt_number: None = None
    status: Literal["pending", "requires_action", "succeeded", "failed", "canceled"]

    def shown(self) -> dict[str, JsonValue]:
        """Returns the refund without `livemode`."""
        absent = set() if self.status == "failed" else {"failure_balance_transaction", "failure_reason"}
        return self.model_dump(exclude={"livemode"} | absent)


class Dispute(Stored):
    """https://docs.stripe.com/api/disputes/object."""

    object: Literal["dispute"] = "dispute"
    amount: int
    balance_transactions: list[JsonValue] = []
    charge: str
    currency: str
    evidence: dict[str, JsonValue] = {}
    evidence_details: dict[str, JsonValue] = {}
    is_charge_refundable: bool = False
    metadata: dict[str, str] = {}
    payment_intent: str
    reason: str = "fraudulent"
    status: Literal["warning_needs_response", "warning_closed", "needs_response", "won", "lost"] = "needs_response"


class Event(Stored):
    """https://docs.stripe.com/api/events/object; `data.object` is the object as it was then."""

    object: Literal["event"] = "event"
    api_version: str = API_VERSION
    data: dict[str, JsonValue]
    pending_webhooks: int
    request: dict[str, JsonValue]
    type: str


class KeptResponse(Stored):
    """The response kept for an idempotency key, which is its `id`."""

    object: Literal["kept_answer"] = "kept_answer"
    asked: str
    status: int
    body: JsonValue
    request_id: str

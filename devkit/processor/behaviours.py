"""Test cards and what each does.

Source: https://docs.stripe.com/testing. The page of its `next_action` confirms the crypto method,
see https://docs.stripe.com/payments/accept-stablecoin-payments.
"""

from dataclasses import dataclass
from typing import Final, Literal

from devkit.processor.errors import ApiError, parameter_invalid, resource_missing
from devkit.processor.forms import Form
from devkit.processor.identifiers import fresh
from devkit.processor.objects import PaymentMethod
from devkit.processor.store import Store

CRYPTO: Final = "crypto"
VISA: Final = "visa"


@dataclass(frozen=True, slots=True)
class Decline:
    """Reason of a refused payment."""

    code: str
    message: str
    decline_code: str | None = None


@dataclass(frozen=True, slots=True)
class Behaviour:
    """A payment method without money behind it."""

    last4: str = "4242"
    brand: str = VISA
    decline: Decline | None = None
    authenticate: bool = False
    dispute: Literal["none", "chargeback", "inquiry"] = "none"
    refund: Literal["succeeded", "pending", "failed"] = "succeeded"


def _declined(decline_code: str, message: str = "Your card was declined.", last4: str = "0002") -> Behaviour:
    return Behaviour(last4, decline=Decline("card_declined", message, decline_code))


METHODS: Final = {
    VISA: Behaviour(),
    "mastercard": Behaviour("4444", "mastercard"),
    "chargeDeclined": _declined("generic_decline"),
    "chargeDeclinedInsufficientFunds": _declined("insufficient_funds", "Your card has insufficient funds.", "9995"),
    "chargeDeclinedLostCard": _declined("lost_card", last4="9987"),
    "chargeDeclinedStolenCard": _declined("stolen_card", last4="9979"),
    "chargeDeclinedExpiredCard": Behaviour("0069", decline=Decline("expired_card", "Your card has expired.")),
    "chargeDeclinedIncorrectCvc": Behaviour(
        "0127", decline=Decline("incorrect_cvc", "Your card's security code is incorrect.")
    ),
    "chargeDeclinedProcessingError": Behaviour(
        "0119", decline=Decline("processing_error", "An error occurred while processing your card. Try again.")
    ),
    "authenticationRequired": Behaviour("3184", authenticate=True),
    "createDispute": Behaviour("0259", dispute="chargeback"),
    "createDisputeInquiry": Behaviour("1976", dispute="inquiry"),
    "pendingRefund": Behaviour("7726", refund="pending"),
    "refundFail": Behaviour("5126", refund="failed"),
    CRYPTO: Behaviour(authenticate=True),
}
"""Behaviours by name after `pm_card_` (or `pm_card_visa_`); `crypto` is a method's type."""

NUMBERS: Final = {
    "4242424242424242": VISA,
    "5555555555554444": "mastercard",
    "4000000000000002": "chargeDeclined",
    "4000000000009995": "chargeDeclinedInsufficientFunds",
    "4000000000009987": "chargeDeclinedLostCard",
    "4000000000009979": "chargeDeclinedStolenCard",
    "4000000000000069": "chargeDeclinedExpiredCard",
    "4000000000000127": "chargeDeclinedIncorrectCvc",
    "4000000000000119": "chargeDeclinedProcessingError",
    "4000002760003184": "authenticationRequired",
    "4000000000000259": "createDispute",
    "4000000000001976": "createDisputeInquiry",
    "4000000000007726": "pendingRefund",
    "4000000000005126": "refundFail",
}


def named_method(store: Store, token: str, now: int) -> PaymentMethod:
    """Returns an existing payment method or that of a test card's token. Raises ApiError 400."""
    existing = store.payment_methods.find(token)
    if existing is not None:
        return existing
    name = token.removeprefix("pm_card_")
    name = name.removeprefix("visa_")
    if not token.startswith("pm_card_") or name not in METHODS or name == CRYPTO:
        raise resource_missing("PaymentMethod", token[:80], param="payment_method", status=400)
    return _made(store, name, now)


def sent_method(store: Store, data: Form, now: int) -> PaymentMethod:
    """Returns the payment method that Stripe.js describes. Raises ApiError 400 or 402."""
    kind = data.required("type")
    if kind == CRYPTO:
        return _made(store, CRYPTO, now)
    if kind != "card":
        raise parameter_invalid(f"The payment method type {kind[:80]} is not known here.", "payment_method_data[type]")
    card = data.below("card")
    token = card.text("token")
    if token is not None:
        return named_method(store, "pm_card_" + token.removeprefix("tok_"), now)
    name = NUMBERS.get(card.required("number").replace(" ", ""))
    if name is None:
        message = "Your card number is not one of the test cards of this local processor."
        details = {"param": "number"}
        raise ApiError(402, message, kind="card_error", code="incorrect_number", begun=True, details=details)
    return _made(store, name, now)


def _made(store: Store, behaviour: str, now: int) -> PaymentMethod:
    method, kind = METHODS[behaviour], CRYPTO if behaviour == CRYPTO else "card"
    made = PaymentMethod(id=fresh("pm_"), created=now, behaviour=behaviour, type=kind)
    if kind == CRYPTO:
        made.crypto = {}
    else:
        made.card = {
            "brand": method.brand,
            "country": "US",
            "exp_month": 12,
            "exp_year": 2034,
            "funding": "credit",
            "last4": method.last4,
        }
    store.payment_methods.put(made)
    return made

"""Attempts payments, which succeed, fail, or ask the customer for a step.

Source: https://docs.stripe.com/payments/paymentintents/lifecycle.
"""

from typing import Final, Literal

from pydantic import JsonValue

from devkit.processor.behaviours import CRYPTO, METHODS, Decline
from devkit.processor.calls import Core
from devkit.processor.disputes import Disputes
from devkit.processor.errors import CARD, ApiError, unexpected_state
from devkit.processor.identifiers import fresh
from devkit.processor.objects import Charge, PaymentIntent, PaymentMethod

AUTHORISE_PATH: Final = "/_control/payment_intents/{intent}/authorise"
NOT_AUTHENTICATED: Final = Decline(
    "payment_intent_authentication_failure",
    "The provided PaymentMethod has failed authentication. You can provide payment_method_data or a new PaymentMethod "
    "to attempt to fulfill this PaymentIntent again.",
)

Outcome = Literal["succeeded", "processing", "failed"]


class Payments:
    """Attempts payments."""

    def __init__(self, core: Core, disputes: Disputes) -> None:
        self._core = core
        self._disputes = disputes

    def attempt(self, intent: PaymentIntent, method: PaymentMethod) -> None:
        """Pay the intent. Raises ApiError 402 when it is declined; a retry is possible."""
        behaviour = METHODS[method.behaviour]
        intent.payment_method = method.id
        intent.last_payment_error = intent.next_action = None
        if behaviour.decline is not None:
            raise self._declined(intent, method, behaviour.decline)
        if behaviour.authenticate:
            self._require_action(intent, method)
        else:
            self._succeed(intent, method)

    def authorise(self, intent: PaymentIntent, outcome: Outcome) -> None:
        """Take the step that was asked for, or end a pending payment.

        Raises ApiError 400 when the intent awaits neither.
        """
        if intent.status not in ("requires_action", "processing") or intent.payment_method is None:
            raise unexpected_state(f"The PaymentIntent is {intent.status}.", "payment_intent_unexpected_state")
        method = self._core.store.payment_methods.get(intent.payment_method)
        intent.next_action = None
        if outcome == "succeeded":
            self._succeed(intent, method)
        elif outcome == "processing":
            self._to(intent, "processing")
        else:
            self._fail(intent, method, NOT_AUTHENTICATED)

    def _require_action(self, intent: PaymentIntent, method: PaymentMethod) -> None:
        url = self._core.url() + AUTHORISE_PATH.format(intent=intent.id)
        if method.type == CRYPTO or intent.return_url is not None:
            redirect: JsonValue = {"return_url": intent.return_url, "url": url}
            intent.next_action = {"type": "redirect_to_url", "redirect_to_url": redirect}
        else:
            sdk: JsonValue = {"type": "three_d_secure_redirect", "stripe_js": url}
            intent.next_action = {"type": "use_stripe_sdk", "use_stripe_sdk": sdk}
        self._to(intent, "requires_action")

    def _to(self, intent: PaymentIntent, status: Literal["requires_action", "processing"]) -> None:
        intent.status = status
        self._core.store.payment_intents.put(intent)
        self._core.events.note(f"payment_intent.{status}", intent)

    def _succeed(self, intent: PaymentIntent, method: PaymentMethod) -> None:
        charge = self._charged(intent, method)
        charge.status, charge.paid, charge.captured, charge.amount_captured = "succeeded", True, True, charge.amount
        charge.outcome = {"network_status": "approved_by_network", "reason": None, "type": "authorized"}
        intent.status, intent.amount_received, intent.latest_charge = "succeeded", intent.amount, charge.id
        self._core.store.charges.put(charge)
        self._core.store.payment_intents.put(intent)
        # After both objects are stored, so that a receiver finds them as the event shows them.
        self._core.events.note("charge.succeeded", charge)
        self._core.events.note("payment_intent.succeeded", intent)
        dispute = METHODS[method.behaviour].dispute
        if dispute != "none":
            self._disputes.open(charge, charge.amount, inquiry=dispute == "inquiry")

    def _declined(self, intent: PaymentIntent, method: PaymentMethod, decline: Decline) -> ApiError:
        charge = self._fail(intent, method, decline)
        details: dict[str, JsonValue] = {
            "charge": charge.id,
            "decline_code": decline.decline_code,
            "payment_intent": intent.shown(),
            "payment_method": method.shown(),
        }
        return ApiError(402, decline.message, kind=CARD, code=decline.code, begun=True, details=details)

    def _fail(self, intent: PaymentIntent, method: PaymentMethod, decline: Decline) -> Charge:
        charge = self._charged(intent, method)
        charge.failure_code, charge.failure_message = decline.code, decline.message
        charge.outcome = {
            "network_status": "declined_by_network",
            "reason": decline.decline_code,
            "type": "issuer_declined",
        }
        error: dict[str, JsonValue] = {
            "charge": charge.id,
            "code": decline.code,
            "message": decline.message,
            "type": CARD,
        }
        if decline.decline_code is not None:
            error["decline_code"] = decline.decline_code
        error["payment_method"] = method.shown()
        intent.last_payment_error, intent.latest_charge = error, charge.id
        # Like the real one, removes a declined method, so that another can pay the intent.
        intent.status, intent.payment_method = "requires_payment_method", None
        self._core.store.charges.put(charge)
        self._core.store.payment_intents.put(intent)
        self._core.events.note("charge.failed", charge)
        self._core.events.note("payment_intent.payment_failed", intent)
        return charge

    def _charged(self, intent: PaymentIntent, method: PaymentMethod) -> Charge:
        details: JsonValue = dict(method.card if method.card is not None else method.crypto or {})
        return Charge(
            id=fresh("ch_"),
            created=self._core.now(),
            amount=intent.amount,
            currency=intent.currency,
            customer=intent.customer,
            description=intent.description,
            metadata=dict(intent.metadata),
            payment_intent=intent.id,
            payment_method=method.id,
            payment_method_details={"type": method.type, method.type: details},
            receipt_email=intent.receipt_email,
            status="failed",
        )

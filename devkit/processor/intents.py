"""`/v1/payment_intents`.

Source: https://docs.stripe.com/api/payment_intents.
"""

import hmac
from typing import Final

from devkit.processor.behaviours import CRYPTO, named_method, sent_method
from devkit.processor.calls import Call, Core, Json, Route
from devkit.processor.errors import parameter_invalid, parameter_missing, resource_missing, unexpected_state
from devkit.processor.forms import Form
from devkit.processor.identifiers import client_secret, fresh
from devkit.processor.intent_parameters import amount, automatic, currency, kinds, return_url
from devkit.processor.lists import PAGING_AND_CREATED, listed
from devkit.processor.objects import PaymentIntent, PaymentMethod
from devkit.processor.payments import Payments

CONFIRMABLE: Final = ("requires_payment_method", "requires_confirmation", "requires_action")
CANCELABLE: Final = (*CONFIRMABLE, "requires_capture", "processing")
REASONS: Final = ("abandoned", "duplicate", "fraudulent", "requested_by_customer")
PAYING: Final = frozenset(
    {"payment_method", "payment_method_data", "return_url", "off_session", "receipt_email", "use_stripe_sdk"}
)
CREATING: Final = PAYING | {
    "amount", "currency", "customer", "metadata", "description", "payment_method_types", "automatic_payment_methods",
    "allowed_payment_method_types", "excluded_payment_method_types",
    "confirm",
}  # fmt: skip
OF_STRIPE_JS: Final = frozenset({"client_secret", "expected_payment_method_type"})


class Intents:
    """Create, retrieve, change, confirm, cancel and list."""

    def __init__(self, core: Core, payments: Payments) -> None:
        self._core = core
        self._payments = payments

    def routes(self) -> list[Route]:
        """Returns the routes of intents. The publishable key also needs the client secret."""
        one = "/v1/payment_intents/{intent}"
        changeable = frozenset({"metadata", "description", "receipt_email", "amount"})
        return [
            Route("POST", "/v1/payment_intents", self.create, CREATING),
            Route("GET", "/v1/payment_intents", self.list, PAGING_AND_CREATED | {"customer"}),
            Route("GET", one, self.retrieve, frozenset({"client_secret"}), publishable=True),
            Route("POST", one, self.update, changeable),
            Route("POST", one + "/confirm", self.confirm, PAYING | OF_STRIPE_JS, publishable=True),
            Route("POST", one + "/cancel", self.cancel, frozenset({"cancellation_reason"})),
        ]

    def create(self, call: Call) -> Json:
        """Create an intent to collect `amount` cents."""
        form = call.form
        identifier = fresh("pi_")
        intent = PaymentIntent(
            id=identifier,
            created=self._core.now(),
            amount=amount(form, self._core.limits),
            automatic_payment_methods=automatic(form),
            client_secret=client_secret(identifier),
            currency=currency(form),
            customer=self._customer(form),
            description=form.text("description"),
            metadata=form.metadata({}),
            allowed_payment_method_types=form.texts("allowed_payment_method_types") or None,
            excluded_payment_method_types=form.texts("excluded_payment_method_types") or None,
            payment_method_types=kinds(form),
            receipt_email=form.text("receipt_email"),
            return_url=return_url(form),
        )
        method = self._method(form)
        if method is not None:
            self._check_method(intent, method)
        elif form.flag("confirm"):
            raise parameter_missing("payment_method")
        self._core.store.payment_intents.put(intent)
        self._core.events.note("payment_intent.created", intent)
        if method is not None:
            intent.payment_method, intent.status = method.id, "requires_confirmation"
        if form.flag("confirm"):
            self._confirm(intent, method)
        return intent.shown()

    def list(self, call: Call) -> Json:
        """Returns the intents, newest first."""
        customer = call.form.text("customer")
        found = self._core.store.payment_intents.newest_first()
        return listed(call, self._core.limits, [intent for intent in found if customer in (None, intent.customer)])

    def retrieve(self, call: Call) -> Json:
        """Returns an intent."""
        return self._intent(call).shown()

    def update(self, call: Call) -> Json:
        """Change what is sent; the amount only before anything is paid."""
        intent = self._intent(call)
        form, metadata = call.form, call.form.metadata(intent.metadata)
        if form.has("amount"):
            if intent.status not in CONFIRMABLE:
                raise _unexpected(intent, f"This PaymentIntent's amount could not be updated: it is {intent.status}.")
            intent.amount = amount(form, self._core.limits)
        intent.metadata = metadata
        for name in ("description", "receipt_email"):
            if form.has(name):
                setattr(intent, name, form.text(name))
        self._core.store.payment_intents.put(intent)
        return intent.shown()

    def confirm(self, call: Call) -> Json:
        """Attempt to pay. Raises ApiError 402 when the card is declined."""
        intent = self._intent(call)
        if call.form.has("return_url"):
            intent.return_url = return_url(call.form)
        self._confirm(intent, self._method(call.form))
        return intent.shown()

    def _confirm(self, intent: PaymentIntent, method: PaymentMethod | None) -> None:
        if intent.status not in CONFIRMABLE:
            done = "already succeeded after being previously confirmed"
            why = done if intent.status == "succeeded" else f"a status of {intent.status}"
            raise _unexpected(intent, f"You cannot confirm this PaymentIntent because it has {why}.")
        if method is None and intent.payment_method is not None:
            method = self._core.store.payment_methods.get(intent.payment_method)
        if method is None:
            raise _unexpected(
                intent,
                "You cannot confirm this PaymentIntent because it's missing a payment method. To confirm the "
                "PaymentIntent, specify a payment method attached to this customer along with the customer ID.",
            )
        self._check_method(intent, method)
        self._payments.attempt(intent, method)

    def _check_method(self, intent: PaymentIntent, method: PaymentMethod) -> None:
        if method.type not in intent.payment_method_types:
            message = f"The PaymentMethod provided ({method.type}) is not allowed for this PaymentIntent."
            raise parameter_invalid(message, "payment_method")
        if method.type == CRYPTO and intent.return_url is None:
            message = "A `return_url` must be specified: this payment method sends the customer to another page."
            raise parameter_invalid(message, "return_url")

    def cancel(self, call: Call) -> Json:
        """End an intent that is not paid."""
        reason = call.form.text("cancellation_reason")
        if reason not in (None, *REASONS):
            raise parameter_invalid(
                f"Invalid cancellation_reason: must be one of {', '.join(REASONS)}", "cancellation_reason"
            )
        intent = self._intent(call)
        if intent.status not in CANCELABLE:
            raise _unexpected(
                intent,
                f"You cannot cancel this PaymentIntent because it has a status of {intent.status}. Only a PaymentIntent "
                f"with one of the following statuses may be canceled: {', '.join(CANCELABLE)}.",
            )
        intent.status, intent.canceled_at, intent.cancellation_reason = "canceled", self._core.now(), reason
        intent.next_action = None
        self._core.store.payment_intents.put(intent)
        self._core.events.note("payment_intent.canceled", intent)
        return intent.shown()

    def _intent(self, call: Call) -> PaymentIntent:
        intent = self._core.store.payment_intents.get(call.ids["intent"])
        if call.secret:
            return intent
        sent = call.form.required("client_secret")
        if not hmac.compare_digest(sent.encode(), intent.client_secret.encode()):
            # Not found rather than forbidden, since only the secret may reveal intents.
            raise resource_missing("payment_intent", intent.id, param="intent")
        return intent

    def _customer(self, form: Form) -> str | None:
        identifier = form.text("customer")
        if identifier is None:
            return None
        customer = self._core.store.customers.named(identifier, "customer")
        if customer.deleted:
            raise resource_missing("customer", identifier, param="customer", status=400)
        return customer.id

    def _method(self, form: Form) -> PaymentMethod | None:
        token = form.text("payment_method")
        if token is not None:
            return named_method(self._core.store, token, self._core.now())
        data = form.below("payment_method_data")
        return sent_method(self._core.store, data, self._core.now()) if data.tree else None


def _unexpected(intent: PaymentIntent, message: str) -> Exception:
    return unexpected_state(message, "payment_intent_unexpected_state", {"payment_intent": intent.shown()})

"""`/v1/refunds`, and the charges they belong to.

Source: https://docs.stripe.com/api/refunds and https://docs.stripe.com/refunds.
"""

from typing import Final, Literal

from pydantic import JsonValue

from devkit.processor.behaviours import METHODS
from devkit.processor.calls import Call, Core, Json, Route
from devkit.processor.errors import parameter_invalid, parameter_missing, unexpected_state
from devkit.processor.identifiers import fresh
from devkit.processor.lists import PAGING_AND_CREATED, listed
from devkit.processor.objects import Charge, Refund

REASONS: Final = ("duplicate", "fraudulent", "requested_by_customer")


class Refunds:
    """Create, retrieve and list refunds; retrieve and list charges."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def routes(self) -> list[Route]:
        """Returns the routes of refunds."""
        of_charge = frozenset({"charge", "payment_intent"})
        return [
            Route("POST", "/v1/refunds", self.create, of_charge | {"amount", "reason", "metadata"}),
            Route("GET", "/v1/refunds", self.list, PAGING_AND_CREATED | of_charge),
            Route("GET", "/v1/refunds/{refund}", self.retrieve),
            Route("POST", "/v1/refunds/{refund}", self.update, frozenset({"metadata"})),
            Route("GET", "/v1/charges", self.list_charges, PAGING_AND_CREATED | {"customer", "payment_intent"}),
            Route("GET", "/v1/charges/{charge}", self.retrieve_charge),
        ]

    def create(self, call: Call) -> Json:
        """Give a charge or a part of it back. Raises ApiError 400 when less is left."""
        form, reason, metadata = call.form, call.form.text("reason"), call.form.metadata({})
        if reason not in (None, *REASONS):
            raise parameter_invalid(f"Invalid reason: must be one of {', '.join(REASONS)}", "reason")
        charge, asked = self._charge(call), form.integer("amount")
        amount = self._refundable(charge, asked)
        refund = Refund(
            id=fresh("re_"),
            created=self._core.now(),
            amount=amount,
            charge=charge.id,
            currency=charge.currency,
            destination_details={"type": charge.payment_method_details["type"]},
            metadata=metadata,
            payment_intent=charge.payment_intent,
            reason=reason,
            status="pending",
        )
        self._begin(charge, refund)
        return refund.shown()

    def _begin(self, charge: Charge, refund: Refund) -> None:
        method = self._core.store.payment_methods.get(charge.payment_method)
        outcome = METHODS[method.behaviour].refund
        # A refund that fails has succeeded at first, as documented for its test card.
        refund.status = "pending" if outcome == "pending" else "succeeded"
        before: dict[str, JsonValue] = {"amount_refunded": charge.amount_refunded, "refunded": charge.refunded}
        charge.amount_refunded += refund.amount
        charge.refunded = charge.amount_refunded == charge.amount
        self._core.store.refunds.put(refund)
        self._core.store.charges.put(charge)
        self._core.events.note("refund.created", refund)
        self._core.events.note("charge.refunded", charge, before)
        if outcome == "failed":
            self.end(refund, "failed")

    def end(self, refund: Refund, outcome: Literal["succeeded", "failed"]) -> None:
        """End a refund. Raises ApiError 400 when it had this outcome, or failed, before."""
        if refund.status in (outcome, "failed", "canceled"):
            raise unexpected_state(f"This refund is already {refund.status}.", "refund_already_ended")
        previous = {"status": refund.status}
        refund.status = outcome
        if outcome == "failed":
            refund.failure_reason = "expired_or_canceled_card"
            charge = self._core.store.charges.get(refund.charge)
            charge.amount_refunded -= refund.amount
            charge.refunded = False
            self._core.store.charges.put(charge)
        self._core.store.refunds.put(refund)
        self._core.events.note("refund.updated", refund, previous)
        self._core.events.note("charge.refund.updated", refund, previous)
        if outcome == "failed":
            self._core.events.note("refund.failed", refund)

    def list(self, call: Call) -> Json:
        """Returns the refunds, newest first."""
        charge, intent = call.form.text("charge"), call.form.text("payment_intent")
        return listed(
            call,
            self._core.limits,
            [
                refund
                for refund in self._core.store.refunds.newest_first()
                if charge in (None, refund.charge) and intent in (None, refund.payment_intent)
            ],
        )

    def retrieve(self, call: Call) -> Json:
        """Returns a refund."""
        return self._core.store.refunds.get(call.ids["refund"]).shown()

    def update(self, call: Call) -> Json:
        """Change its metadata."""
        refund = self._core.store.refunds.get(call.ids["refund"])
        refund.metadata = call.form.metadata(refund.metadata)
        self._core.store.refunds.put(refund)
        return refund.shown()

    def list_charges(self, call: Call) -> Json:
        """Returns the charges, newest first."""
        customer, intent = call.form.text("customer"), call.form.text("payment_intent")
        return listed(
            call,
            self._core.limits,
            [
                charge
                for charge in self._core.store.charges.newest_first()
                if customer in (None, charge.customer) and intent in (None, charge.payment_intent)
            ],
        )

    def retrieve_charge(self, call: Call) -> Json:
        """Returns a charge."""
        return self._core.store.charges.get(call.ids["charge"]).shown()

    def _charge(self, call: Call) -> Charge:
        charge, intent = call.form.text("charge"), call.form.text("payment_intent")
        if charge is None and intent is None:
            raise parameter_missing("payment_intent")
        if charge is not None:
            return self._core.store.charges.named(charge, "charge")
        paid = self._core.store.payment_intents.named(intent or "", "payment_intent")
        if paid.status != "succeeded" or paid.latest_charge is None:
            message = f"This PaymentIntent ({paid.id}) does not have a successful charge to refund."
            raise unexpected_state(message, "payment_intent_unexpected_state", {"payment_intent": paid.shown()})
        return self._core.store.charges.get(paid.latest_charge)

    def _refundable(self, charge: Charge, asked: int | None) -> int:
        left = charge.amount_captured - charge.amount_refunded
        if charge.disputed and self._is_taken_back(charge):
            raise unexpected_state(
                f"Charge {charge.id} has been charged back; cannot issue a refund.", "charge_disputed"
            )
        if not left:
            raise unexpected_state(f"Charge {charge.id} has already been refunded.", "charge_already_refunded")
        if asked is not None and asked < 1:
            raise parameter_invalid(
                "This value must be greater than or equal to 1.", "amount", "parameter_invalid_integer"
            )
        if asked is not None and asked > left:
            message = (
                f"Refund amount (${asked / 100:.2f}) is greater than unrefunded amount on charge (${left / 100:.2f})"
            )
            raise parameter_invalid(message, "amount")
        return left if asked is None else asked

    def _is_taken_back(self, charge: Charge) -> bool:
        disputes = self._core.store.disputes.oldest_first()
        return any(
            dispute.charge == charge.id and not dispute.is_charge_refundable and dispute.status != "won"
            for dispute in disputes
        )

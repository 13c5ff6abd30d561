"""`/v1/disputes`, payments taken back by the customer's bank, for a while or permanently.

Source: https://docs.stripe.com/api/disputes and https://docs.stripe.com/testing#disputes. The
amount is withdrawn when the dispute opens, and reinstated when it is won; an inquiry moves nothing.
Earlier partial refunds come back after a loss:
https://support.stripe.com/questions/dispute-for-full-charge-amount-after-a-partial-refund-was-issued
"""

from typing import Final

from devkit.processor.calls import Call, Core, Json, Route
from devkit.processor.errors import parameter_invalid, unexpected_state
from devkit.processor.identifiers import fresh
from devkit.processor.lists import PAGING_AND_CREATED, listed
from devkit.processor.objects import Charge, Dispute

EVIDENCE_DAYS: Final = 9
OPEN: Final = ("needs_response", "warning_needs_response")


class Disputes:
    """Open, answer, close, retrieve and list."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def routes(self) -> list[Route]:
        """Returns the routes of disputes."""
        filters = frozenset({"charge", "payment_intent"})
        return [
            Route("GET", "/v1/disputes", self.list, PAGING_AND_CREATED | filters),
            Route("GET", "/v1/disputes/{dispute}", self.retrieve),
            Route("POST", "/v1/disputes/{dispute}", self.update, frozenset({"evidence", "metadata", "submit"})),
            Route("POST", "/v1/disputes/{dispute}/close", self.close),
        ]

    def open(self, charge: Charge, amount: int, *, inquiry: bool = False) -> Dispute:
        """Take `amount` back as the bank, or only inquire. Raises ApiError 400 if impossible."""
        if charge.disputed or charge.status != "succeeded" or not 0 < amount <= charge.amount:
            raise unexpected_state(f"Charge {charge.id} cannot be disputed for {amount}.", "charge_disputed")
        now = self._core.now()
        dispute = Dispute(
            id=fresh("du_"),
            created=now,
            amount=amount,
            charge=charge.id,
            currency=charge.currency,
            evidence_details={"due_by": now + EVIDENCE_DAYS * 86_400, "has_evidence": False, "submission_count": 0},
            is_charge_refundable=inquiry,
            payment_intent=charge.payment_intent,
            status="warning_needs_response" if inquiry else "needs_response",
        )
        charge.disputed = True
        self._core.store.charges.put(charge)
        self._core.store.disputes.put(dispute)
        self._core.events.note("charge.dispute.created", dispute)
        if not inquiry:
            # An inquiry is only a question. The money stays until it becomes a dispute.
            self._move(dispute, -amount, "Chargeback withdrawal")
            self._core.events.note("charge.dispute.funds_withdrawn", dispute)
        return dispute

    def resolve(self, dispute: Dispute, *, won: bool, returned: int = 0) -> None:
        """Decide as the bank, which returns `returned` cents after a loss. An inquiry is closed.

        Raises ApiError 400 when it is closed already.
        """
        if dispute.status not in OPEN:
            raise unexpected_state(f"This dispute is already {dispute.status}.", "dispute_already_closed")
        previous, inquiry = {"status": dispute.status}, dispute.is_charge_refundable
        dispute.status = "warning_closed" if inquiry else "won" if won else "lost"
        comes_back = {"won": dispute.amount, "lost": returned}.get(dispute.status, 0)
        if comes_back:
            self._move(dispute, comes_back, "Chargeback reversal")
        self._core.store.disputes.put(dispute)
        self._core.events.note("charge.dispute.updated", dispute, previous)
        if comes_back:
            self._core.events.note("charge.dispute.funds_reinstated", dispute)
        self._core.events.note("charge.dispute.closed", dispute)

    def list(self, call: Call) -> Json:
        """Returns the disputes, newest first."""
        charge, intent = call.form.text("charge"), call.form.text("payment_intent")
        return listed(
            call,
            self._core.limits,
            [
                dispute
                for dispute in self._core.store.disputes.newest_first()
                if charge in (None, dispute.charge) and intent in (None, dispute.payment_intent)
            ],
        )

    def retrieve(self, call: Call) -> Json:
        """Returns a dispute."""
        return self._core.store.disputes.get(call.ids["dispute"]).shown()

    def update(self, call: Call) -> Json:
        """Submit evidence. The texts `winning_evidence` and `losing_evidence` decide at once."""
        dispute = self._core.store.disputes.get(call.ids["dispute"])
        metadata, text = call.form.metadata(dispute.metadata), call.form.below("evidence").text("uncategorized_text")
        if dispute.status not in OPEN and text is not None:
            raise parameter_invalid("This dispute is already closed.", "evidence", "dispute_already_closed")
        dispute.metadata = metadata
        if text is not None:
            dispute.evidence = {"uncategorized_text": text}
        self._core.store.disputes.put(dispute)
        if text in ("winning_evidence", "losing_evidence") and call.form.text("submit") != "false":
            self.resolve(dispute, won=text == "winning_evidence")
        return dispute.shown()

    def close(self, call: Call) -> Json:
        """Accept that it is lost."""
        dispute = self._core.store.disputes.get(call.ids["dispute"])
        self.resolve(dispute, won=False)
        return dispute.shown()

    def _move(self, dispute: Dispute, amount: int, why: str) -> None:
        description = f"{why} for {dispute.charge}"
        move: Json = {"object": "balance_transaction", "amount": amount, "currency": dispute.currency}
        dispute.balance_transactions.append(move | {"description": description, "type": "adjustment"})
        self._core.store.disputes.put(dispute)

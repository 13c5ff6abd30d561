"""An account's credit, and buying more."""

from typing import Final

from node.billing.models import (
    BalanceAnswer,
    ConfirmPaymentAnswer,
    ConfirmPaymentRequest,
    CreatePaymentIntentAnswer,
    CreatePaymentIntentRequest,
    ProcessorConfigAnswer,
    WebhookAnswer,
)
from node.billing.payments.service import PaymentService
from node.http.endpoint import Origin, SignedBody
from node.http.errors import ErrorCode, NodeError
from node.http.rate import rate_limit_client
from node.ledger.port import MICRODOLLARS_PER_CENT, Ledger
from node.permissions.grants import Caller

_ASK_AGAIN_S: Final = 3600


class BillingService:
    """Balances from the ledger; payments through the card processor, where there is one."""

    def __init__(self, ledger: Ledger, payments: PaymentService | None = None) -> None:
        self._ledger = ledger
        self._payments = payments

    async def balance(self, caller: Caller) -> BalanceAnswer:
        """Return the credit of the caller's account: parts of a cent are rounded to the account's disadvantage."""
        balance = await self._ledger.balance(caller.master_hash)
        credit_cents = balance.credit_microdollars // MICRODOLLARS_PER_CENT
        return BalanceAnswer(
            balance_cents=-credit_cents,
            balance_display=_dollars(credit_cents),
            credit_cents=credit_cents,
            reserved_cents=-(-balance.reserved_microdollars // MICRODOLLARS_PER_CENT),
        )

    async def processor_config(self) -> ProcessorConfigAnswer:
        """Return what a browser needs to pay. Raises NodeError `billing_disabled`: there is no card processor."""
        return ProcessorConfigAnswer(publishable_key=self._configured.processor.publishable_key)

    async def create_payment_intent(
        self, caller: Caller, request: CreatePaymentIntentRequest, origin: Origin, client_address: str
    ) -> CreatePaymentIntentAnswer:
        """Begin a payment for the caller's account; one for each Idempotency-Key.

        Raises NodeError `billing_disabled`, `billing_unavailable`, `too_many_requests`.
        """
        begun = await self._configured.payments.create(
            caller.master_hash,
            request.amount_cents,
            origin.idempotency_id,
            _usage_key(caller),
            rate_limit_client(client_address),
        )
        return CreatePaymentIntentAnswer(client_secret=begun.client_secret, payment_intent_id=begun.intent)

    async def confirm_payment(
        self, caller: Caller, request: ConfirmPaymentRequest, client_address: str
    ) -> ConfirmPaymentAnswer:
        """Credit a payment that succeeded, unless it is credited already: the answer is the same.

        Raises NodeError `billing_disabled`, `not_found`, `conflict` (it has not succeeded), `billing_unavailable`,
        `too_many_requests`.
        """
        credited_cents = await self._configured.payments.confirm(
            caller.master_hash, request.payment_intent_id, _usage_key(caller), rate_limit_client(client_address)
        )
        balance = await self.balance(caller)
        return ConfirmPaymentAnswer(success=True, credited_cents=credited_cents, balance_cents=balance.balance_cents)

    async def webhook(self, body: SignedBody) -> WebhookAnswer:
        """Handle a call of the card processor; its effects are durable when this returns.

        Raises NodeError `billing_disabled`, `bad_request`, `payload_too_large`, `billing_unavailable`.
        """
        await self._configured.webhook.receive(body.content, body.signature)
        return WebhookAnswer()

    @property
    def _configured(self) -> PaymentService:
        if self._payments is None:
            raise _no_processor()
        return self._payments


def _usage_key(caller: Caller) -> int | None:
    return None if caller.is_account_key else caller.key_hash


def _dollars(cents: int) -> str:
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100}.{abs(cents) % 100:02d}"


def _no_processor() -> NodeError:
    return NodeError(
        ErrorCode.BILLING_DISABLED,
        "This node has no card processor, so credit cannot be bought here.",
        fix="Ask the node's operator how credit is added.",
        retry_after_s=_ASK_AGAIN_S,
    )

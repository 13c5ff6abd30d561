"""An account's credit, and buying more."""

from node.billing.models import (
    BalanceAnswer,
    ConfirmPaymentAnswer,
    ConfirmPaymentRequest,
    CreatePaymentIntentAnswer,
    CreatePaymentIntentRequest,
    ProcessorConfigAnswer,
)
from node.errors import ErrorCode, NodeError
from node.ledger.port import MICRODOLLARS_PER_CENT, Ledger
from node.permissions.grants import Caller


class BillingService:
    """Balances from the ledger. This node has no card processor, so nothing can be bought."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def balance(self, caller: Caller) -> BalanceAnswer:
        """The credit of the caller's account: parts of a cent are rounded to the account's disadvantage."""
        balance = await self._ledger.balance(caller.master_hash)
        credit_cents = balance.credit_microdollars // MICRODOLLARS_PER_CENT
        return BalanceAnswer(
            balance_cents=-credit_cents,
            balance_display=_dollars(credit_cents),
            credit_cents=credit_cents,
            reserved_cents=-(-balance.reserved_microdollars // MICRODOLLARS_PER_CENT),
        )

    async def processor_config(self) -> ProcessorConfigAnswer:
        """Raises NodeError `billing_disabled`: there is no card processor."""
        raise _no_processor()

    async def create_payment_intent(
        self, caller: Caller, request: CreatePaymentIntentRequest
    ) -> CreatePaymentIntentAnswer:
        """Raises NodeError `billing_disabled`: there is no card processor."""
        del caller, request
        raise _no_processor()

    async def confirm_payment(self, caller: Caller, request: ConfirmPaymentRequest) -> ConfirmPaymentAnswer:
        """Raises NodeError `billing_disabled`: there is no card processor."""
        del caller, request
        raise _no_processor()


def _dollars(cents: int) -> str:
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100}.{abs(cents) % 100:02d}"


def _no_processor() -> NodeError:
    return NodeError(
        ErrorCode.BILLING_DISABLED,
        "This node has no card processor, so credit cannot be bought here.",
        fix="Ask the node's operator how credit is added.",
        retry_after_s=3600,
    )

"""Credit of an account, and card payments that add to it."""

from typing import Annotated, Final, Literal, Protocol

from pydantic import BaseModel, Field, StrictInt, StringConstraints

from node.api.calls import Origin, SignedBody
from node.api.errors import ErrorCode, NodeError
from node.billing.payments.service import PaymentService
from node.chain.port import AccountNames
from node.errors import DomainError
from node.ledger.port import MICRODOLLARS_PER_CENT, Ledger
from node.ledger.statement import dollars
from node.permissions.grants import Caller
from node.runtime.limits import rate_limit_client


class NewAccounts(Protocol):
    """Creates the card processor's customer of a new account, with its e-mail address."""

    async def opened(self, account: int, email: str | None) -> None:
        """Stores a new account (master hash). Idempotent. Raises LedgerUnavailableError."""
        ...


class IgnoredAccounts:
    """NewAccounts of a node without a card processor. The address is not stored."""

    async def opened(self, account: int, email: str | None) -> None:
        """Does nothing."""


MIN_PAYMENT_CENTS: Final = 500
"""Minimum payment. It is part of the API, not a setting."""

MAX_PAYMENT_CENTS: Final = 99_999_999
"""Maximum payment, which is the card processor's own limit in US dollars."""


class BalanceAnswer(BaseModel, frozen=True):
    """Balance in whole cents. As at the card processor, a negative `balance_cents` means credit.

    `credit_cents` includes the `reserved_cents` that are set aside for calls under way.
    """

    balance_cents: int
    balance_display: str
    credit_cents: int
    reserved_cents: int


class ProcessorConfigAnswer(BaseModel, frozen=True):
    """The key a browser needs to talk to the card processor."""

    publishable_key: str


class CreatePaymentIntentRequest(BaseModel, frozen=True, extra="forbid"):
    """A payment by card of at least 5.00 USD."""

    amount_cents: Annotated[StrictInt, Field(ge=MIN_PAYMENT_CENTS, le=MAX_PAYMENT_CENTS)]


class CreatePaymentIntentAnswer(BaseModel, frozen=True):
    """Values that the browser needs to confirm the payment."""

    client_secret: Annotated[str, Field(repr=False)]
    payment_intent_id: str


class ConfirmPaymentRequest(BaseModel, frozen=True, extra="forbid"):
    """A payment intent that was confirmed in the browser."""

    payment_intent_id: Annotated[str, StringConstraints(strict=True, pattern=r"^[A-Za-z0-9_]{1,255}$")]


class ConfirmPaymentAnswer(BaseModel, frozen=True):
    """Amount that the payment credited, and the balance now. A negative balance means credit."""

    success: bool
    credited_cents: int
    balance_cents: int


class WebhookAnswer(BaseModel, frozen=True):
    """Confirmation that the event's content is durable."""

    received: Literal[True] = True


_ASK_AGAIN_S: Final = 3600


class BillingService:
    """Balances from the ledger, and payments through the card processor if there is one."""

    def __init__(
        self, ledger: Ledger, payments: PaymentService | None = None, names: AccountNames | None = None
    ) -> None:
        self._ledger = ledger
        self._payments = payments
        self._names = names

    async def balance(self, caller: Caller) -> BalanceAnswer:
        """Returns the credit of the caller's account. Parts of a cent are rounded down."""
        balance = await self._ledger.balance(caller.master_hash)
        credit_cents = balance.credit_microdollars // MICRODOLLARS_PER_CENT
        return BalanceAnswer(
            balance_cents=-credit_cents,
            balance_display=dollars(credit_cents * MICRODOLLARS_PER_CENT),
            credit_cents=credit_cents,
            reserved_cents=-(-balance.reserved_microdollars // MICRODOLLARS_PER_CENT),
        )

    async def processor_config(self) -> ProcessorConfigAnswer:
        """Returns the key that a browser needs to pay. Raises NodeError `billing_disabled`."""
        return ProcessorConfigAnswer(publishable_key=self._configured.processor.publishable_key)

    async def create_payment_intent(
        self, caller: Caller, request: CreatePaymentIntentRequest, origin: Origin, client_address: str
    ) -> CreatePaymentIntentAnswer:
        """Begins a payment for the caller's account. Idempotent for each Idempotency-Key.

        Raises NodeError `billing_disabled`, `billing_unavailable`, LimitReachedError.
        """
        begun = await self._configured.payments.create(
            caller.master_hash,
            request.amount_cents,
            origin.idempotency_id,
            _usage_key(caller),
            rate_limit_client(client_address),
            self._name,
        )
        return CreatePaymentIntentAnswer(client_secret=begun.client_secret, payment_intent_id=begun.intent)

    async def confirm_payment(
        self, caller: Caller, request: ConfirmPaymentRequest, client_address: str
    ) -> ConfirmPaymentAnswer:
        """Credits a payment that succeeded. Idempotent.

        Raises NodeError `billing_disabled`, `not_found`, `conflict` (not successful yet),
        `billing_unavailable`, LimitReachedError.
        """
        credited_cents = await self._configured.payments.confirm(
            caller.master_hash, request.payment_intent_id, _usage_key(caller), rate_limit_client(client_address)
        )
        # Read after the credit is entered, so that the balance includes it.
        balance = await self.balance(caller)
        return ConfirmPaymentAnswer(success=True, credited_cents=credited_cents, balance_cents=balance.balance_cents)

    async def webhook(self, body: SignedBody) -> WebhookAnswer:
        """Handles a call of the card processor. Its effects are durable on return.

        Raises `billing_disabled`, `bad_request`, `payload_too_large`, `billing_unavailable`.
        """
        await self._configured.webhook.receive(body.content, body.signature)
        return WebhookAnswer()

    async def _name(self, account: int) -> str:
        """Returns the account's name, or "" if the chain is down, as a payment needs none."""
        if self._names is None:
            return ""
        try:
            return await self._names.account_name(account)
        except DomainError:
            return ""

    @property
    def _configured(self) -> PaymentService:
        if self._payments is None:
            raise NodeError(
                ErrorCode.BILLING_DISABLED,
                "This node has no card processor, so credit cannot be bought here.",
                fix="Ask the node's operator how credit is added.",
                retry_after_s=_ASK_AGAIN_S,
            )
        return self._payments


def _usage_key(caller: Caller) -> int | None:
    return None if caller.is_account_key else caller.key_hash

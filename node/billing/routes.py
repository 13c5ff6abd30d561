"""Billing endpoints: balances, card payments, token payments, usage records."""

from typing import Final

from node.api.calls import CSV, Call, Document, Listing, NoInput, SignedBody
from node.api.errors import ErrorCode
from node.api.paging import PageQuery
from node.billing.service import (
    BalanceAnswer,
    BillingService,
    ConfirmPaymentAnswer,
    ConfirmPaymentRequest,
    CreatePaymentIntentAnswer,
    CreatePaymentIntentRequest,
    ProcessorConfigAnswer,
    WebhookAnswer,
)
from node.billing.tokens.service import EXAMPLE_CONFIG, TokenConfigAnswer, TokenPaymentItem, TokenService
from node.billing.usage import UsageItem, UsageQuery, UsageService
from node.http.endpoint import Access, AnyEndpoint, Auth, Docs, Group, Operation, Responses

SIGNATURE_HEADER: Final = "Stripe-Signature"
"""Name of the processor's header (https://docs.stripe.com/webhooks/signature)."""

_ERRORS: Final = frozenset({ErrorCode.BILLING_DISABLED, ErrorCode.BILLING_UNAVAILABLE})
_READS: Final = Group("Billing", Access(Auth.ANY_KEY, open_to_converted=True, wallet_auth=True), _ERRORS)
_PAYMENTS: Final = Group("Billing", Access(Auth.ANY_KEY, wallet_auth=True), _ERRORS)
_WITHOUT_KEY: Final = Group("Billing", Access(Auth.NONE), _ERRORS)


def endpoints(service: BillingService) -> list[AnyEndpoint]:
    """Returns the endpoints of balances and card payments."""
    return [
        _READS(
            Operation("GET", "/billing/balance", NoInput, BalanceAnswer, lambda call, _: service.balance(call.caller)),
            Docs(
                "Credit balance of the account",
                "`balance_cents` follows the card processor's sign: negative means credit.",
                example={"balance_cents": -500, "balance_display": "$5.00", "credit_cents": 500, "reserved_cents": 0},
            ),
            errors=frozenset({ErrorCode.BILLING_UNAVAILABLE}),
        ),
        _WITHOUT_KEY(
            Operation(
                "GET",
                "/billing/processor_config",
                NoInput,
                ProcessorConfigAnswer,
                lambda _call, _: service.processor_config(),
            ),
            Docs(
                "The card processor's publishable key",
                "For the page that takes the card; it is no secret.",
                example={"publishable_key": "pk_test_local"},
            ),
        ),
        *_card_payments(service),
        _WITHOUT_KEY(
            Operation(
                "POST",
                "/billing/webhook",
                SignedBody,
                WebhookAnswer,
                lambda _, body: service.webhook(body),
                signature_header=SIGNATURE_HEADER,
            ),
            Docs(
                "Calls of the card processor",
                "For the card processor alone, which signs its calls. 200: the content of the event is durable.",
                example={"id": "evt_1OExample", "object": "event", "type": "payment_intent.succeeded"},
            ),
        ),
    ]


def _card_payments(service: BillingService) -> list[AnyEndpoint]:
    return [
        _PAYMENTS(
            Operation(
                "POST",
                "/billing/create_payment_intent",
                CreatePaymentIntentRequest,
                CreatePaymentIntentAnswer,
                lambda call, request: service.create_payment_intent(
                    call.caller, request, call.origin, call.client_address
                ),
            ),
            Docs(
                "Begin a payment by card",
                "`client_secret` is for the page that takes the card. Nothing is credited before the payment succeeds.",
                example={"amount_cents": 500},
            ),
        ),
        _PAYMENTS(
            Operation(
                "POST",
                "/billing/confirm_payment",
                ConfirmPaymentRequest,
                ConfirmPaymentAnswer,
                lambda call, request: service.confirm_payment(call.caller, request, call.client_address),
            ),
            Docs(
                "Credit a payment that succeeded",
                "Repeated, it is the same answer and never a second credit. A payment is credited without this call too. "
                "404: not a payment of this account. 409: it has not succeeded, `details.status` says how far it is.",
                example={"payment_intent_id": "pi_3OExample"},
            ),
            errors=_ERRORS | {ErrorCode.NOT_FOUND, ErrorCode.CONFLICT},
        ),
    ]


def token_endpoints(service: TokenService) -> list[AnyEndpoint]:
    """Returns the endpoints of token payments."""
    return [
        _READS(
            Operation(
                "GET", "/billing/token_config", NoInput, TokenConfigAnswer, lambda call, _: service.config(call.caller)
            ),
            Docs(
                "How to pay for credit with tokens",
                "Anybody may pay for any account: tokens go to the operator's treasury, and the account that the "
                "payment names is credited at the price shown here, rounded down to whole micro-dollars.",
                example=EXAMPLE_CONFIG,
            ),
            errors=frozenset({ErrorCode.BILLING_DISABLED}),
        ),
        _READS(
            Operation(
                "GET",
                "/billing/token_payments",
                PageQuery,
                Listing[TokenPaymentItem],
                lambda call, query: service.payments(call.caller, query.page),
            ),
            Docs("The account's token payments", "The oldest first. One that is `credited` stays so."),
        ),
    ]


def usage_endpoints(service: UsageService) -> list[AnyEndpoint]:
    """Returns `GET /billing/usage`, with JSON by the page or the whole period as CSV."""

    async def handle(call: Call, query: UsageQuery) -> Listing[UsageItem] | Document:
        if call.wants_csv:
            call.headers["Content-Disposition"] = 'attachment; filename="usage.csv"'
            return Document(await service.export(call.caller, query), f"{CSV}; charset=utf-8")
        return await service.page(call.caller, query)

    return [
        _READS(
            Operation("GET", "/billing/usage", UsageQuery, Listing[UsageItem], handle),
            Docs(
                "What was charged, execution by execution and write by write",
                "Oldest first. A usage key is shown its own charges. With `Accept: text/csv` the whole period "
                "comes in one answer, whatever page is asked for; a caller gets a few of these a minute, more are 429.",
            ),
            responses=Responses(also_csv=True),
        )
    ]

"""The billing endpoints over HTTP: balances, payments by card, payments in tokens."""

from typing import Final

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
from node.http.endpoint import AnyEndpoint, Auth, Call, Endpoint, Listing, NoInput, SignedBody
from node.http.errors import ErrorCode
from node.http.paging import PageQuery

SIGNATURE_HEADER: Final = "Stripe-Signature"
"""The processor names it (https://docs.stripe.com/webhooks/signature)."""

_TAG: Final = "Billing"
_ERRORS: Final = frozenset({ErrorCode.BILLING_DISABLED, ErrorCode.BILLING_UNAVAILABLE})


def endpoints(service: BillingService) -> list[AnyEndpoint]:
    """Return the endpoints of balances and card payments."""
    return [
        _balance(service),
        _processor_config(service),
        _create_payment_intent(service),
        _confirm_payment(service),
        _webhook(service),
    ]


def _balance(service: BillingService) -> AnyEndpoint:
    async def handle(call: Call, _: NoInput) -> BalanceAnswer:
        return await service.balance(call.caller)

    return Endpoint(
        "GET",
        "/billing/balance",
        Auth.ANY_KEY,
        NoInput,
        BalanceAnswer,
        handle,
        summary="Credit balance of the account",
        tag=_TAG,
        description="`balance_cents` follows the card processor's sign: negative means credit.",
        example={"balance_cents": -500, "balance_display": "$5.00", "credit_cents": 500, "reserved_cents": 0},
        errors=frozenset({ErrorCode.BILLING_UNAVAILABLE}),
        open_to_converted=True,
        wallet_auth=True,
    )


def _processor_config(service: BillingService) -> AnyEndpoint:
    async def handle(_call: Call, _: NoInput) -> ProcessorConfigAnswer:
        return await service.processor_config()

    return Endpoint(
        "GET",
        "/billing/processor_config",
        Auth.NONE,
        NoInput,
        ProcessorConfigAnswer,
        handle,
        summary="The card processor's publishable key",
        tag=_TAG,
        description="For the page that takes the card; it is no secret.",
        example={"publishable_key": "pk_test_local"},
        errors=_ERRORS,
    )


def _create_payment_intent(service: BillingService) -> AnyEndpoint:
    async def handle(call: Call, request: CreatePaymentIntentRequest) -> CreatePaymentIntentAnswer:
        return await service.create_payment_intent(call.caller, request, call.origin, call.client_address)

    return Endpoint(
        "POST",
        "/billing/create_payment_intent",
        Auth.ANY_KEY,
        CreatePaymentIntentRequest,
        CreatePaymentIntentAnswer,
        handle,
        summary="Begin a payment by card",
        tag=_TAG,
        description="`client_secret` is for the page that takes the card. Nothing is credited before the payment succeeds.",
        errors=_ERRORS,
        wallet_auth=True,
        example={"amount_cents": 500},
    )


def _confirm_payment(service: BillingService) -> AnyEndpoint:
    async def handle(call: Call, request: ConfirmPaymentRequest) -> ConfirmPaymentAnswer:
        return await service.confirm_payment(call.caller, request, call.client_address)

    return Endpoint(
        "POST",
        "/billing/confirm_payment",
        Auth.ANY_KEY,
        ConfirmPaymentRequest,
        ConfirmPaymentAnswer,
        handle,
        summary="Credit a payment that succeeded",
        tag=_TAG,
        description=(
            "Repeated, it is the same answer and never a second credit. A payment is credited without this call too. "
            "404: not a payment of this account. 409: it has not succeeded, `details.status` says how far it is."
        ),
        example={"payment_intent_id": "pi_3OExample"},
        errors=_ERRORS | {ErrorCode.NOT_FOUND, ErrorCode.CONFLICT},
        wallet_auth=True,
    )


def _webhook(service: BillingService) -> AnyEndpoint:
    async def handle(_call: Call, body: SignedBody) -> WebhookAnswer:
        return await service.webhook(body)

    return Endpoint(
        "POST",
        "/billing/webhook",
        Auth.NONE,
        SignedBody,
        WebhookAnswer,
        handle,
        summary="Calls of the card processor",
        tag=_TAG,
        description="For the card processor alone, which signs its calls. 200: the content of the event is durable.",
        errors=_ERRORS,
        signature_header=SIGNATURE_HEADER,
        example={"id": "evt_1OExample", "object": "event", "type": "payment_intent.succeeded"},
    )


def token_endpoints(service: TokenService) -> list[AnyEndpoint]:
    """Return the endpoints of token payments."""
    return [_token_config(service), _token_payments(service)]


def _token_config(service: TokenService) -> AnyEndpoint:
    async def handle(call: Call, _: NoInput) -> TokenConfigAnswer:
        return await service.config(call.caller)

    return Endpoint(
        "GET",
        "/billing/token_config",
        Auth.ANY_KEY,
        NoInput,
        TokenConfigAnswer,
        handle,
        summary="How to pay for credit with tokens",
        tag=_TAG,
        description="Anybody may pay for any account: tokens go to the operator's treasury, and the account that the "
        "payment names is credited at the price shown here, rounded down to whole micro-dollars.",
        example=EXAMPLE_CONFIG,
        errors=frozenset({ErrorCode.BILLING_DISABLED}),
        open_to_converted=True,
        wallet_auth=True,
    )


def _token_payments(service: TokenService) -> AnyEndpoint:
    async def handle(call: Call, query: PageQuery) -> Listing[TokenPaymentItem]:
        return await service.payments(call.caller, query.page)

    return Endpoint(
        "GET",
        "/billing/token_payments",
        Auth.ANY_KEY,
        PageQuery,
        Listing[TokenPaymentItem],
        handle,
        summary="The account's token payments",
        tag=_TAG,
        description="The oldest first. One that is `credited` stays so.",
        errors=frozenset({ErrorCode.BILLING_DISABLED, ErrorCode.BILLING_UNAVAILABLE}),
        open_to_converted=True,
        wallet_auth=True,
    )

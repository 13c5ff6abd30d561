"""Token payments over HTTP."""

from typing import Final

from node.billing.tokens.models import TokenConfigAnswer, TokenPaymentItem
from node.billing.tokens.service import TokenService
from node.http.endpoint import AnyEndpoint, Auth, Call, Endpoint, Listing, NoInput
from node.http.errors import ErrorCode
from node.http.paging import PageQuery

_TAG: Final = "Billing"


def endpoints(service: TokenService) -> list[AnyEndpoint]:
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

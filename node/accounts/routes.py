"""The account endpoints over HTTP."""

from typing import Final

from node.accounts.models import NewAccountAnswer, NewAccountRequest
from node.accounts.service import AccountService
from node.http.endpoint import AnyEndpoint, Auth, Call, Endpoint, NoInput
from node.http.errors import ErrorCode
from node.http.mutation import WRITE_ERRORS

_TAG: Final = "Account and keys"


def endpoints(service: AccountService) -> list[AnyEndpoint]:
    """new_account and account_exists."""
    return [_new_account(service), _account_exists()]


def _new_account(service: AccountService) -> AnyEndpoint:
    async def handle(call: Call, request: NewAccountRequest) -> NewAccountAnswer:
        return await service.new_account(request, call.origin)

    return Endpoint(
        "POST",
        "/new_account",
        Auth.NONE,
        NewAccountRequest,
        NewAccountAnswer,
        handle,
        summary="Open an account",
        tag=_TAG,
        description="Free. Opens the account with its master wallet in one transaction. The key is shown once.",
        errors=WRITE_ERRORS - {ErrorCode.PAYMENT_REQUIRED, ErrorCode.FORBIDDEN, ErrorCode.NOT_FOUND},
        one_time_secret=True,
        free_mint=True,
        example={"account_name": "Example", "account_description": "", "email": "you@example.com"},
    )


def _account_exists() -> AnyEndpoint:
    async def handle(call: Call, _: NoInput) -> bool:
        return call.authenticated is not None

    return Endpoint(
        "GET",
        "/account_exists",
        Auth.SHAPED_KEY,
        NoInput,
        bool,
        handle,
        summary="Whether the key belongs to an account",
        tag=_TAG,
        description="`false` for an unknown, removed or expired key of the right shape.",
        errors=frozenset({ErrorCode.CHAIN_UNAVAILABLE}),
        open_to_converted=True,
    )

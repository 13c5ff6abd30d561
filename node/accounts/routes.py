"""The account endpoints over HTTP."""

from typing import Final

from node.accounts.models import NewAccountAnswer, NewAccountRequest
from node.accounts.service import AccountService
from node.api.calls import NoInput
from node.api.errors import ErrorCode
from node.api.mutation import WRITE_ERRORS
from node.http.endpoint import AnyEndpoint, Auth, Endpoint

_TAG: Final = "Account and keys"


def endpoints(service: AccountService) -> list[AnyEndpoint]:
    """Declares new_account and account_exists."""
    return [
        Endpoint(
            "POST",
            "/new_account",
            Auth.NONE,
            NewAccountRequest,
            NewAccountAnswer,
            service.new_account,
            summary="Open an account",
            tag=_TAG,
            description="Free. Opens the account with its master wallet in one transaction. The key is shown once.",
            errors=WRITE_ERRORS - {ErrorCode.PAYMENT_REQUIRED, ErrorCode.FORBIDDEN, ErrorCode.NOT_FOUND},
            one_time_secret=True,
            idempotency_key_is_secret=True,
            # It is free and needs no key, so address and hourly gas limit it (spec 6.3).
            free_mint=True,
            example={"account_name": "Example", "account_description": "", "email": "you@example.com"},
        ),
        Endpoint(
            "GET",
            "/account_exists",
            Auth.SHAPED_KEY,
            NoInput,
            bool,
            service.account_exists,
            summary="Whether the key belongs to an account",
            tag=_TAG,
            description="`false` for an unknown, removed or expired key of the right shape.",
            example=True,
            errors=frozenset({ErrorCode.CHAIN_UNAVAILABLE}),
            open_to_converted=True,
        ),
    ]

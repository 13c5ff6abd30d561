"""The account endpoints over HTTP."""

from typing import Final

from node.accounts.models import NewAccountAnswer, NewAccountRequest
from node.accounts.service import AccountService
from node.api.calls import NoInput
from node.api.errors import ErrorCode
from node.api.mutation import WRITE_ERRORS
from node.http.endpoint import Access, AnyEndpoint, Auth, Docs, Group, Limits, Operation, Repetition

_ACCOUNT: Final = Group("Account and keys", Access(Auth.NONE))


def endpoints(service: AccountService) -> list[AnyEndpoint]:
    """Declares new_account and account_exists."""
    return [
        _ACCOUNT(
            Operation("POST", "/new_account", NewAccountRequest, NewAccountAnswer, service.new_account),
            Docs(
                "Open an account",
                "Free. Opens the account with its master wallet in one transaction. The key is shown once.",
                example={"account_name": "Example", "account_description": "", "email": "you@example.com"},
            ),
            errors=WRITE_ERRORS - {ErrorCode.PAYMENT_REQUIRED, ErrorCode.FORBIDDEN, ErrorCode.NOT_FOUND},
            repetition=Repetition(one_time_secret=True, key_is_secret=True),
            # It is free and needs no key, so address and hourly gas limit it (spec 6.3).
            limits=Limits(free_mint=True),
        ),
        _ACCOUNT(
            Operation("GET", "/account_exists", NoInput, bool, service.account_exists),
            Docs(
                "Whether the key belongs to an account",
                "`false` for an unknown, removed or expired key of the right shape.",
                example=True,
            ),
            access=Access(Auth.SHAPED_KEY, open_to_converted=True),
            errors=frozenset({ErrorCode.CHAIN_UNAVAILABLE}),
        ),
    ]

"""The ChainSecured endpoints over HTTP."""

from typing import Final

from node.api.errors import ErrorCode
from node.api.mutation import WRITE_ERRORS
from node.chainsecured.envelope import PrimaryType
from node.chainsecured.models import (
    EXAMPLE_WALLET,
    ConvertAnswer,
    ConvertRequest,
    MintedUsageKey,
    MintedWallet,
    SignedRequest,
    example_of,
)
from node.chainsecured.service import ChainSecuredService
from node.http.endpoint import Access, AnyEndpoint, Auth, Docs, Group, Limits, Operation, Repetition

_MINTS: Final = Group("ChainSecured", Access(Auth.NONE), frozenset({ErrorCode.CONFLICT, ErrorCode.CHAIN_UNAVAILABLE}))
_CONVERSION: Final = Group(
    "ChainSecured", Access(Auth.ANY_KEY, open_to_converted=True), WRITE_ERRORS - {ErrorCode.PAYMENT_REQUIRED}
)


def endpoints(service: ChainSecuredService) -> list[AnyEndpoint]:
    """Returns two minting endpoints, which need no key, and the conversion of a managed account."""
    return [
        _MINTS(
            Operation("POST", "/create_wallet_with_signature", SignedRequest, MintedWallet, service.mint_wallet),
            Docs(
                "Mint a wallet for a ChainSecured account",
                "Free. Signed as `CreateWallet`. The wallet is the account's once registerWalletDerivation says so.",
                example=example_of(PrimaryType.CREATE_WALLET),
            ),
            limits=Limits(free_mint=True),
        ),
        _MINTS(
            Operation(
                "POST", "/add_usage_api_key_with_signature", SignedRequest, MintedUsageKey, service.mint_usage_key
            ),
            Docs(
                "Mint a usage key for a ChainSecured account",
                "Free. Signed as `AddUsageApiKey`. The key is shown once, and may do what setUsageApiKey then grants.",
                example=example_of(PrimaryType.ADD_USAGE_API_KEY),
            ),
            repetition=Repetition(one_time_secret=True),
            limits=Limits(free_mint=True),
        ),
        # Any key may ask: one that comes too late is 409, also where it would be 403.
        _CONVERSION(
            Operation("POST", "/convert_to_chain_secured_account", ConvertRequest, ConvertAnswer, service.convert),
            Docs(
                "Hand a managed account to a wallet, for good",
                "Free. Needs the account key, and the new admin's signature as `ConvertAccount`. There is no way back.",
                example={"new_admin_wallet_address": EXAMPLE_WALLET, **example_of(PrimaryType.CONVERT_ACCOUNT)},
            ),
            authorise=service.authorise_convert,
        ),
    ]

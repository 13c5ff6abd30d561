"""The ChainSecured endpoints over HTTP."""

from typing import Final

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
from node.http.endpoint import AnyEndpoint, Auth, Endpoint
from node.http.errors import ErrorCode
from node.http.mutation import WRITE_ERRORS

_TAG: Final = "ChainSecured"
_MINT_ERRORS: Final = frozenset({ErrorCode.CONFLICT, ErrorCode.CHAIN_UNAVAILABLE})


def endpoints(service: ChainSecuredService) -> list[AnyEndpoint]:
    """Returns two minting endpoints, which need no key, and the conversion of a managed account."""
    return [
        Endpoint(
            "POST",
            "/create_wallet_with_signature",
            Auth.NONE,
            SignedRequest,
            MintedWallet,
            service.mint_wallet,
            summary="Mint a wallet for a ChainSecured account",
            tag=_TAG,
            description="Free. Signed as `CreateWallet`. The wallet is the account's once registerWalletDerivation says so.",
            errors=_MINT_ERRORS,
            free_mint=True,
            example=example_of(PrimaryType.CREATE_WALLET),
        ),
        Endpoint(
            "POST",
            "/add_usage_api_key_with_signature",
            Auth.NONE,
            SignedRequest,
            MintedUsageKey,
            service.mint_usage_key,
            summary="Mint a usage key for a ChainSecured account",
            tag=_TAG,
            description="Free. Signed as `AddUsageApiKey`. The key is shown once, and may do what setUsageApiKey then grants.",
            errors=_MINT_ERRORS,
            one_time_secret=True,
            free_mint=True,
            example=example_of(PrimaryType.ADD_USAGE_API_KEY),
        ),
        Endpoint(
            "POST",
            "/convert_to_chain_secured_account",
            # Any key may call: if the account is converted, the response is 409 and not 403.
            Auth.ANY_KEY,
            ConvertRequest,
            ConvertAnswer,
            service.convert,
            summary="Hand a managed account to a wallet, for good",
            tag=_TAG,
            description="Free. Needs the account key, and the new admin's signature as `ConvertAccount`. There is no way back.",
            errors=WRITE_ERRORS - {ErrorCode.PAYMENT_REQUIRED},
            open_to_converted=True,
            example={"new_admin_wallet_address": EXAMPLE_WALLET, **example_of(PrimaryType.CONVERT_ACCOUNT)},
            authorise=service.authorise_convert,
        ),
    ]

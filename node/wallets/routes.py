"""The wallet endpoints over HTTP."""

from typing import Final

from node.http.endpoint import AnyEndpoint, Auth, Endpoint, Listing, NoInput
from node.http.mutation import READ_ERRORS, WRITE_ERRORS
from node.http.paging import PageQuery
from node.wallets.models import CreateWalletAnswer, CreateWalletRequest, GroupWalletsQuery, WalletItem
from node.wallets.service import WalletService

_TAG: Final = "Wallets"
_CREATE: Final = "/create_wallet"


def endpoints(service: WalletService) -> list[AnyEndpoint]:
    """Declares create_wallet (POST, deprecated GET), list_wallets and list_wallets_in_group."""
    return [
        Endpoint(
            "POST",
            _CREATE,
            Auth.ANY_KEY,
            CreateWalletRequest,
            CreateWalletAnswer,
            service.create,
            summary="Mint a wallet",
            tag=_TAG,
            description="A usage key needs `can_create_pkps`. The body may be left out.",
            errors=WRITE_ERRORS,
            example={"name": "Treasury", "description": "Pays the suppliers"},
            authorise=service.authorise_create,
        ),
        # For older clients. GET has no Idempotency-Key (spec 2.7), so a retry mints and pays again.
        Endpoint(
            "GET",
            _CREATE,
            Auth.ANY_KEY,
            NoInput,
            CreateWalletAnswer,
            service.create_unnamed,
            summary="Mint a wallet (use POST)",
            tag=_TAG,
            description="Deprecated: minting is a metered write. Does and costs the same as POST with an empty body.",
            errors=WRITE_ERRORS,
            deprecated_by=_CREATE,
        ),
        Endpoint(
            "GET",
            "/list_wallets",
            Auth.ANY_KEY,
            PageQuery,
            Listing[WalletItem],
            service.list_all,
            summary="The account's wallets",
            tag=_TAG,
            errors=READ_ERRORS,
            open_to_converted=True,
        ),
        Endpoint(
            "GET",
            "/list_wallets_in_group",
            Auth.ANY_KEY,
            GroupWalletsQuery,
            Listing[WalletItem],
            service.list_in_group,
            summary="The wallets permitted in a group",
            tag=_TAG,
            errors=READ_ERRORS,
            open_to_converted=True,
        ),
    ]

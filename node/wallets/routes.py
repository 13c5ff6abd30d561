"""The wallet endpoints over HTTP."""

from typing import Final

from node.api.calls import Listing, NoInput
from node.api.mutation import READ_ERRORS, WRITE_ERRORS
from node.api.paging import PageQuery
from node.http.endpoint import Access, AnyEndpoint, Auth, Docs, Group, Operation
from node.wallets.models import CreateWalletAnswer, CreateWalletRequest, GroupWalletsQuery, WalletItem
from node.wallets.service import WalletService

_READS: Final = Group("Wallets", Access(Auth.ANY_KEY, open_to_converted=True), READ_ERRORS)
_WRITES: Final = Group("Wallets", Access(Auth.ANY_KEY), WRITE_ERRORS)
_CREATE: Final = "/create_wallet"


def endpoints(service: WalletService) -> list[AnyEndpoint]:
    """Declares create_wallet (POST, deprecated GET), list_wallets and list_wallets_in_group."""
    return [
        _WRITES(
            Operation("POST", _CREATE, CreateWalletRequest, CreateWalletAnswer, service.create),
            Docs(
                "Mint a wallet",
                "A usage key needs `can_create_pkps`. The body may be left out.",
                example={"name": "Treasury", "description": "Pays the suppliers"},
            ),
            authorise=service.authorise_create,
        ),
        # For older clients. A GET takes no Idempotency-Key (spec 2.7): a repeated one mints again.
        _WRITES(
            Operation("GET", _CREATE, NoInput, CreateWalletAnswer, service.create_unnamed, deprecated_by=_CREATE),
            Docs(
                "Mint a wallet (use POST)",
                "Deprecated: minting is a metered write. Does and costs the same as POST with an empty body.",
                example={"success": True, "wallet_address": "0x59169f69aDCB90aA9c4607C0f2e18c1218984a18"},
            ),
        ),
        _READS(
            Operation("GET", "/list_wallets", PageQuery, Listing[WalletItem], service.list_all),
            Docs("The account's wallets", "In the order in which they were minted, the master wallet first."),
        ),
        _READS(
            Operation("GET", "/list_wallets_in_group", GroupWalletsQuery, Listing[WalletItem], service.list_in_group),
            Docs(
                "The wallets permitted in a group",
                "The wildcard for every wallet is an item too: its address is forty zeros.",
            ),
        ),
    ]

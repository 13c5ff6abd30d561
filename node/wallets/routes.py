"""The wallet endpoints over HTTP."""

from typing import Final

from node.http.endpoint import AnyEndpoint, Auth, Call, Endpoint, Listing, NoInput
from node.http.mutation import READ_ERRORS, WRITE_ERRORS
from node.http.paging import PageQuery
from node.wallets.models import CreateWalletAnswer, CreateWalletRequest, GroupWalletsQuery, WalletItem
from node.wallets.service import WalletService

_TAG: Final = "Wallets"
_CREATE: Final = "/create_wallet"


def endpoints(service: WalletService) -> list[AnyEndpoint]:
    """create_wallet by POST and, deprecated, by GET; list_wallets; list_wallets_in_group."""
    return [_create(service), _create_by_get(service), _list(service), _list_in_group(service)]


def _create(service: WalletService) -> AnyEndpoint:
    async def handle(call: Call, request: CreateWalletRequest) -> CreateWalletAnswer:
        return await service.create(call.caller, request, call.origin)

    async def authorise(call: Call, _: CreateWalletRequest) -> None:
        await service.authorise_create(call.caller)

    return Endpoint(
        "POST",
        _CREATE,
        Auth.ANY_KEY,
        CreateWalletRequest,
        CreateWalletAnswer,
        handle,
        summary="Mint a wallet",
        tag=_TAG,
        description="A usage key needs `can_create_pkps`. The body may be left out.",
        errors=WRITE_ERRORS,
        example={"name": "Treasury", "description": "Pays the suppliers"},
        authorise=authorise,
    )


def _create_by_get(service: WalletService) -> AnyEndpoint:
    async def handle(call: Call, _: NoInput) -> CreateWalletAnswer:
        return await service.create(call.caller, CreateWalletRequest(), call.origin)

    return Endpoint(
        "GET",
        _CREATE,
        Auth.ANY_KEY,
        NoInput,
        CreateWalletAnswer,
        handle,
        summary="Mint a wallet (use POST)",
        tag=_TAG,
        description="Deprecated: minting is a metered write. Does and costs the same as POST with an empty body.",
        errors=WRITE_ERRORS,
        deprecated_by=_CREATE,
    )


def _list(service: WalletService) -> AnyEndpoint:
    async def handle(call: Call, query: PageQuery) -> Listing[WalletItem]:
        return await service.list_all(call.caller, query.page)

    return Endpoint(
        "GET",
        "/list_wallets",
        Auth.ANY_KEY,
        PageQuery,
        Listing[WalletItem],
        handle,
        summary="The account's wallets",
        tag=_TAG,
        errors=READ_ERRORS,
        open_to_converted=True,
    )


def _list_in_group(service: WalletService) -> AnyEndpoint:
    async def handle(call: Call, query: GroupWalletsQuery) -> Listing[WalletItem]:
        return await service.list_in_group(call.caller, query.group_id, query.page)

    return Endpoint(
        "GET",
        "/list_wallets_in_group",
        Auth.ANY_KEY,
        GroupWalletsQuery,
        Listing[WalletItem],
        handle,
        summary="The wallets permitted in a group",
        tag=_TAG,
        errors=READ_ERRORS,
        open_to_converted=True,
    )

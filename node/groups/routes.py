"""The group endpoints over HTTP."""

from typing import Final

from node.groups.models import (
    AddGroupAnswer,
    AddGroupRequest,
    GroupItem,
    GroupWalletRequest,
    RemoveGroupRequest,
    UpdateGroupRequest,
)
from node.groups.service import GroupService, new_group_id
from node.http.endpoint import AnyEndpoint, Auth, Call, Endpoint, Listing
from node.http.mutation import READ_ERRORS, WRITE_ERRORS, Mutation
from node.http.paging import PageQuery

_TAG: Final = "Groups"


def endpoints(service: GroupService) -> list[AnyEndpoint]:
    """Everything about groups and the wallets in them."""
    return [
        _add(service),
        _list(service),
        _update(service),
        _remove(service),
        _add_wallet(service),
        _remove_wallet(service),
    ]


def _add(service: GroupService) -> AnyEndpoint:
    async def handle(call: Call, request: AddGroupRequest) -> AddGroupAnswer:
        return await service.add(call.caller, request, call.origin)

    async def authorise(call: Call, request: AddGroupRequest) -> None:
        await service.authorise_add(call.caller, request)

    return Endpoint(
        "POST",
        "/add_group",
        Auth.ANY_KEY,
        AddGroupRequest,
        AddGroupAnswer,
        handle,
        summary="Add a group",
        tag=_TAG,
        description="A usage key needs `can_create_groups`, for contents also the grant for all groups; "
        "wildcards and the master wallet need the account key.",
        errors=WRITE_ERRORS,
        example={"group_name": "Signers", "pkp_ids_permitted": [], "cid_hashes_permitted": []},
        from_write=lambda result: {"group_id": new_group_id(result)},
        authorise=authorise,
    )


def _list(service: GroupService) -> AnyEndpoint:
    async def handle(call: Call, query: PageQuery) -> Listing[GroupItem]:
        return await service.list_all(call.caller, query.page)

    return Endpoint(
        "GET",
        "/list_groups",
        Auth.ANY_KEY,
        PageQuery,
        Listing[GroupItem],
        handle,
        summary="The account's groups",
        tag=_TAG,
        errors=READ_ERRORS,
        open_to_converted=True,
    )


def _update(service: GroupService) -> AnyEndpoint:
    async def handle(call: Call, request: UpdateGroupRequest) -> Mutation:
        return await service.update(call.caller, request, call.origin)

    return Endpoint(
        "POST",
        "/update_group",
        Auth.ACCOUNT_KEY,
        UpdateGroupRequest,
        Mutation,
        handle,
        summary="Replace a group's names and contents",
        tag=_TAG,
        description="Needs both lists, and replaces both.",
        errors=WRITE_ERRORS,
    )


def _remove(service: GroupService) -> AnyEndpoint:
    async def handle(call: Call, request: RemoveGroupRequest) -> Mutation:
        return await service.remove(call.caller, request, call.origin)

    async def authorise(call: Call, _: RemoveGroupRequest) -> None:
        await service.authorise_remove(call.caller)

    return Endpoint(
        "POST",
        "/remove_group",
        Auth.ANY_KEY,
        RemoveGroupRequest,
        Mutation,
        handle,
        summary="Remove a group",
        tag=_TAG,
        description="A usage key needs `can_delete_groups`.",
        errors=WRITE_ERRORS,
        authorise=authorise,
    )


def _add_wallet(service: GroupService) -> AnyEndpoint:
    async def handle(call: Call, request: GroupWalletRequest) -> Mutation:
        return await service.add_wallet(call.caller, request, call.origin)

    async def authorise(call: Call, request: GroupWalletRequest) -> None:
        await service.authorise_add_wallet(call.caller, request)

    return Endpoint(
        "POST",
        "/add_pkp_to_group",
        Auth.ANY_KEY,
        GroupWalletRequest,
        Mutation,
        handle,
        summary="Let a wallet into a group",
        tag=_TAG,
        description="A usage key needs the group in `add_pkp_to_groups`. A wallet that is in already is free.",
        errors=WRITE_ERRORS,
        authorise=authorise,
    )


def _remove_wallet(service: GroupService) -> AnyEndpoint:
    async def handle(call: Call, request: GroupWalletRequest) -> Mutation:
        return await service.remove_wallet(call.caller, request, call.origin)

    async def authorise(call: Call, request: GroupWalletRequest) -> None:
        await service.authorise_remove_wallet(call.caller, request)

    return Endpoint(
        "POST",
        "/remove_pkp_from_group",
        Auth.ANY_KEY,
        GroupWalletRequest,
        Mutation,
        handle,
        summary="Take a wallet out of a group",
        tag=_TAG,
        description="A usage key needs the group in `remove_pkp_from_groups`.",
        errors=WRITE_ERRORS,
        authorise=authorise,
    )

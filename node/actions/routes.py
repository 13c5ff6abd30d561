"""The action endpoints over HTTP (the CID of a source and running one belong to `node/execution`)."""

from typing import Final

from node.actions.models import (
    ActionItem,
    AddActionRequest,
    AddActionToGroupRequest,
    DeleteActionRequest,
    ListActionsQuery,
    RemoveActionFromGroupRequest,
    UpdateActionMetadataRequest,
)
from node.actions.service import ActionService
from node.http.endpoint import AnyEndpoint, Auth, Call, Endpoint, Listing
from node.http.mutation import READ_ERRORS, WRITE_ERRORS, Mutation

_TAG: Final = "Actions"


def endpoints(service: ActionService) -> list[AnyEndpoint]:
    """Everything about registered actions and the actions in groups."""
    return [
        _add(service),
        _add_to_group(service),
        _list(service),
        _update_metadata(service),
        _delete(service),
        _remove_from_group(service),
    ]


def _add(service: ActionService) -> AnyEndpoint:
    async def handle(call: Call, request: AddActionRequest) -> Mutation:
        return await service.add(call.caller, request, call.origin)

    return Endpoint(
        "POST",
        "/add_action",
        Auth.ACCOUNT_KEY,
        AddActionRequest,
        Mutation,
        handle,
        summary="Register an action",
        tag=_TAG,
        description="Takes the CID; a dag-pb CIDv1 is stored as CIDv0.",
        errors=WRITE_ERRORS,
    )


def _add_to_group(service: ActionService) -> AnyEndpoint:
    async def handle(call: Call, request: AddActionToGroupRequest) -> Mutation:
        return await service.add_to_group(call.caller, request, call.origin)

    async def authorise(call: Call, request: AddActionToGroupRequest) -> None:
        await service.authorise_add_to_group(call.caller, request)

    return Endpoint(
        "POST",
        "/add_action_to_group",
        Auth.ANY_KEY,
        AddActionToGroupRequest,
        Mutation,
        handle,
        summary="Permit an action in a group",
        tag=_TAG,
        description="Takes the CID. A usage key needs the group in `manage_ipfs_ids_in_groups`. "
        "An action that is in already is free.",
        errors=WRITE_ERRORS,
        authorise=authorise,
    )


def _list(service: ActionService) -> AnyEndpoint:
    async def handle(call: Call, query: ListActionsQuery) -> Listing[ActionItem]:
        return await service.list_page(call.caller, query)

    return Endpoint(
        "GET",
        "/list_actions",
        Auth.ANY_KEY,
        ListActionsQuery,
        Listing[ActionItem],
        handle,
        summary="The account's actions, or those of one group",
        tag=_TAG,
        description="`group_id` 0, or none, lists the account's registered actions; another lists that group's.",
        errors=READ_ERRORS,
        open_to_converted=True,
    )


def _update_metadata(service: ActionService) -> AnyEndpoint:
    async def handle(call: Call, request: UpdateActionMetadataRequest) -> Mutation:
        return await service.update_metadata(call.caller, request, call.origin)

    return Endpoint(
        "POST",
        "/update_action_metadata",
        Auth.ACCOUNT_KEY,
        UpdateActionMetadataRequest,
        Mutation,
        handle,
        summary="Rename an action",
        tag=_TAG,
        description="Takes the hashed CID.",
        errors=WRITE_ERRORS,
    )


def _delete(service: ActionService) -> AnyEndpoint:
    async def handle(call: Call, request: DeleteActionRequest) -> Mutation:
        return await service.delete(call.caller, request, call.origin)

    return Endpoint(
        "POST",
        "/delete_action",
        Auth.ACCOUNT_KEY,
        DeleteActionRequest,
        Mutation,
        handle,
        summary="Delete an action and its metadata",
        tag=_TAG,
        description="Takes the hashed CID. The action leaves every group.",
        errors=WRITE_ERRORS,
    )


def _remove_from_group(service: ActionService) -> AnyEndpoint:
    async def handle(call: Call, request: RemoveActionFromGroupRequest) -> Mutation:
        return await service.remove_from_group(call.caller, request, call.origin)

    async def authorise(call: Call, request: RemoveActionFromGroupRequest) -> None:
        await service.authorise_remove_from_group(call.caller, request)

    return Endpoint(
        "POST",
        "/remove_action_from_group",
        Auth.ANY_KEY,
        RemoveActionFromGroupRequest,
        Mutation,
        handle,
        summary="Take an action out of a group",
        tag=_TAG,
        description="Takes the hashed CID. A usage key needs the group in `manage_ipfs_ids_in_groups`.",
        errors=WRITE_ERRORS,
        authorise=authorise,
    )

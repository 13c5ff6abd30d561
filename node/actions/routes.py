"""HTTP endpoints of registered actions. Those that run actions are in `node/execution`."""

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
from node.http.endpoint import AnyEndpoint, Auth, Endpoint, Listing
from node.http.mutation import READ_ERRORS, WRITE_ERRORS, Mutation

_TAG: Final = "Actions"


def endpoints(service: ActionService) -> list[AnyEndpoint]:
    """Declares every endpoint of registered actions and of the actions in groups."""
    return [*_additions(service), *_lists_and_changes(service)]


def _additions(service: ActionService) -> list[AnyEndpoint]:
    return [
        Endpoint(
            "POST",
            "/add_action",
            Auth.ACCOUNT_KEY,
            AddActionRequest,
            Mutation,
            service.add,
            summary="Register an action",
            tag=_TAG,
            description="Takes the CID; a dag-pb CIDv1 is stored as CIDv0.",
            errors=WRITE_ERRORS,
        ),
        Endpoint(
            "POST",
            "/add_action_to_group",
            Auth.ANY_KEY,
            AddActionToGroupRequest,
            Mutation,
            service.add_to_group,
            summary="Permit an action in a group",
            tag=_TAG,
            description="Takes the CID. A usage key needs the group in `manage_ipfs_ids_in_groups`. "
            "An action that is in already is free.",
            errors=WRITE_ERRORS,
            authorise=service.authorise_add_to_group,
        ),
    ]


def _lists_and_changes(service: ActionService) -> list[AnyEndpoint]:
    return [
        Endpoint(
            "GET",
            "/list_actions",
            Auth.ANY_KEY,
            ListActionsQuery,
            Listing[ActionItem],
            service.list_page,
            summary="The account's actions, or those of one group",
            tag=_TAG,
            description="`group_id` 0, or none, lists the account's registered actions; another lists that group's.",
            errors=READ_ERRORS,
            open_to_converted=True,
        ),
        Endpoint(
            "POST",
            "/update_action_metadata",
            Auth.ACCOUNT_KEY,
            UpdateActionMetadataRequest,
            Mutation,
            service.update_metadata,
            summary="Rename an action",
            tag=_TAG,
            description="Takes the hashed CID.",
            errors=WRITE_ERRORS,
        ),
        Endpoint(
            "POST",
            "/delete_action",
            Auth.ACCOUNT_KEY,
            DeleteActionRequest,
            Mutation,
            service.delete,
            summary="Delete an action and its metadata",
            tag=_TAG,
            description="Takes the hashed CID. The action leaves every group.",
            errors=WRITE_ERRORS,
        ),
        Endpoint(
            "POST",
            "/remove_action_from_group",
            Auth.ANY_KEY,
            RemoveActionFromGroupRequest,
            Mutation,
            service.remove_from_group,
            summary="Take an action out of a group",
            tag=_TAG,
            description="Takes the hashed CID. A usage key needs the group in `manage_ipfs_ids_in_groups`.",
            errors=WRITE_ERRORS,
            authorise=service.authorise_remove_from_group,
        ),
    ]

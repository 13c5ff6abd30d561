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
from node.api.calls import Listing
from node.api.mutation import READ_ERRORS, WRITE_ERRORS, Mutation
from node.http.endpoint import Access, AnyEndpoint, Auth, Docs, Group, Operation

_READS: Final = Group("Actions", Access(Auth.ANY_KEY, open_to_converted=True), READ_ERRORS)
_WRITES: Final = Group("Actions", Access(Auth.ACCOUNT_KEY), WRITE_ERRORS)


def endpoints(service: ActionService) -> list[AnyEndpoint]:
    """Declares every endpoint of registered actions and of the actions in groups."""
    return [*_additions(service), *_lists_and_changes(service)]


def _additions(service: ActionService) -> list[AnyEndpoint]:
    return [
        _WRITES(
            Operation("POST", "/add_action", AddActionRequest, Mutation, service.add),
            Docs("Register an action", "Takes the CID; a dag-pb CIDv1 is stored as CIDv0."),
        ),
        _WRITES(
            Operation("POST", "/add_action_to_group", AddActionToGroupRequest, Mutation, service.add_to_group),
            Docs(
                "Permit an action in a group",
                "Takes the CID. A usage key needs the group in `manage_ipfs_ids_in_groups`. An action that is in already is free.",
            ),
            access=Access(Auth.ANY_KEY),
            authorise=service.authorise_add_to_group,
        ),
    ]


def _lists_and_changes(service: ActionService) -> list[AnyEndpoint]:
    return [
        _READS(
            Operation("GET", "/list_actions", ListActionsQuery, Listing[ActionItem], service.list_page),
            Docs(
                "The account's actions, or those of one group",
                "`group_id` 0, or none, lists the account's registered actions; another lists that group's.",
            ),
        ),
        _WRITES(
            Operation(
                "POST", "/update_action_metadata", UpdateActionMetadataRequest, Mutation, service.update_metadata
            ),
            Docs("Rename an action", "Takes the hashed CID."),
        ),
        _WRITES(
            Operation("POST", "/delete_action", DeleteActionRequest, Mutation, service.delete),
            Docs("Delete an action and its metadata", "Takes the hashed CID. The action leaves every group."),
        ),
        _WRITES(
            Operation(
                "POST", "/remove_action_from_group", RemoveActionFromGroupRequest, Mutation, service.remove_from_group
            ),
            Docs(
                "Take an action out of a group",
                "Takes the hashed CID. A usage key needs the group in `manage_ipfs_ids_in_groups`.",
            ),
            access=Access(Auth.ANY_KEY),
            authorise=service.authorise_remove_from_group,
        ),
    ]

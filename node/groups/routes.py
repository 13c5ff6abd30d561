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
from node.http.endpoint import AnyEndpoint, Auth, Endpoint, Listing
from node.http.mutation import READ_ERRORS, WRITE_ERRORS, Mutation
from node.http.paging import PageQuery

_TAG: Final = "Groups"


def endpoints(service: GroupService) -> list[AnyEndpoint]:
    """Declares every endpoint of groups and of the wallets in them."""
    return [*_groups(service), *_wallets_in_groups(service)]


def _groups(service: GroupService) -> list[AnyEndpoint]:
    return [
        Endpoint(
            "POST",
            "/add_group",
            Auth.ANY_KEY,
            AddGroupRequest,
            AddGroupAnswer,
            service.add,
            summary="Add a group",
            tag=_TAG,
            description="A usage key needs `can_create_groups`, for contents also the grant for all groups; "
            "wildcards and the master wallet need the account key.",
            errors=WRITE_ERRORS,
            example={"group_name": "Signers", "pkp_ids_permitted": [], "cid_hashes_permitted": []},
            # A repeat of a finished write reads the id from the receipt, like the first request.
            from_write=lambda result: {"group_id": new_group_id(result)},
            authorise=service.authorise_add,
        ),
        Endpoint(
            "GET",
            "/list_groups",
            Auth.ANY_KEY,
            PageQuery,
            Listing[GroupItem],
            service.list_all,
            summary="The account's groups",
            tag=_TAG,
            errors=READ_ERRORS,
            open_to_converted=True,
        ),
        Endpoint(
            "POST",
            "/update_group",
            Auth.ACCOUNT_KEY,
            UpdateGroupRequest,
            Mutation,
            service.update,
            summary="Replace a group's names and contents",
            tag=_TAG,
            description="Needs both lists, and replaces both.",
            errors=WRITE_ERRORS,
        ),
        Endpoint(
            "POST",
            "/remove_group",
            Auth.ANY_KEY,
            RemoveGroupRequest,
            Mutation,
            service.remove,
            summary="Remove a group",
            tag=_TAG,
            description="A usage key needs `can_delete_groups`.",
            errors=WRITE_ERRORS,
            authorise=service.authorise_remove,
        ),
    ]


def _wallets_in_groups(service: GroupService) -> list[AnyEndpoint]:
    return [
        Endpoint(
            "POST",
            "/add_pkp_to_group",
            Auth.ANY_KEY,
            GroupWalletRequest,
            Mutation,
            service.add_wallet,
            summary="Let a wallet into a group",
            tag=_TAG,
            description="A usage key needs the group in `add_pkp_to_groups`. A wallet that is in already is free.",
            errors=WRITE_ERRORS,
            authorise=service.authorise_add_wallet,
        ),
        Endpoint(
            "POST",
            "/remove_pkp_from_group",
            Auth.ANY_KEY,
            GroupWalletRequest,
            Mutation,
            service.remove_wallet,
            summary="Take a wallet out of a group",
            tag=_TAG,
            description="A usage key needs the group in `remove_pkp_from_groups`.",
            errors=WRITE_ERRORS,
            authorise=service.authorise_remove_wallet,
        ),
    ]

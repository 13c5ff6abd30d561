"""The group endpoints over HTTP."""

from typing import Final

from node.api.calls import Listing
from node.api.mutation import READ_ERRORS, WRITE_ERRORS, Mutation
from node.api.paging import PageQuery
from node.groups.models import (
    AddGroupAnswer,
    AddGroupRequest,
    GroupItem,
    GroupWalletRequest,
    RemoveGroupRequest,
    UpdateGroupRequest,
)
from node.groups.service import GroupService, new_group_id
from node.http.endpoint import Access, AnyEndpoint, Auth, Docs, Group, Operation, Repetition

_READS: Final = Group("Groups", Access(Auth.ANY_KEY, open_to_converted=True), READ_ERRORS)
_WRITES: Final = Group("Groups", Access(Auth.ANY_KEY), WRITE_ERRORS)


def endpoints(service: GroupService) -> list[AnyEndpoint]:
    """Declares every endpoint of groups and of the wallets in them."""
    return [*_groups(service), *_wallets_in_groups(service)]


def _groups(service: GroupService) -> list[AnyEndpoint]:
    return [
        # A repeated request that finds its write done learns the id from the receipt.
        _WRITES(
            Operation("POST", "/add_group", AddGroupRequest, AddGroupAnswer, service.add),
            Docs(
                "Add a group",
                "A usage key needs `can_create_groups`, for contents also the grant for all groups; wildcards and the master wallet need the account key.",
                example={"group_name": "Signers", "pkp_ids_permitted": [], "cid_hashes_permitted": []},
            ),
            repetition=Repetition(from_write=lambda result: {"group_id": new_group_id(result)}),
            authorise=service.authorise_add,
        ),
        _READS(
            Operation("GET", "/list_groups", PageQuery, Listing[GroupItem], service.list_all),
            Docs("The account's groups", "With the wallets and the hashes of the actions that each permits."),
        ),
        _WRITES(
            Operation("POST", "/update_group", UpdateGroupRequest, Mutation, service.update),
            Docs("Replace a group's names and contents", "Needs both lists, and replaces both."),
            access=Access(Auth.ACCOUNT_KEY),
        ),
        _WRITES(
            Operation("POST", "/remove_group", RemoveGroupRequest, Mutation, service.remove),
            Docs("Remove a group", "A usage key needs `can_delete_groups`."),
            authorise=service.authorise_remove,
        ),
    ]


def _wallets_in_groups(service: GroupService) -> list[AnyEndpoint]:
    return [
        _WRITES(
            Operation("POST", "/add_pkp_to_group", GroupWalletRequest, Mutation, service.add_wallet),
            Docs(
                "Let a wallet into a group",
                "A usage key needs the group in `add_pkp_to_groups`. A wallet that is in already is free.",
            ),
            authorise=service.authorise_add_wallet,
        ),
        _WRITES(
            Operation("POST", "/remove_pkp_from_group", GroupWalletRequest, Mutation, service.remove_wallet),
            Docs("Take a wallet out of a group", "A usage key needs the group in `remove_pkp_from_groups`."),
            authorise=service.authorise_remove_wallet,
        ),
    ]

"""The usage key endpoints over HTTP."""

from typing import Final

from node.api.calls import Listing
from node.api.mutation import READ_ERRORS, WRITE_ERRORS, Mutation
from node.api.paging import PageQuery
from node.http.endpoint import Access, AnyEndpoint, Auth, Docs, Group, Operation, Repetition
from node.usage_keys.models import (
    AddUsageKeyAnswer,
    AddUsageKeyRequest,
    RemoveUsageKeyRequest,
    UpdateUsageKeyMetadataRequest,
    UpdateUsageKeyRequest,
    UsageKeyItem,
)
from node.usage_keys.service import UsageKeyService

_READS: Final = Group("Account and keys", Access(Auth.ACCOUNT_KEY, open_to_converted=True), READ_ERRORS)
_WRITES: Final = Group("Account and keys", Access(Auth.ACCOUNT_KEY), WRITE_ERRORS)


def endpoints(service: UsageKeyService) -> list[AnyEndpoint]:
    """Declares every endpoint of usage keys; each needs the account key."""
    return [
        # Its stored answer is repeated for ten minutes and not for a day (spec 2.7).
        _WRITES(
            Operation("POST", "/add_usage_api_key", AddUsageKeyRequest, AddUsageKeyAnswer, service.add),
            Docs(
                "Make a usage key",
                "The key is shown once. `0` in a group list means every group, present and future.",
                example={"name": "Worker", "execute_in_groups": ["1"]},
            ),
            repetition=Repetition(one_time_secret=True),
        ),
        _READS(
            Operation("GET", "/list_api_keys", PageQuery, Listing[UsageKeyItem], service.list_all),
            Docs(
                "The account's usage keys, without their values",
                "A key is named by its hash. Removed keys are not listed, expired ones are.",
            ),
        ),
        _WRITES(
            Operation("POST", "/update_usage_api_key", UpdateUsageKeyRequest, Mutation, service.update),
            Docs(
                "Replace every permission of a usage key",
                "Fields left out are reset to their defaults, but `expiration` and `balance` stay as they are.",
            ),
        ),
        _WRITES(
            Operation(
                "POST",
                "/update_usage_api_key_metadata",
                UpdateUsageKeyMetadataRequest,
                Mutation,
                service.update_metadata,
            ),
            Docs("Rename a usage key", "Replaces name and description, and nothing that the key may do."),
        ),
        _WRITES(
            Operation("POST", "/remove_usage_api_key", RemoveUsageKeyRequest, Mutation, service.remove),
            Docs("Remove a usage key for good", "From the block of the transaction on the key is refused."),
        ),
    ]

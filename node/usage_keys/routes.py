"""The usage key endpoints over HTTP."""

from typing import Final

from node.http.endpoint import AnyEndpoint, Auth, Endpoint, Listing
from node.http.mutation import READ_ERRORS, WRITE_ERRORS, Mutation
from node.http.paging import PageQuery
from node.usage_keys.models import (
    AddUsageKeyAnswer,
    AddUsageKeyRequest,
    RemoveUsageKeyRequest,
    UpdateUsageKeyMetadataRequest,
    UpdateUsageKeyRequest,
    UsageKeyItem,
)
from node.usage_keys.service import UsageKeyService

_TAG: Final = "Account and keys"


def endpoints(service: UsageKeyService) -> list[AnyEndpoint]:
    """Declares every endpoint of usage keys; each needs the account key."""
    return [
        Endpoint(
            "POST",
            "/add_usage_api_key",
            Auth.ACCOUNT_KEY,
            AddUsageKeyRequest,
            AddUsageKeyAnswer,
            service.add,
            summary="Make a usage key",
            tag=_TAG,
            description="The key is shown once. `0` in a group list means every group, present and future.",
            errors=WRITE_ERRORS,
            # Its stored response is repeated for ten minutes and not for a day (spec 2.7).
            one_time_secret=True,
            example={"name": "Worker", "execute_in_groups": ["1"]},
        ),
        Endpoint(
            "GET",
            "/list_api_keys",
            Auth.ACCOUNT_KEY,
            PageQuery,
            Listing[UsageKeyItem],
            service.list_all,
            summary="The account's usage keys, without their values",
            tag=_TAG,
            errors=READ_ERRORS,
            open_to_converted=True,
        ),
        Endpoint(
            "POST",
            "/update_usage_api_key",
            Auth.ACCOUNT_KEY,
            UpdateUsageKeyRequest,
            Mutation,
            service.update,
            summary="Replace every permission of a usage key",
            tag=_TAG,
            description="Fields left out are reset to their defaults, but `expiration` and `balance` stay as they are.",
            errors=WRITE_ERRORS,
        ),
        Endpoint(
            "POST",
            "/update_usage_api_key_metadata",
            Auth.ACCOUNT_KEY,
            UpdateUsageKeyMetadataRequest,
            Mutation,
            service.update_metadata,
            summary="Rename a usage key",
            tag=_TAG,
            errors=WRITE_ERRORS,
        ),
        Endpoint(
            "POST",
            "/remove_usage_api_key",
            Auth.ACCOUNT_KEY,
            RemoveUsageKeyRequest,
            Mutation,
            service.remove,
            summary="Remove a usage key for good",
            tag=_TAG,
            errors=WRITE_ERRORS,
        ),
    ]

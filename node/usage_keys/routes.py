"""The usage key endpoints over HTTP."""

from typing import Final

from node.http.endpoint import AnyEndpoint, Auth, Call, Endpoint, Listing
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
    """Everything about usage keys; all of it needs the account key."""
    return [_add(service), _list(service), _update(service), _update_metadata(service), _remove(service)]


def _add(service: UsageKeyService) -> AnyEndpoint:
    async def handle(call: Call, request: AddUsageKeyRequest) -> AddUsageKeyAnswer:
        return await service.add(call.caller, request, call.origin)

    return Endpoint(
        "POST",
        "/add_usage_api_key",
        Auth.ACCOUNT_KEY,
        AddUsageKeyRequest,
        AddUsageKeyAnswer,
        handle,
        summary="Make a usage key",
        tag=_TAG,
        description="The key is shown once. `0` in a group list means every group, present and future.",
        errors=WRITE_ERRORS,
        one_time_secret=True,
        example={"name": "Worker", "execute_in_groups": ["1"]},
    )


def _list(service: UsageKeyService) -> AnyEndpoint:
    async def handle(call: Call, query: PageQuery) -> Listing[UsageKeyItem]:
        return await service.list_all(call.caller, query.page)

    return Endpoint(
        "GET",
        "/list_api_keys",
        Auth.ACCOUNT_KEY,
        PageQuery,
        Listing[UsageKeyItem],
        handle,
        summary="The account's usage keys, without their values",
        tag=_TAG,
        errors=READ_ERRORS,
        open_to_converted=True,
    )


def _update(service: UsageKeyService) -> AnyEndpoint:
    async def handle(call: Call, request: UpdateUsageKeyRequest) -> Mutation:
        return await service.update(call.caller, request, call.origin)

    return Endpoint(
        "POST",
        "/update_usage_api_key",
        Auth.ACCOUNT_KEY,
        UpdateUsageKeyRequest,
        Mutation,
        handle,
        summary="Replace every permission of a usage key",
        tag=_TAG,
        description="Fields left out are reset to their defaults, but `expiration` and `balance` stay as they are.",
        errors=WRITE_ERRORS,
    )


def _update_metadata(service: UsageKeyService) -> AnyEndpoint:
    async def handle(call: Call, request: UpdateUsageKeyMetadataRequest) -> Mutation:
        return await service.update_metadata(call.caller, request, call.origin)

    return Endpoint(
        "POST",
        "/update_usage_api_key_metadata",
        Auth.ACCOUNT_KEY,
        UpdateUsageKeyMetadataRequest,
        Mutation,
        handle,
        summary="Rename a usage key",
        tag=_TAG,
        errors=WRITE_ERRORS,
    )


def _remove(service: UsageKeyService) -> AnyEndpoint:
    async def handle(call: Call, request: RemoveUsageKeyRequest) -> Mutation:
        return await service.remove(call.caller, request, call.origin)

    return Endpoint(
        "POST",
        "/remove_usage_api_key",
        Auth.ACCOUNT_KEY,
        RemoveUsageKeyRequest,
        Mutation,
        handle,
        summary="Remove a usage key for good",
        tag=_TAG,
        errors=WRITE_ERRORS,
    )

"""Registers, renames, deletes and lists actions, and permits them in groups."""

from node.actions.models import (
    WHOLE_ACCOUNT,
    ActionItem,
    AddActionRequest,
    AddActionToGroupRequest,
    DeleteActionRequest,
    ListActionsQuery,
    RemoveActionFromGroupRequest,
    UpdateActionMetadataRequest,
)
from node.api.calls import Call, Listing
from node.api.errors import require
from node.api.mutation import Mutation, mutation
from node.billing.charged_writes import MeteredWrites, WriteOrder
from node.chain.port import AccountReads, ContractCall
from node.permissions.grants import account_key_only, may_add_action_to_group, may_remove_action_from_group
from node.values import hash_of_text


class ActionService:
    """The actions of an account. CIDs arrive as CIDv0, the form that is stored and hashed."""

    def __init__(self, reads: AccountReads, writes: MeteredWrites) -> None:
        self._reads = reads
        self._writes = writes

    async def add(self, call: Call, request: AddActionRequest) -> Mutation:
        """Registers an action; account key only. Raises NodeError 400, 402, 403, 409 (exists)."""
        require(account_key_only(call.caller), call.caller)
        # The contract stores the CID as well as its hash, so that lists can show it.
        arguments = (call.caller.master_hash, request.name, request.description, request.action_ipfs_cid)
        return await self._write(call, "addActionWithCid", arguments)

    async def update_metadata(self, call: Call, request: UpdateActionMetadataRequest) -> Mutation:
        """Renames an action; the account key alone. Raises NodeError 402, 403, 404."""
        require(account_key_only(call.caller), call.caller)
        account = call.caller.master_hash
        arguments = (account, request.hashed_cid, WHOLE_ACCOUNT, request.name, request.description)
        return await self._write(call, "updateActionMetadata", arguments)

    async def delete(self, call: Call, request: DeleteActionRequest) -> Mutation:
        """Deletes an action everywhere; account key only. Raises NodeError 402, 403, 404."""
        require(account_key_only(call.caller), call.caller)
        return await self._write(call, "removeAction", (call.caller.master_hash, request.hashed_cid))

    async def add_to_group(self, call: Call, request: AddActionToGroupRequest) -> Mutation:
        """Permits an action in a group. If it is permitted already, this is free and sends nothing.

        Raises NodeError 400, 402, 403, 404 (no such group).
        """
        action_hash = hash_of_text(request.action_ipfs_cid)
        await self.authorise_add_to_group(call, request)

        async def is_in_group() -> bool:
            return await self._reads.is_action_in_group(call.caller.master_hash, request.group_id, action_hash)

        # The contract checks the grant again, so pass the hash of the calling key.
        order = _order(call, "addActionToGroup", (call.caller.key_hash, request.group_id, action_hash))
        # Serialised per membership: two equal requests would both find it missing and pay (2.8).
        membership = (call.caller.master_hash, request.group_id, action_hash)
        return mutation(await self._writes.write_unless(order, membership, is_in_group))

    async def authorise_add_to_group(self, call: Call, request: AddActionToGroupRequest) -> None:
        """Pass when the caller may permit the action in the group. Raises NodeError 403."""
        action_hash = hash_of_text(request.action_ipfs_cid)
        require(may_add_action_to_group(call.caller, request.group_id, action_hash), call.caller)

    async def remove_from_group(self, call: Call, request: RemoveActionFromGroupRequest) -> Mutation:
        """Takes an action out of a group. Raises NodeError 402, 403, 404 (also if not in it)."""
        await self.authorise_remove_from_group(call, request)
        arguments = (call.caller.key_hash, request.group_id, request.hashed_cid)
        return await self._write(call, "removeActionFromGroup", arguments)

    async def authorise_remove_from_group(self, call: Call, request: RemoveActionFromGroupRequest) -> None:
        """Pass when the caller may take actions out of the group. Raises NodeError 403."""
        require(may_remove_action_from_group(call.caller, request.group_id), call.caller)

    async def list_page(self, call: Call, query: ListActionsQuery) -> Listing[ActionItem]:
        """Returns a page of the account's actions, or of one group's, live from the contract.

        Raises NodeError `not_found` for an unknown group.
        """
        account = call.caller.master_hash
        # No group has the id 0, so that 0 can mean the account (spec 9.4).
        if query.group_id == WHOLE_ACCOUNT:
            found = await self._reads.actions(account, query.page)
        else:
            found = await self._reads.group_actions(account, query.group_id, query.page)
        return Listing([ActionItem.of(action) for action in found.items], found.total)

    async def _write(self, call: Call, function: str, arguments: tuple[object, ...]) -> Mutation:
        return mutation(await self._writes.write(_order(call, function, arguments)))


def _order(call: Call, function: str, arguments: tuple[object, ...]) -> WriteOrder:
    async def prepare() -> ContractCall:
        return ContractCall(function, arguments)

    return WriteOrder(prepare, call.caller, call.origin)

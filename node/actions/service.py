"""Actions: registered, renamed, deleted and listed; permitted in groups and taken out of them."""

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
from node.billing.metering import MeteredWrites, WriteOrder
from node.chain.port import AccountReads, ContractCall
from node.http.endpoint import Listing
from node.http.forbidden import require
from node.http.mutation import Mutation, mutation
from node.http.origin import Origin
from node.permissions.decisions import account_key_only, may_add_action_to_group, may_remove_action_from_group
from node.permissions.grants import Caller
from node.values import hash_of_text


class ActionService:
    """The actions of an account. Every CID arrives in its CIDv0 form, which is what is stored and hashed."""

    def __init__(self, reads: AccountReads, writes: MeteredWrites) -> None:
        self._reads = reads
        self._writes = writes

    async def add(self, caller: Caller, request: AddActionRequest, origin: Origin) -> Mutation:
        """Register an action; the account key alone. Raises NodeError 400, 402, 403, 409 (registered already)."""
        require(account_key_only(caller), caller)
        arguments = (caller.master_hash, request.name, request.description, request.action_ipfs_cid)
        return await self._write(caller, "addActionWithCid", arguments, origin)

    async def update_metadata(self, caller: Caller, request: UpdateActionMetadataRequest, origin: Origin) -> Mutation:
        """Rename an action; the account key alone. Raises NodeError 402, 403, 404."""
        require(account_key_only(caller), caller)
        target = (caller.master_hash, request.hashed_cid, WHOLE_ACCOUNT)
        names = (request.name, request.description)
        return await self._write(caller, "updateActionMetadata", (*target, *names), origin)

    async def delete(self, caller: Caller, request: DeleteActionRequest, origin: Origin) -> Mutation:
        """Delete an action, out of every group too; the account key alone. Raises NodeError 402, 403, 404."""
        require(account_key_only(caller), caller)
        return await self._write(caller, "removeAction", (caller.master_hash, request.hashed_cid), origin)

    async def add_to_group(self, caller: Caller, request: AddActionToGroupRequest, origin: Origin) -> Mutation:
        """Permit an action in a group; free, and without a transaction, when it is in.

        Raises NodeError 400, 402, 403, 404 (no such group).
        """
        action_hash = hash_of_text(request.action_ipfs_cid)
        await self.authorise_add_to_group(caller, request)

        async def prepare() -> ContractCall:
            return ContractCall("addActionToGroup", (caller.key_hash, request.group_id, action_hash))

        async def there() -> bool:
            return await self._reads.is_action_in_group(caller.master_hash, request.group_id, action_hash)

        order = WriteOrder(prepare, caller, origin)
        membership = (caller.master_hash, request.group_id, action_hash)
        return mutation(await self._writes.write_unless(order, membership, there))

    async def authorise_add_to_group(self, caller: Caller, request: AddActionToGroupRequest) -> None:
        """Pass when the caller may permit the action in the group. Raises NodeError 403."""
        action_hash = hash_of_text(request.action_ipfs_cid)
        require(may_add_action_to_group(caller, request.group_id, action_hash), caller)

    async def remove_from_group(
        self, caller: Caller, request: RemoveActionFromGroupRequest, origin: Origin
    ) -> Mutation:
        """Take an action out of a group. Raises NodeError 402, 403, 404 (also when it is not in)."""
        await self.authorise_remove_from_group(caller, request)
        arguments = (caller.key_hash, request.group_id, request.hashed_cid)
        return await self._write(caller, "removeActionFromGroup", arguments, origin)

    async def authorise_remove_from_group(self, caller: Caller, request: RemoveActionFromGroupRequest) -> None:
        """Pass when the caller may take actions out of the group. Raises NodeError 403."""
        require(may_remove_action_from_group(caller, request.group_id), caller)

    async def list_page(self, caller: Caller, query: ListActionsQuery) -> Listing[ActionItem]:
        """A page of the account's actions, or of one group's, live from the contract.

        Raises NodeError `not_found` for an unknown group.
        """
        account = caller.master_hash
        if query.group_id == WHOLE_ACCOUNT:
            found = await self._reads.actions(account, query.page)
        else:
            found = await self._reads.group_actions(account, query.group_id, query.page)
        return Listing([ActionItem.of(action) for action in found.items], found.total)

    async def _write(self, caller: Caller, function: str, arguments: tuple[object, ...], origin: Origin) -> Mutation:
        async def prepare() -> ContractCall:
            return ContractCall(function, arguments)

        return mutation(await self._writes.write(WriteOrder(prepare, caller, origin)))

"""Groups: added, replaced, removed and listed; wallets that enter and leave them.

Checks come in the order permission, credit, simulation: what is looked up before may deny (403), but a wallet
that does not exist is told (404) only after the credit check, as the contract would.
"""

import asyncio
from collections.abc import Sequence, Sized
from typing import cast

from node.billing.metering import MeteredWrites, WriteOrder
from node.chain.port import AccountReads, ContractCall, Page, WriteResult
from node.groups.models import (
    AddGroupAnswer,
    AddGroupRequest,
    GroupItem,
    GroupWalletRequest,
    RemoveGroupRequest,
    UpdateGroupRequest,
)
from node.groups.wallet_references import addresses_of, master_wallet_for, registered
from node.http.endpoint import Listing
from node.http.errors import ErrorCode, NodeError
from node.http.forbidden import require
from node.http.list_limits import ListLimits, require_few_entries
from node.http.mutation import Mutation, mutation, on_chain
from node.http.origin import Origin
from node.permissions.decisions import (
    account_key_only,
    may_add_pkp_to_group,
    may_create_group,
    may_delete_group,
    may_remove_pkp_from_group,
)
from node.permissions.grants import Caller


class GroupService:
    """The groups of an account."""

    def __init__(self, reads: AccountReads, writes: MeteredWrites, limits: ListLimits) -> None:
        self._reads = reads
        self._writes = writes
        self._limits = limits

    async def add(self, caller: Caller, request: AddGroupRequest, origin: Origin) -> AddGroupAnswer:
        """Add a group with its contents; its id is that of the receipt. Raises NodeError 400, 402, 403, 404."""
        self._check_entries(request)
        wallets = await self.authorise_add(caller, request)

        async def prepare() -> ContractCall:
            addresses = registered(request.pkp_ids_permitted, wallets)
            names = (request.group_name, request.group_description)
            return ContractCall("addGroup", (caller.key_hash, *names, request.cid_hashes_permitted, addresses))

        result = await self._writes.write(WriteOrder(prepare, caller, origin))
        return AddGroupAnswer(group_id=new_group_id(result), **on_chain(result))

    async def authorise_add(self, caller: Caller, request: AddGroupRequest) -> Sequence[str | None]:
        """The addresses of the wallets of a group that the caller may add. Raises NodeError 403."""
        wallets = await addresses_of(self._reads, caller.master_hash, request.pkp_ids_permitted)
        master = await master_wallet_for(self._reads, caller) if wallets else None
        require(may_create_group(caller, request.cid_hashes_permitted, wallets, master), caller)
        return wallets

    async def update(self, caller: Caller, request: UpdateGroupRequest, origin: Origin) -> Mutation:
        """Replace names and both lists; the account key alone. Raises NodeError 400, 402, 403, 404."""
        self._check_entries(request)
        require(account_key_only(caller), caller)

        async def prepare() -> ContractCall:
            wallets = await addresses_of(self._reads, caller.master_hash, request.pkp_ids_permitted)
            addresses = registered(request.pkp_ids_permitted, wallets)
            names = (request.name, request.description)
            lists = (request.cid_hashes_permitted, addresses)
            return ContractCall("updateGroup", (caller.master_hash, request.group_id, *names, *lists))

        return mutation(await self._writes.write(WriteOrder(prepare, caller, origin)))

    async def remove(self, caller: Caller, request: RemoveGroupRequest, origin: Origin) -> Mutation:
        """Remove a group. Raises NodeError 402, 403, 404."""
        await self.authorise_remove(caller)

        async def prepare() -> ContractCall:
            return ContractCall("removeGroup", (caller.key_hash, request.group_id))

        return mutation(await self._writes.write(WriteOrder(prepare, caller, origin)))

    async def authorise_remove(self, caller: Caller) -> None:
        """Pass when the caller may remove groups. Raises NodeError 403."""
        require(may_delete_group(caller), caller)

    async def add_wallet(self, caller: Caller, request: GroupWalletRequest, origin: Origin) -> Mutation:
        """Let a wallet into a group; free, and without a transaction, when it is in. Raises NodeError 402, 403, 404."""
        wallet = await self.authorise_add_wallet(caller, request)

        async def there() -> bool:
            if wallet is None:
                return False
            return await self._reads.is_wallet_in_group(caller.master_hash, request.group_id, wallet)

        order = self._wallet_order("addPkpToGroup", caller, request, wallet, origin)
        membership = (caller.master_hash, request.group_id, wallet)
        return mutation(await self._writes.write_unless(order, membership, there))

    async def authorise_add_wallet(self, caller: Caller, request: GroupWalletRequest) -> str | None:
        """The address of a wallet that the caller may let into the group. Raises NodeError 403."""
        (wallet,), master = await asyncio.gather(
            addresses_of(self._reads, caller.master_hash, [request.pkp_id]), master_wallet_for(self._reads, caller)
        )
        require(may_add_pkp_to_group(caller, request.group_id, wallet, master), caller)
        return wallet

    async def remove_wallet(self, caller: Caller, request: GroupWalletRequest, origin: Origin) -> Mutation:
        """Take a wallet out of a group. Raises NodeError 402, 403, 404 (also when it is not in)."""
        await self.authorise_remove_wallet(caller, request)
        (wallet,) = await addresses_of(self._reads, caller.master_hash, [request.pkp_id])
        order = self._wallet_order("removePkpFromGroup", caller, request, wallet, origin)
        return mutation(await self._writes.write(order))

    async def authorise_remove_wallet(self, caller: Caller, request: GroupWalletRequest) -> None:
        """Pass when the caller may take wallets out of the group. Raises NodeError 403."""
        require(may_remove_pkp_from_group(caller, request.group_id), caller)

    async def list_all(self, caller: Caller, page: Page) -> Listing[GroupItem]:
        """A page of the account's groups with their contents, live from the contract."""
        found = await self._reads.groups(caller.master_hash, page)
        return Listing([GroupItem.of(group) for group in found.items], found.total)

    def _wallet_order(
        self,
        function: str,
        caller: Caller,
        request: GroupWalletRequest,
        wallet: str | None,
        origin: Origin,
    ) -> WriteOrder:
        async def prepare() -> ContractCall:
            (address,) = registered([request.pkp_id], [wallet])
            return ContractCall(function, (caller.key_hash, request.group_id, address))

        return WriteOrder(prepare, caller, origin)

    def _check_entries(self, request: AddGroupRequest | UpdateGroupRequest) -> None:
        lists: dict[str, Sized] = {
            "pkp_ids_permitted": request.pkp_ids_permitted,
            "cid_hashes_permitted": request.cid_hashes_permitted,
        }
        require_few_entries(self._limits, lists)


def new_group_id(result: WriteResult) -> str:
    """The id the contract gave, from the receipt. Raises NodeError `internal_error` when it is not there."""
    event = result.event("GroupAdded")
    if event is None:
        raise NodeError(ErrorCode.INTERNAL_ERROR, "The receipt of addGroup has no GroupAdded event.")
    return str(cast("int", event.arguments["groupId"]))

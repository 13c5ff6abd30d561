"""Groups: added, replaced, removed and listed; wallets that enter and leave them.

Checks come in the order permission, credit, simulation. A look-up before them may deny (403), but a wallet that does not
exist is answered (404) only after the credit check, as the contract would.
"""

import asyncio
from collections.abc import Sequence, Sized
from typing import Final, cast

from node.api.calls import Call, Listing
from node.api.errors import ErrorCode, NodeError, require, wallet_missing
from node.api.fields import require_few_entries
from node.api.mutation import Mutation, mutation, on_chain
from node.api.paging import PageQuery
from node.billing.metering import MeteredWrites, WriteOrder
from node.chain.port import AccountReads, ContractCall, WriteResult
from node.groups.models import (
    AddGroupAnswer,
    AddGroupRequest,
    GroupItem,
    GroupWalletRequest,
    RemoveGroupRequest,
    UpdateGroupRequest,
)
from node.permissions.grants import (
    Caller,
    account_key_only,
    may_add_pkp_to_group,
    may_create_group,
    may_delete_group,
    may_remove_pkp_from_group,
)
from node.settings.http import FieldSettings

_MASTER_WALLET_ID: Final = 0

WalletReference = str | int
"""A wallet as a request names it: EIP-55 address or the wildcard, or running id."""


class GroupService:
    """The groups of an account."""

    def __init__(self, reads: AccountReads, writes: MeteredWrites, settings: FieldSettings) -> None:
        self._reads = reads
        self._writes = writes
        self._settings = settings

    async def add(self, call: Call, request: AddGroupRequest) -> AddGroupAnswer:
        """Add a group with its contents; its id is that of the receipt. Raises NodeError 400, 402, 403, 404."""
        self._check_entries(request)
        wallets = await self.authorise_add(call, request)

        async def prepare() -> ContractCall:
            # Here and not before: a wallet that does not exist is told only to who could pay (spec 2.1).
            addresses = _registered(request.pkp_ids_permitted, wallets)
            names = (request.group_name, request.group_description)
            return ContractCall("addGroup", (call.caller.key_hash, *names, request.cid_hashes_permitted, addresses))

        result = await self._writes.write(WriteOrder(prepare, call.caller, call.origin))
        # From the receipt: of groups added at once the simulation may have told each the same id.
        return AddGroupAnswer(group_id=new_group_id(result), **on_chain(result))

    async def authorise_add(self, call: Call, request: AddGroupRequest) -> Sequence[str | None]:
        """Returns the addresses of the wallets of a group that the caller may add. Raises NodeError 403."""
        # By address, since the rule for the master wallet must hold for its running id too.
        wallets = await _addresses_of(self._reads, call.caller.master_hash, request.pkp_ids_permitted)
        master = await _master_wallet_for(self._reads, call.caller) if wallets else None
        require(may_create_group(call.caller, request.cid_hashes_permitted, wallets, master), call.caller)
        return wallets

    async def update(self, call: Call, request: UpdateGroupRequest) -> Mutation:
        """Replace names and both lists; the account key alone. Raises NodeError 400, 402, 403, 404."""
        self._check_entries(request)
        require(account_key_only(call.caller), call.caller)

        async def prepare() -> ContractCall:
            wallets = await _addresses_of(self._reads, call.caller.master_hash, request.pkp_ids_permitted)
            addresses = _registered(request.pkp_ids_permitted, wallets)
            names = (request.name, request.description)
            lists = (request.cid_hashes_permitted, addresses)
            return ContractCall("updateGroup", (call.caller.master_hash, request.group_id, *names, *lists))

        return mutation(await self._writes.write(WriteOrder(prepare, call.caller, call.origin)))

    async def remove(self, call: Call, request: RemoveGroupRequest) -> Mutation:
        """Remove a group. Raises NodeError 402, 403, 404."""
        await self.authorise_remove(call, request)

        async def prepare() -> ContractCall:
            return ContractCall("removeGroup", (call.caller.key_hash, request.group_id))

        return mutation(await self._writes.write(WriteOrder(prepare, call.caller, call.origin)))

    async def authorise_remove(self, call: Call, _: RemoveGroupRequest) -> None:
        """Pass when the caller may remove groups. Raises NodeError 403."""
        require(may_delete_group(call.caller), call.caller)

    async def add_wallet(self, call: Call, request: GroupWalletRequest) -> Mutation:
        """Let a wallet into a group; free, and without a transaction, when it is in. Raises NodeError 402, 403, 404."""
        wallet = await self.authorise_add_wallet(call, request)

        async def is_in_group() -> bool:
            # An unknown wallet goes on to `prepare`, which is its 404.
            if wallet is None:
                return False
            return await self._reads.is_wallet_in_group(call.caller.master_hash, request.group_id, wallet)

        order = self._wallet_order("addPkpToGroup", call, request, wallet)
        # One at a time of the same membership: twins would each find it missing, and both pay (spec 2.8).
        membership = (call.caller.master_hash, request.group_id, wallet)
        return mutation(await self._writes.write_unless(order, membership, is_in_group))

    async def authorise_add_wallet(self, call: Call, request: GroupWalletRequest) -> str | None:
        """Returns the address of a wallet that the caller may let into the group. Raises NodeError 403."""
        (wallet,), master = await asyncio.gather(
            _addresses_of(self._reads, call.caller.master_hash, [request.pkp_id]),
            _master_wallet_for(self._reads, call.caller),
        )
        require(may_add_pkp_to_group(call.caller, request.group_id, wallet, master), call.caller)
        return wallet

    async def remove_wallet(self, call: Call, request: GroupWalletRequest) -> Mutation:
        """Take a wallet out of a group. Raises NodeError 402, 403, 404 (also when it is not in)."""
        # Before the look-up: a key without the grant learns nothing of the account's wallets.
        await self.authorise_remove_wallet(call, request)
        (wallet,) = await _addresses_of(self._reads, call.caller.master_hash, [request.pkp_id])
        order = self._wallet_order("removePkpFromGroup", call, request, wallet)
        return mutation(await self._writes.write(order))

    async def authorise_remove_wallet(self, call: Call, request: GroupWalletRequest) -> None:
        """Pass when the caller may take wallets out of the group. Raises NodeError 403."""
        require(may_remove_pkp_from_group(call.caller, request.group_id), call.caller)

    async def list_all(self, call: Call, query: PageQuery) -> Listing[GroupItem]:
        """Returns a page of the account's groups with their contents, live from the contract."""
        found = await self._reads.groups(call.caller.master_hash, query.page)
        return Listing([GroupItem.of(group) for group in found.items], found.total)

    def _wallet_order(self, function: str, call: Call, request: GroupWalletRequest, wallet: str | None) -> WriteOrder:
        async def prepare() -> ContractCall:
            (address,) = _registered([request.pkp_id], [wallet])
            return ContractCall(function, (call.caller.key_hash, request.group_id, address))

        return WriteOrder(prepare, call.caller, call.origin)

    def _check_entries(self, request: AddGroupRequest | UpdateGroupRequest) -> None:
        # Each entry is a slot of storage and a look-up: they are counted together over all lists of one call (spec 6.1).
        lists: dict[str, Sized] = {
            "pkp_ids_permitted": request.pkp_ids_permitted,
            "cid_hashes_permitted": request.cid_hashes_permitted,
        }
        require_few_entries(self._settings, lists)


def new_group_id(result: WriteResult) -> str:
    """Returns the id the contract gave, from the receipt. Raises NodeError `internal_error` when it is not there."""
    event = result.event("GroupAdded")
    if event is None:
        raise NodeError(ErrorCode.INTERNAL_ERROR, "The receipt of addGroup has no GroupAdded event.")
    return str(cast("int", event.arguments["groupId"]))


async def _addresses_of(
    reads: AccountReads, account: int, references: Sequence[WalletReference]
) -> Sequence[str | None]:
    """Returns the address of each reference, in order; None for a running id the account does not have."""
    return await asyncio.gather(*(_address_of(reads, account, reference) for reference in references))


async def _master_wallet_for(reads: AccountReads, caller: Caller) -> str | None:
    """Returns the master wallet if the caller's rights depend on it: the account key may use any wallet."""
    if caller.is_account_key:
        return None
    return await _address_of(reads, caller.master_hash, _MASTER_WALLET_ID)


def _registered(references: Sequence[WalletReference], addresses: Sequence[str | None]) -> list[str]:
    """Returns the addresses. Raises NodeError `not_found` for the first reference without one."""
    found: list[str] = []
    for reference, address in zip(references, addresses, strict=True):
        if address is None:
            raise wallet_missing(reference)
        found.append(address)
    return found


async def _address_of(reads: AccountReads, account: int, reference: WalletReference) -> str | None:
    # An address is not looked up: the contract itself refuses one that is not the account's.
    if isinstance(reference, str):
        return reference
    wallet = await reads.wallet_by_id(account, reference)
    return None if wallet is None else wallet.address

"""Adds, replaces, removes and lists groups, and the wallets in them.

Checks come in the order permission, credit, simulation. A look-up before them may deny (403). A
missing wallet is reported (404) only after the credit check, as the contract would do.
"""

import asyncio
from collections.abc import Sequence, Sized
from typing import Final, cast

from node.api.calls import Call, Listing
from node.api.errors import ErrorCode, NodeError, require, wallet_missing
from node.api.fields import require_few_entries
from node.api.mutation import Mutation, mutation, on_chain
from node.api.paging import PageQuery
from node.billing.charged_writes import MeteredWrites, WriteOrder
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
"""A wallet in a request, given by EIP-55 address, wildcard or running id."""


class GroupService:
    """The groups of an account."""

    def __init__(self, reads: AccountReads, writes: MeteredWrites, settings: FieldSettings) -> None:
        self._reads = reads
        self._writes = writes
        self._settings = settings

    async def add(self, call: Call, request: AddGroupRequest) -> AddGroupAnswer:
        """Adds a group; its id is that of the receipt. Raises NodeError 400, 402, 403, 404."""
        self._check_entries(request)
        wallets = await self.authorise_add(call, request)

        async def prepare() -> ContractCall:
            # After the credit check: only a caller that can pay learns of it (spec 2.1).
            addresses = _registered(request.pkp_ids_permitted, wallets)
            names = (request.group_name, request.group_description)
            return ContractCall("addGroup", (call.caller.key_hash, *names, request.cid_hashes_permitted, addresses))

        result = await self._writes.write(WriteOrder(prepare, call.caller, call.origin))
        # Use the receipt: concurrent simulations may all have predicted the same id.
        return AddGroupAnswer(group_id=new_group_id(result), **on_chain(result))

    async def authorise_add(self, call: Call, request: AddGroupRequest) -> Sequence[str | None]:
        """Returns the addresses of the new group's wallets. Raises NodeError 403."""
        # Resolve first, since the master wallet's rule holds for its running id too.
        wallets = await _addresses_of(self._reads, call.caller.master_hash, request.pkp_ids_permitted)
        master = await _master_wallet_for(self._reads, call.caller) if wallets else None
        require(may_create_group(call.caller, request.cid_hashes_permitted, wallets, master), call.caller)
        return wallets

    async def update(self, call: Call, request: UpdateGroupRequest) -> Mutation:
        """Replaces names and both lists; account key only. Raises NodeError 400, 402, 403, 404."""
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
        """Removes a group. Raises NodeError 402, 403, 404."""
        await self.authorise_remove(call, request)

        async def prepare() -> ContractCall:
            return ContractCall("removeGroup", (call.caller.key_hash, request.group_id))

        return mutation(await self._writes.write(WriteOrder(prepare, call.caller, call.origin)))

    async def authorise_remove(self, call: Call, _: RemoveGroupRequest) -> None:
        """Pass when the caller may remove groups. Raises NodeError 403."""
        require(may_delete_group(call.caller), call.caller)

    async def add_wallet(self, call: Call, request: GroupWalletRequest) -> Mutation:
        """Adds a wallet to a group; free if it is in already. Raises NodeError 402, 403, 404."""
        wallet = await self.authorise_add_wallet(call, request)

        async def is_in_group() -> bool:
            # `prepare` raises the 404 of an unknown wallet.
            if wallet is None:
                return False
            return await self._reads.is_wallet_in_group(call.caller.master_hash, request.group_id, wallet)

        order = self._wallet_order("addPkpToGroup", call, request, wallet)
        # Serialised per membership: two equal requests would both find it missing and pay (2.8).
        membership = (call.caller.master_hash, request.group_id, wallet)
        return mutation(await self._writes.write_unless(order, membership, is_in_group))

    async def authorise_add_wallet(self, call: Call, request: GroupWalletRequest) -> str | None:
        """Returns the wallet's address if the caller may add it. Raises NodeError 403."""
        (wallet,), master = await asyncio.gather(
            _addresses_of(self._reads, call.caller.master_hash, [request.pkp_id]),
            _master_wallet_for(self._reads, call.caller),
        )
        require(may_add_pkp_to_group(call.caller, request.group_id, wallet, master), call.caller)
        return wallet

    async def remove_wallet(self, call: Call, request: GroupWalletRequest) -> Mutation:
        """Takes a wallet out of a group. Raises NodeError 402, 403, 404 (also if not in it)."""
        # Check first: a key without the grant must learn nothing about the account's wallets.
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
        # Each entry costs a slot and a look-up, so all lists of a call count together (6.1).
        lists: dict[str, Sized] = {
            "pkp_ids_permitted": request.pkp_ids_permitted,
            "cid_hashes_permitted": request.cid_hashes_permitted,
        }
        require_few_entries(self._settings, lists)


def new_group_id(result: WriteResult) -> str:
    """Returns the new group's id from the receipt. Raises NodeError `internal_error` without it."""
    event = result.event("GroupAdded")
    if event is None:
        raise NodeError(ErrorCode.INTERNAL_ERROR, "The receipt of addGroup has no GroupAdded event.")
    return str(cast("int", event.arguments["groupId"]))


async def _addresses_of(
    reads: AccountReads, account: int, references: Sequence[WalletReference]
) -> Sequence[str | None]:
    """Returns the addresses in order; None for a running id that the account does not have."""
    return await asyncio.gather(*(_address_of(reads, account, reference) for reference in references))


async def _master_wallet_for(reads: AccountReads, caller: Caller) -> str | None:
    """Returns the master wallet; None for the account key, which may use any wallet."""
    if caller.is_account_key:
        return None
    return await _address_of(reads, caller.master_hash, _MASTER_WALLET_ID)


def _registered(references: Sequence[WalletReference], addresses: Sequence[str | None]) -> list[str]:
    """Returns the addresses. Raises NodeError `not_found` for the first wallet without one."""
    found: list[str] = []
    for reference, address in zip(references, addresses, strict=True):
        if address is None:
            raise wallet_missing(reference)
        found.append(address)
    return found


async def _address_of(reads: AccountReads, account: int, reference: WalletReference) -> str | None:
    # Addresses need no look-up, as the contract refuses those of other accounts.
    if isinstance(reference, str):
        return reference
    wallet = await reads.wallet_by_id(account, reference)
    return None if wallet is None else wallet.address
